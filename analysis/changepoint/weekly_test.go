package changepoint

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"jobgait/analysis/changepoint/calendar"
	"jobgait/analysis/changepoint/slownode"
	"jobgait/analysis/note"
)

// weekday is the day of the week, counted from day 0.
func weekday(day int) int { return day % 7 }

// learner returns a function that lets a week learn during the scan.
func learner(w *calendar.Week) func(int, []event) {
	return func(newest int, committed []event) { w.Learn(newest, weekChanges(committed)) }
}

// weekOf draws a run a day with noise of 1 %, weekday first and the next by size
// longer, and a step at run at.
func weekOf(seed uint64, n, first int, size float64, at int, step float64) Series {
	r := rand.New(rand.NewPCG(seed, 51))
	s := Series{ID: "week", Dated: true}
	for i := range n {
		x := .01 * r.NormFloat64()
		if d := weekday(20000 + i); d == first || d == (first+1)%7 {
			x += size
		}
		if i >= at {
			x += step
		}
		s.T, s.Y = append(s.T, 20000.1+float64(i)), append(s.Y, 100*math.Exp(x))
	}
	return s
}

func sequential(s Series) SeriesResult {
	return Analyse([]Series{s}, Sequential, Default()).Series[0]
}

func text(ns []note.Note, code note.Code) string {
	for _, n := range ns {
		if n.Code == code {
			return n.Text
		}
	}
	return ""
}

func TestWeekendIsNoted(t *testing.T) {
	for _, c := range []struct {
		first int
		size  float64
		dated bool
		want  string
	}{
		{2, -.06, true, "the values of runs on Saturdays and Sundays are 5.7 % lower than those of other runs (5.3 to 6.2 " +
			"%): subtracted before the search for changes; no run is left out"},
		{6, .06, true, "the values of runs on Wednesdays and Thursdays are 6.4 % higher than those of other runs (5.9 to " +
			"6.9 %): subtracted before the search for changes; no run is left out"},
		{5, -.06, false, "the values of runs of days 5 and 6 of 7 are 5.6 % lower than those of other runs (5.1 to 6.0 " +
			"%): subtracted before the search for changes; no run is left out"},
		{6, .06, false, "the values of runs of days 6 and 0 of 7 are 6.4 % higher than those of other runs (5.9 to 6.9 " +
			"%): subtracted before the search for changes; no run is left out"},
		{2, 0, true, ""},
	} {
		s := weekOf(1, 80, c.first, c.size, 80, 0)
		s.Dated = c.dated
		if got := text(sequential(s).Notes, note.Weekly); got != c.want {
			t.Errorf("days %d and next by %.2f: %q, want %q", c.first, c.size, got, c.want)
		}
	}
}

// Adjusted values are those of the input minus the known effects, at the same places.
func TestAdjustedValues(t *testing.T) {
	s := weekOf(6, 90, 3, .3, 90, 0)
	s.Y[20] = math.NaN()
	y := sequential(s).Adjusted
	if len(y) != len(s.Y) || !math.IsNaN(y[20]) {
		t.Fatalf("%d values, the missing one is %v", len(y), y[20])
	}
	for k, v := range y {
		if k != 20 && math.Abs(math.Log(v/100)) > .05 { // five standard deviations of a run
			t.Errorf("run %d on day %d of the week: %.1f, adjusted %.1f", k, weekday(20000+k), s.Y[k], v)
		}
	}
}

// A weekend effect may be far larger than the noise. Its size is computed from all weekend runs without
// outliers.
func TestLargeWeekend(t *testing.T) {
	for _, size := range []float64{.05, .1, .3, 1} {
		s := weekOf(6, 90, 3, size, 45, .03)
		for _, k := range []int{4, 11, 18, 40, 61} { // of one weekday
			s.Y[k] *= 3
		}
		r := prepare(&s)
		w := calendar.New(r.x, r.day, nil)
		events := scan(history{x: w.X(), day: r.day, learn: learner(w)}, Default()).events
		for k, out := range w.Removed()[83:] { // the last week
			d := weekday(20000 + 83 + k)
			if on := d == 3 || d == 4; on && math.Abs(out-size) > .012 || !on && out != 0 {
				t.Errorf("a weekend of %v: %v is taken out of day %d", size, out, d)
			}
		}
		if len(events) != 1 || abs(events[0].index-45) > 1 {
			t.Errorf("beside a weekend of %v: changes at %v, want 45", size, indexes(events))
		}
	}
}

// If all seven weekdays differ, all are named; a weekday without a run is not.
func TestMissingWeekdayIsNoted(t *testing.T) {
	s := weekOf(2, 150, 0, 0, 150, 0)
	keep := s // without Thursdays
	keep.T, keep.Y = nil, nil
	for i, by := range []float64{0, .05, -.05, .1, -.02, .03, 0} {
		for k := i; k < 150; k += 7 {
			s.Y[k] *= math.Exp(by)
		}
	}
	for k := range s.Y {
		if k%7 != 6 {
			keep.T, keep.Y = append(keep.T, s.T[k]), append(keep.Y, s.Y[k])
		}
	}
	for _, c := range []struct {
		s    Series
		want string
	}{
		{s, "the values of runs differ by weekday, in % of a middle day: Monday +10.0, Tuesday -2.4, Wednesday +2.8, " +
			"Thursday -0.5, Friday +0.0, Saturday +4.8, Sunday -5.0 (each +-0.5): subtracted before the search for changes; " +
			"no run is left out"},
		{keep, "the values of runs differ by weekday, in % of a middle day: Monday +8.6, Tuesday -3.7, Wednesday +1.4, " +
			"Friday -1.4, Saturday +3.5, Sunday -6.2 (each +-0.5): subtracted before the search for changes; no run is left " +
			"out"},
	} {
		if got := text(sequential(c.s).Notes, note.Weekly); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A change is found beside a weekend that hides it, at its place and size, and
// what regimes are said to take is what was measured.
func TestChangeBesideWeekend(t *testing.T) {
	found := 0
	for seed := range uint64(24) {
		s := weekOf(seed, 80, int(seed%7), .04, 30+int(seed), .025)
		res := sequential(s)
		for _, c := range res.Changes {
			if abs(c.Index-30-int(seed)) <= 2 {
				found++
			}
		}
		for _, g := range res.Regimes {
			if g.N != g.Last-g.First+1 || len(res.Outliers) > 0 {
				continue
			}
			y := slices.Sorted(slices.Values(s.Y[g.First : g.Last+1]))
			if m := (y[(g.N-1)/2] + y[g.N/2]) / 2; math.Abs(m-g.Median) > 1e-9 {
				t.Errorf("seed %d: median %v of runs %d to %d, measured %v", seed, g.Median, g.First, g.Last, m)
			}
		}
	}
	if found < 21 { // 0 with the weekend left in
		t.Errorf("found %d of 24 changes of 2.5 %% beside weekends of 4 %%", found)
	}
}

// A step is not mistaken for a weekday effect, whatever day it is on.
func TestStepIsNotAWeekdayEffect(t *testing.T) {
	said := 0
	for at := 21; at < 56; at++ {
		res := sequential(weekOf(uint64(at), 60, 0, 0, at, .1))
		if text(res.Notes, note.Weekly) != "" {
			said++
		}
		if len(res.Changes) != 1 || res.Changes[0].Index != at {
			t.Errorf("a step at %d: changes %+v", at, res.Changes)
		}
	}
	if said > 2 {
		t.Errorf("a week in %d of 35 histories with a step and without a week", said)
	}
}

// Runs that show no difference between weekdays are left unchanged.
func TestNoWeek(t *testing.T) {
	t.Parallel()
	daily := weekOf(3, 90, 0, 0, 45, .05)
	for name, day := range map[string]func(i int) float64{
		"once a week": func(i int) float64 { return float64(7 * i) },
		"many a day":  func(i int) float64 { return float64(i) / 40 },
		"two weeks":   func(i int) float64 { return float64(i) / 6 },
		"long ago":    func(i int) float64 { return float64(100 * i) },
		"backwards":   func(i int) float64 { return float64(-i) },
	} {
		s := daily
		s.T = make([]float64, len(s.Y))
		for i := range s.T {
			s.T[i] = day(i)
		}
		runs := prepare(&s)
		k := newKnowledge(&runs, nil)
		for i := range s.T {
			k.learn(i, nil)
		}
		if k.week != nil && (name != "long ago" && name != "backwards" && len(k.week.Notes(true)) > 0) {
			t.Errorf("%s: %v", name, k.week.Notes(true))
		}
	}
	said := 0
	for seed := range uint64(100) {
		if text(sequential(weekOf(seed, 60+int(seed)/4, 0, 0, 30, .02)).Notes, note.Weekly) != "" {
			said++
		}
	}
	if said > 3 {
		t.Errorf("a week in %d of 100 histories without one", said)
	}
}

// The changes of the first runs of a history are the first changes of the whole history.
func TestWeeklyPrefix(t *testing.T) {
	t.Parallel()
	p, differ := Default(), 0
	for seed := range uint64(5) {
		s := weekOf(seed, 100, int(seed%7), .02*float64(seed%4), 25+6*int(seed), .03)
		for k := 60 + int(seed); k < 100; k++ {
			s.Y[k] *= .95
		}
		if seed == 4 {
			for k := range s.T {
				s.T[k] = math.Floor(s.T[k]) * 2 / 3
			}
		}
		events := func(n int) []event {
			part := s
			part.T, part.Y = s.T[:n], s.Y[:n]
			r := prepare(&part)
			return r.scanSeries(nil, p).out.events
		}
		whole := events(100)
		r := prepare(&s)
		if plain := scan(history{x: r.x, day: r.day}, p).events; len(plain) != len(whole) {
			differ++
		}
		for n := 5; n < 100; n += 6 {
			samePrefixEvents(t, whole, events(n), n)
		}
	}
	if differ == 0 {
		t.Error("the week made no difference: nothing was tested")
	}
}

// samePrefixEvents checks that n runs show those of all events that were seen by then.
func samePrefixEvents(t *testing.T, whole, part []event, n int) {
	t.Helper()
	seen := 0
	for seen < len(whole) && whole[seen].detected < n {
		seen++
	}
	if len(part) != seen {
		t.Fatalf("%d events of %d runs, %d of all by then", len(part), n, seen)
	}
	for q, e := range part {
		if w := whole[q]; e.index != w.index || e.detected != w.detected || e.first != w.first || e.last != w.last ||
			e.strength != w.strength {
			t.Fatalf("event %d of %d runs is %+v, later %+v", q, n, e, w)
		}
	}
}

// A weekend that ends or begins is neither a change nor a weekend that holds for
// all runs.
func TestWeekendThatEnds(t *testing.T) {
	t.Parallel()
	changes := 0
	for seed := range uint64(10) {
		whole := weekOf(seed, 120, int(seed%7), .04, 120, 0)
		none := weekOf(seed, 120, 0, 0, 120, 0)
		ends, begins := whole, none
		ends.Y = slices.Concat(whole.Y[:60], none.Y[60:])
		begins.Y = slices.Concat(none.Y[:60], whole.Y[60:])
		a, b := sequential(ends), sequential(begins)
		changes += len(a.Changes) + len(b.Changes)
		if text(a.Notes, note.Weekly) != "" || text(b.Notes, note.Weekly) == "" {
			t.Errorf("seed %d: notes %v where it ended, %v where it began", seed, a.Notes, b.Notes)
		}
	}
	if changes > 1 {
		t.Errorf("%d changes in 20 histories without one", changes)
	}
}

// If the times of runs cover months within minutes, as in a replay, no weekday effect is estimated.
func TestReplayHasNoWeek(t *testing.T) {
	s := weekOf(4, 80, 2, .05, 80, 0)
	if text(sequential(s).Notes, note.Weekly) == "" {
		t.Error("a weekend of 5 % was not found")
	}
	for i := range s.T {
		s.Start = append(s.Start, 1.7e9+10*float64(i))
	}
	if got := text(sequential(s).Notes, note.Weekly); got != "" {
		t.Errorf("80 days in 800 s: %q", got)
	}
	for i, d := range s.T {
		s.Start[i] = d * 24 * 60 * 60
	}
	if text(sequential(s).Notes, note.Weekly) == "" {
		t.Error("a weekend of 5 % was not found where starts are known")
	}
}

// The removed part equals the difference between input and adjusted values, whatever the days.
func FuzzWeekly(f *testing.F) {
	s := weekOf(5, 60, 2, .05, 30, .1)
	var b []byte
	for _, y := range s.Y {
		b = append(b, 1, byte(y))
	}
	f.Add(b)
	f.Add([]byte("saturdays and sundays are not the only ones"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var x []float64
		day := []int{}
		for last := 0; len(b) >= 2 && len(x) < 400; b = b[2:] {
			last += int(int8(b[0])) / 8
			x, day = append(x, float64(b[1])/100), append(day, last)
		}
		w := calendar.New(x, day, nil)
		if w == nil {
			return
		}
		scan(history{x: w.X(), day: day, learn: learner(w)}, Default())
		for k, v := range w.X() {
			if !(math.Abs(v+w.Removed()[k]-x[k]) < 1e-9) {
				t.Fatalf("run %d: %v and %v taken out of %v", k, v, w.Removed()[k], x[k])
			}
		}
	})
}

// BenchmarkWeekly analyses a whole history of 100 nightly runs as it arrives, without a weekday pattern and
// with a weekend of 3 sd. The ratios compare with scans that do not search for a weekday pattern, each next to
// its own.
func BenchmarkWeekly(b *testing.B) {
	for name, size := range map[string]float64{"none": 0, "weekend": .03} {
		b.Run(name, func(b *testing.B) {
			s := weekOf(9, 100, 2, size, 50, .1)
			r := prepare(&s)
			var ratios []float64
			for b.Loop() {
				start := userTime()
				scan(history{x: r.x, day: r.day}, Default())
				middle := userTime()
				w := calendar.New(r.x, r.day, nil)
				scan(history{x: w.X(), day: r.day, learn: learner(w)}, Default())
				ratios = append(ratios, (userTime()-middle)/(middle-start))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
			b.ReportMetric(ratios[len(ratios)/4], "ratio-p25")
			b.ReportMetric(ratios[3*len(ratios)/4], "ratio-p75")
			b.ReportMetric(float64(len(ratios)), "n")
		})
	}
}

// BenchmarkWeeklyLong shows how the cost of a run grows with the history.
func BenchmarkWeeklyLong(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := weekOf(8, n, 2, .03, n/2, .1)
			r := prepare(&s)
			for b.Loop() {
				w := calendar.New(r.x, r.day, nil)
				for k := range r.x {
					w.Learn(k, nil)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/run")
		})
	}
}

// userTime is the CPU time of the process in seconds: the clock of a shared
// machine gives ratios of 0.4 to 1.9.
func userTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// Estimates of nodes are corrected no further back than the weekday model reaches.
func TestWeekLooksBackAsFarAsNodes(t *testing.T) {
	if slownode.Runs > calendar.Runs {
		t.Errorf("nodes correct %d runs, the week %d", slownode.Runs, calendar.Runs)
	}
}
