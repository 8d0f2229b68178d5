package change

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/table"
)

// metrics are n series of 60 daily runs that are slower by a sixth from run 30
// on; name says what they have in common.
func metrics(n int, name func(h *History, k int)) []History {
	var hs []History
	for k := range n {
		h := History{Runs: table.Runs{Calendar: true}}
		h.ID = strconv.Itoa(k)
		for i := range 60 {
			level := 60.0
			if i >= 30 {
				level = 70
			}
			h.T = append(h.T, firstDay+float64(i)+.5)
			h.Start = append(h.Start, 86400*(firstDay+float64(i))+3600*float64(k))
			h.Y = append(h.Y, level*(1+.004*math.Sin(float64((i+3)*(i+7*k)))))
		}
		name(&h, k)
		hs = append(hs, h)
	}
	return hs
}

// TestMetricsOfOneRunAreNoMachine checks that a change which all metrics of one application show is attributed
// to the application, and one of unrelated series to the machine.
func TestMetricsOfOneRunAreNoMachine(t *testing.T) {
	for name, c := range map[string]struct {
		name    func(h *History, k int)
		changed int
	}{
		"equal starts": {func(h *History, _ int) {
			for i := range h.Start {
				h.Start[i] = 86400 * (firstDay + float64(i))
			}
		}, 7},
		"one application":     {func(h *History, k int) { h.App, h.Shape = "melt", strconv.Itoa(k) }, 7},
		"one program's name":  {func(h *History, _ int) { h.App = "melt" }, 0},
		"one user":            {func(h *History, k int) { h.App, h.User = strconv.Itoa(k), "alice" }, 7},
		"nothing in common":   {func(*History, int) {}, 0},
		"different programs":  {func(h *History, k int) { h.App = strconv.Itoa(k) }, 0},
		"seven users' shapes": {func(h *History, k int) { h.App, h.User = "melt", strconv.Itoa(k) }, 0},
	} {
		r := Analyse(metrics(7, c.name), changepoint.Sequential, changepoint.Default(), Default())
		changed := 0
		for _, s := range r.Series {
			if s.Status == Changed {
				changed++
			}
			if s.User != "" && strings.Contains(s.User, "\x00") {
				t.Errorf("%s: a made up owner is shown", name)
			}
		}
		if changed != c.changed || (len(r.Machine) == 0) != (c.changed > 0) {
			t.Errorf("%s: %d of 7 changed, want %d; %d shifts of the machine", name, changed, c.changed, len(r.Machine))
		}
	}
}

// TestDaysCountFromWhenItWasSeen checks that a change which is confirmed today is reported today, although it
// began days ago, and only then.
func TestDaysCountFromWhenItWasSeen(t *testing.T) {
	h := aHistory("a") // slower from run 20 on, seen at run 23
	found := changepoint.Analysis{Series: []changepoint.SeriesResult{result("a", step(20, h.T[20], 14.9))}}
	for _, c := range []struct {
		now, days float64
		want      int
	}{{h.T[23] + .5, 1, 1}, {h.T[24] + .5, 1, 0}, {h.T[24] + .5, 2, 1}, {h.T[35], 0, 1}} {
		o := Default()
		o.Now, o.Days = c.now, c.days
		r := New([]History{h}, changepoint.Sequential, found, o)
		if len(r.Series[0].Events) != c.want || len(r.WorseHistories()) != c.want {
			t.Errorf("%g days before day %g: %d events, %d worse, want %d", c.days, c.now, len(r.Series[0].Events),
				len(r.WorseHistories()), c.want)
		}
	}
}

// TestIDsAreAsGiven checks that a number stays a number, also where the machine
// names its series.
func TestIDsAreAsGiven(t *testing.T) {
	a, b := aHistory("5"), aHistory("6")
	a.NumberID = true
	found := changepoint.Analysis{Series: []changepoint.SeriesResult{result("5"), result("6")},
		Machine: []changepoint.MachineEvent{{Series: []string{"5", "6", "elsewhere"}}}}
	var out bytes.Buffer
	if err := JSON(&out, New([]History{a, b}, changepoint.Sequential, found, Default())); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":5,`, `"id":"6",`, `"series":[5,"6","elsewhere"]`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
}
