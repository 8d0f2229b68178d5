package change

import (
	"fmt"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
)

// The number of changes expected by chance refers to the changes in the text only.
func TestChanceIsOfReportedHistories(t *testing.T) {
	unknown, small := step(20, firstDay+20.5, 15), step(8, firstDay+8.5, 1.2)
	unknown.FalsePer1000 = nil
	many := step(25, firstDay+25.5, 9)
	many.FalsePer1000 = ptr(40.)
	o := options()
	got := textOf(t, o, nil, result("a", small, unknown), result("b", many), result("c"))
	if want := "Chance alone would give 1.4 of these changes; for 1 of them it is not known"; !strings.Contains(
		strings.Join(strings.Fields(got), " "), want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	o.Days = 14 // of the 36 runs those of the last ten days; only b's change was seen in them
	o.Now = firstDay + 40
	got = textOf(t, o, nil, result("a", small, unknown), result("b", many), result("c"))
	if want := "Chance alone would give 0.40 of these changes."; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	if head := firstLines(got); !strings.HasPrefix(head,
		"3 series, 108 runs, in the last 14 days: 1 changed, 0 may be changing, 2 without a change.") {
		t.Error(head)
	}
	if LastDays(1) != "last day" || LastDays(.5) != "last 0.5 days" {
		t.Errorf("%s, %s", LastDays(1), LastDays(.5))
	}
	o.Days = 3
	if got := textOf(t, o, nil, result("a", small, unknown), result("b", many)); strings.Contains(got, "Chance") {
		t.Errorf("nothing is reported, but chance would give some:\n%s", got)
	}
}

// A last run that was slow long ago is not reported for the last days.
func TestWatchOfTheLastDays(t *testing.T) {
	late := aHistory("late")
	late.Y[35] = 60
	odd := result("late")
	odd.Outliers = []int{35}
	for days, want := range map[float64]Status{0: Watch, 7: Watch, 3: Pass} {
		o := options()
		o.Days = days
		r := New([]History{late}, changepoint.Sequential, changepoint.Analysis{Series: []changepoint.SeriesResult{odd}}, o)
		if got := r.Series[0].Status; got != want {
			t.Errorf("%g days: %s, want %s", days, got, want)
		}
	}
}

// If many histories of a site have a slow last run, they share an entry; an entry of several runs comes before
// them.
func TestManyWatched(t *testing.T) {
	var hs []History
	var found changepoint.Analysis
	for i := range 40 {
		h, r := aHistory(fmt.Sprint("h", i)), result(fmt.Sprint("h", i))
		h.Y[35], r.Outliers = 55+float64(i), []int{35}
		if i == 3 || i == 4 {
			h.Y[34], r.Outliers = h.Y[35], []int{34, 35}
		}
		hs, found.Series = append(hs, h), append(found.Series, r)
	}
	var b strings.Builder
	if err := Text(&b, New(hs, changepoint.Sequential, found, options())); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if n := strings.Count(got, "WATCH "); n != 3 {
		t.Errorf("%d entries in\n%s", n, got)
	}
	want := "WATCH h4: The last 2 runs are 18.0 % slower than usual or more: not confirmed yet. " +
		"WATCH h3: The last 2 runs are 16.0 % slower than usual or more: not confirmed yet. " +
		"WATCH of 38 series the last run alone is slower than usual, seen once: h39 by 88.0 %, h38 by 86.0 %,"
	if flat := strings.Join(strings.Fields(got), " "); !strings.Contains(flat, want) ||
		!strings.Contains(flat, " and 26 more") {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// Hundreds that pass are a number; a few have names.
func TestPassedOfMany(t *testing.T) {
	var list []changepoint.SeriesResult
	for i := range 30 {
		list = append(list, result(fmt.Sprint("calm", i)))
	}
	if got := textOf(t, options(), nil, list...); !strings.Contains(got, "PASS     30 series\n") {
		t.Error(got)
	}
	if got := textOf(t, options(), nil, list[:3]...); !strings.Contains(got, "PASS     calm0, calm1, calm2\n") {
		t.Error(got)
	}
}

// A drift has no levels, and an interval that contains 0 is described as such.
func TestUnknownIsNotReported(t *testing.T) {
	drift := step(20, firstDay+20.5, 30)
	drift.Kind, drift.EndIndex = changepoint.Drift, ptr(30)
	r := result("a", drift)
	r.Regimes = []changepoint.Regime{{First: 0, Last: 19, N: 20, Mean: 50, Median: 50, SD: .4},
		{First: 20, Last: 35, N: 16, Mean: 55, Median: 55, SD: 3}}
	if got := textOf(t, options(), nil, r); strings.Contains(got, "->") || !strings.Contains(got, "bit by bit") {
		t.Errorf("30 %% more, and a level 10 %% higher:\n%s", got)
	}
	r.Changes[0].Kind, r.Changes[0].EndIndex = changepoint.Step, nil
	if got := textOf(t, options(), nil, r); !strings.Contains(got, " 50.00 s -> 55.00 s; job U1") ||
		strings.Contains(got, "not sure") {
		t.Error(got)
	}
	r.Changes[0].LoPct = ptr(-.5)
	if got := textOf(t, options(), nil, r); !strings.Contains(strings.Join(strings.Fields(got), " "),
		"(95 % interval -0.50 .. 31.8 %: how much is not sure)") {
		t.Error(got)
	}
}

// Without a history there is one line, and a run that has no value has a reason.
func TestNothingAndWhy(t *testing.T) {
	if got := textOf(t, options(), nil); got != "No history to judge.\n" {
		t.Errorf("%q", got)
	}
	h, r := aHistory("melt"), result("melt")
	h.Lacking = "they failed"
	r.Notes = []note.Note{note.New(note.MissingRuns, "2 of 36 runs have no value and are left out"),
		note.New(note.LongGap, "a gap")}
	var b strings.Builder
	for range 2 { // the note itself stays as it is
		b.Reset()
		if err := Text(&b, New([]History{h}, changepoint.Sequential,
			changepoint.Analysis{Series: []changepoint.SeriesResult{r}}, options())); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(b.String(), "2 of 36 runs have no value and are left out: they failed\n") ||
		!strings.Contains(b.String(), "a gap\n") {
		t.Error(b.String())
	}
}

// Iterations are counted, times are measured.
func TestNumbersOfTwoRuns(t *testing.T) {
	for want, n := range map[string]Number{"54": {A: ptr(54.)}, "12,345": {A: ptr(12345.)}, "0.5409": {A: ptr(.5409)},
		"54.00 s": {A: ptr(54.), Unit: "s"}, "-": {}} {
		if got := n.print(n.A); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The text says that no recorded field changed only if fields were recorded on both sides.
func TestUnexplained(t *testing.T) {
	const says = "; nothing that was recorded changed then."
	c := step(20, firstDay+20.5, 15)
	h := aHistory("melt")
	text := func(h History) string {
		var b strings.Builder
		if err := Text(&b, New([]History{h}, changepoint.Sequential,
			changepoint.Analysis{Series: []changepoint.SeriesResult{result("melt", c)}}, options())); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
	if !strings.Contains(text(h), says) {
		t.Error(text(h))
	}
	for i := range 20 {
		h.Meta["commit"][i] = ""
	}
	if strings.Contains(text(h), says) {
		t.Error("the commits before the change are not known")
	}
	h = aHistory("melt")
	c.Causes = []changepoint.Cause{{Field: "commit", From: "4c1d7a2e00", To: "9e66dad100", P: .6}}
	if strings.Contains(text(h), says) {
		t.Error("the commit was another, as it often is")
	}
	h.Meta, c.Causes = nil, nil
	if strings.Contains(text(h), says) {
		t.Error("nothing was recorded")
	}
}
