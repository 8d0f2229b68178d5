package change

import (
	"fmt"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
)

// textOf is the text of histories with these results.
func textOf(t *testing.T, o Options, machine []changepoint.MachineEvent, results ...changepoint.SeriesResult) string {
	t.Helper()
	var hs []History
	for _, r := range results {
		hs = append(hs, aHistory(r.ID))
	}
	var b strings.Builder
	if err := Text(&b, New(hs, changepoint.Sequential, changepoint.Analysis{Series: results, Machine: machine},
		o)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// firstLines are the first paragraph, as one line.
func firstLines(text string) string {
	head, _, _ := strings.Cut(text, "\n\n")
	return strings.Join(strings.Fields(head), " ")
}

// The first lines of a mail name what is slower now, the worst first, and not
// what is faster, or was slower for a while.
func TestFirstLinesNameSlowerHistories(t *testing.T) {
	up, down := step(10, firstDay+10.5, 30), step(14, firstDay+14.5, -23)
	up.Group, down.Group = ptr(1), ptr(1)
	got := textOf(t, options(), nil, result("little", step(20, firstDay+20.5, 3)),
		result("much", step(25, firstDay+25.5, 40)),
		result("faster", step(30, firstDay+30.5, -20)), result("while", up, down), result("calm"))
	want := "5 series, 180 runs: 4 changed, 0 may be changing, 1 without a change. Slower now: much by 40.0 % since 26 " +
		"October; little by " +
		"3.0 % since 21 October."
	if head := firstLines(got); head != want {
		t.Errorf("%s, want %s", head, want)
	}
	var order []string
	for _, line := range strings.Split(got, "\n") {
		if name, ok := strings.CutPrefix(line, "CHANGED  "); ok {
			order = append(order, name)
		}
	}
	if strings.Join(order, " ") != "much little faster while" {
		t.Errorf("reported in the order %v", order)
	}
	if head := firstLines(textOf(t, options(), nil, result("a", step(30, firstDay+30.5, -20)),
		result("b"))); !strings.HasSuffix(head, "None is slower now than before.") {
		t.Error(head)
	}
}

func TestFirstLinesOfOneSeries(t *testing.T) {
	watch := result("melt")
	watch.Outliers = []int{35}
	late := aHistory("melt")
	late.Y[35] = 60
	o := options()
	for want, r := range map[string]Report{
		"melt, 36 runs: no change. Level 50": New([]History{aHistory("melt")}, changepoint.Sequential,
			changepoint.Analysis{Series: []changepoint.SeriesResult{result("melt")}}, o),
		"melt, 36 runs: may be changing. The last run is 20.0 % slower than usual: seen once, not confirmed.": New(
			[]History{late},
			changepoint.Sequential, changepoint.Analysis{Series: []changepoint.SeriesResult{watch}}, o),
	} {
		var b strings.Builder
		if err := Text(&b, r); err != nil {
			t.Fatal(err)
		}
		if head := firstLines(b.String()); !strings.HasPrefix(head, want) || strings.Contains(b.String(), "WATCH ") {
			t.Errorf("%s, want %s", b.String(), want)
		}
	}
}

// A changed history may have thousands of runs and changes of half a per cent: they are counted and not listed.
func TestSmallChangesAreCounted(t *testing.T) {
	got := textOf(t, options(), nil,
		result("melt", step(5, firstDay+5.5, .4), step(10, firstDay+10.5, -.3), step(20, firstDay+20.5, 12)))
	if strings.Contains(got, "0.4 %") || !strings.Contains(got, "and 2 changes below 2 %") ||
		!strings.Contains(got, "12.0 % slower") {
		t.Error(got)
	}
}

// Events of the machine before the reported days are not reported.
func TestMachineOfTheLastDays(t *testing.T) {
	at := func(day float64) float64 { return (firstDay + day) * daySeconds }
	shifts := []changepoint.MachineEvent{{Start: at(2), End: ptr(at(3)), EffectPct: 5},
		{Start: at(36), End: ptr(at(37)), EffectPct: 4}, {Start: at(38), EffectPct: 3}}
	o := options()
	if got := textOf(t, o, shifts, result("a"), result("b")); strings.Count(got, "MACHINE") != 3 ||
		strings.Index(got, "5.0 %") < strings.Index(got, "3.0 %") {
		t.Error(got)
	}
	o.Days = 7
	if got := textOf(t, o, shifts, result("a"), result("b")); strings.Count(got, "MACHINE") != 2 ||
		strings.Contains(got, "5.0 %") {
		t.Error(got)
	}
	for i := range 30 {
		shifts = append(shifts, changepoint.MachineEvent{Start: at(39 + float64(i)/100), End: ptr(at(39 + float64(i)/100)),
			EffectPct: 2})
	}
	if got := textOf(t, o, shifts, result("a"), result("b")); strings.Count(got, "MACHINE") != 5 ||
		!strings.Contains(got, "and 28 earlier shifts") ||
		strings.Count(strings.Join(strings.Fields(got), " "), "the machine, not the jobs") != 1 {
		t.Error(got)
	}
}

// On a site hundreds of histories change: the text stays readable and describes the first at length.
func TestManyChangedAreShort(t *testing.T) {
	var results []changepoint.SeriesResult
	for i := range 300 {
		results = append(results, result(fmt.Sprintf("series%d", i), step(20, firstDay+20.5, 10+float64(i)/10)))
	}
	got := textOf(t, options(), nil, results...)
	if n := strings.Count(got, "\n"); n > 160 {
		t.Errorf("%d lines", n)
	}
	for _, want := range []string{"series299 by 39.9 %", "and 297 more",
		"\nCHANGED  series270: 37.0 % slower since 21 October.\n", "CHANGED  also: series249"} {
		if !strings.Contains(got, want) && !strings.Contains(firstLines(got), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Notes with figures are printed for each history if there are few histories.
func TestNotesOfFewAndOfMany(t *testing.T) {
	noted := func(id string, code note.Code, text string) changepoint.SeriesResult {
		r := result(id)
		r.Notes = []note.Note{note.New(code, "%s", text)}
		return r
	}
	got := textOf(t, options(), nil, noted("a", note.TwoLevels, "levels 1 and 2"),
		noted("b", note.TwoLevels, "levels 3 and 4"),
		noted("c", note.AllEqual, "the same"), noted("d", note.AllEqual, "the same"))
	for _, want := range []string{"NOTE     a: levels 1 and 2\n", "NOTE     b: levels 3 and 4\n",
		"NOTE     c, d: the same\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	var many []changepoint.SeriesResult
	for i := range 9 {
		many = append(many, noted(fmt.Sprint("s", i), note.TwoLevels, fmt.Sprint("level ", i)))
	}
	if got := textOf(t, options(), nil, many...); !strings.Contains(got, "NOTE     9 series, such as s0: level 0\n") {
		t.Error(got)
	}
}

func TestShapeName(t *testing.T) {
	for shape, want := range map[string]string{"1n ?t ?c": "1 node", "16n ?t ?c": "16 nodes",
		"4n 256t 2c": "4 nodes, 256 tasks, 2 CPUs a task", "?n ?t ?c": "",
		"2n ?t 1c size=3 km": "2 nodes, 1 CPU a task, size 3 km", "size=n": "size n", "": "", "odd": "odd",
		"4 nodes": "4 nodes", "n": "n", "\u00e9": "\u00e9"} {
		if got := ShapeName(shape); got != want {
			t.Errorf("%q: %q, want %q", shape, got, want)
		}
	}
}

// The dates of a file that ended long ago have their year.
func TestOldDatesHaveYears(t *testing.T) {
	o := options()
	o.Years = NeedsYear([]History{aHistory("a")}, firstDay+5000)
	if got := textOf(t, o, nil, result("melt", step(20, firstDay+20.5, 15))); !strings.Contains(got,
		"15.0 % slower since 21 October 2026") {
		t.Error(got)
	}
	if NeedsYear([]History{aHistory("a")}, firstDay+50) {
		t.Error("a file of last month is old")
	}
}
