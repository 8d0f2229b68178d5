package changepoint

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/note"
)

// drawn returns log values of n runs with AR(1) noise and steps added from the
// given runs on.
func drawn(seed uint64, n int, sd, phi float64, steps map[int]float64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	e := r.NormFloat64()
	level := math.Log(100)
	for i := range x {
		level += steps[i]
		x[i] = level + sd*e
		e = phi*e + math.Sqrt(1-phi*phi)*r.NormFloat64()
	}
	return x
}

func indexes(ev []event) []int {
	out := []int{}
	for _, e := range ev {
		out = append(out, e.index)
	}
	return out
}

func codes(ns []note.Note) []note.Code {
	var out []note.Code
	for _, n := range ns {
		out = append(out, n.Code)
	}
	return out
}

// raised returns x with the runs at the given places moved by d.
func raised(x []float64, d float64, at ...int) []float64 {
	x = slices.Clone(x)
	for _, i := range at {
		x[i] += d
	}
	return x
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestScanFindsSteps(t *testing.T) {
	quiet := func(steps map[int]float64) []float64 { return drawn(3, 80, 0.01, 0, steps) }
	for _, c := range []struct {
		name string
		x    []float64
		want []int
	}{
		{"nothing", quiet(nil), []int{}},
		{"slower", quiet(map[int]float64{40: 0.1}), []int{40}},
		{"faster", quiet(map[int]float64{40: -0.1}), []int{40}},
		{"two", quiet(map[int]float64{30: 0.1, 55: -0.2}), []int{30, 55}},
		{"three levels four runs apart", quiet(map[int]float64{40: 0.15, 44: 0.2}), []int{40, 44}},
		{"a level of three runs on the way, far from both", quiet(map[int]float64{40: 0.1, 43: 0.18}), []int{40, 43}},
		{"one slow run", raised(quiet(nil), 0.5, 40), []int{}},
		{"three slow runs are outliers", raised(quiet(nil), 0.3, 40, 41, 42), []int{}},
		{"three fast runs are outliers", raised(quiet(nil), -0.3, 40, 41, 42), []int{}},
		{"two slow runs at the start", raised(quiet(nil), 0.3, 0, 1), []int{}},
		{"scattered outliers", raised(quiet(map[int]float64{40: 0.1}), 0.6, 7, 20, 33, 45, 60, 61), []int{40}},
		{"all equal", make([]float64, 50), []int{}},
		{"equal but for a step", append(make([]float64, 25), raised(make([]float64, 25), 0.1, upTo(25)...)...), []int{25}},
		{"four runs", quiet(nil)[:4], []int{}},
		{"none", nil, []int{}},
	} {
		got := indexes(scan(history{x: c.x}, Default()).events)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: events at %v, want %v", c.name, got, c.want)
		}
	}
}

// Runs of one day are apart if their times are; with times of day resolution a
// change begins with the first run of a day.
func TestScanLocatesChangesAtTheRun(t *testing.T) {
	x := drawn(4, 80, 0.01, 0, map[int]float64{40: 0.1})
	day := make([]int, len(x))
	for i := range day {
		day[i] = i / 3 // runs 39, 40, 41 share a day
	}
	if got := indexes(scan(history{x: x, day: day}, Default()).events); !slices.Equal(got, []int{40}) {
		t.Errorf("events at %v, want 40", got)
	}
	out := scan(history{x: x, moment: day, day: day}, Default())
	if len(out.events) != 1 || out.events[0].index%3 != 0 {
		t.Errorf("day resolution: events at %v, want one on the first run of a day", indexes(out.events))
	}
}

// A recorded field that changed at the right run decides between places that have equal likelihood by the
// values.
func TestScanUsesFlips(t *testing.T) {
	t.Parallel()
	right := func(flips bool) int {
		n := 0
		for seed := range uint64(30) {
			x := drawn(seed, 60, 0.02, 0, map[int]float64{30: 0.03})
			h := history{x: x}
			if flips {
				h.flips = make([]float64, len(x))
				h.flips[30] = 3
			}
			for _, e := range scan(h, Default()).events {
				if e.index == 30 {
					n++
				}
			}
		}
		return n
	}
	without, with := right(false), right(true)
	if with < without+3 {
		t.Errorf("exactly placed: %d of 30 with a recorded field, %d without", with, without)
	}
}

func TestScanNamesExcursionsAndDrifts(t *testing.T) {
	out := scan(history{x: drawn(5, 80, 0.01, 0, map[int]float64{40: 0.15, 45: -0.15})}, Default())
	if len(out.events) != 2 || out.events[0].kind != Excursion || out.events[1].kind != Excursion ||
		*out.events[0].group != *out.events[1].group {
		t.Errorf("an episode of five runs: %+v", out.events)
	}
	ramp := map[int]float64{}
	for i := 30; i < 70; i++ {
		ramp[i] = 0.005
	}
	out = scan(history{x: drawn(6, 110, 0.01, 0, ramp)}, Default())
	if len(out.events) != 1 || out.events[0].kind != Drift || out.events[0].end == nil {
		t.Fatalf("a drift from 30 to 70: %+v", out.events)
	}
	if e := out.events[0]; e.index < 28 || e.index > 50 || *e.end < 50 || *e.end > 80 || math.Abs(e.effect-0.2) > 0.05 {
		t.Errorf("drift of .2 from 30 to 70: from %d to %d by %.3f", e.index, *e.end, e.effect)
	}
}

// cases are histories of every kind, for properties that hold for all.
func cases() [][]float64 {
	out := [][]float64{}
	for seed := range uint64(3) {
		out = append(out,
			drawn(seed, 90, 0.02, 0, map[int]float64{20: 0.06, 50: -0.1, 57: 0.05}),
			drawn(seed, 90, 0.02, 0.6, map[int]float64{40: 0.2}),
			raised(drawn(seed, 70, 0.03, 0, map[int]float64{25: 0.2}), 0.4, 3, 10, 11, 30, 31, 32, 50),
			drawn(seed, 70, 0.02, 0, map[int]float64{20: 0.09, 25: -0.09, 45: 0.08, 49: -0.08}),
			turning(seed, 90, 0.2, 0.2))
	}
	return out
}

// turning takes turns between two levels.
func turning(seed uint64, n int, gap, leave float64) []float64 {
	x := drawn(seed, n, 0.01, 0, nil)
	r := rand.New(rand.NewPCG(seed, 2))
	on := false
	for i := range x {
		if r.Float64() < leave {
			on = !on
		}
		if on {
			x[i] += gap
		}
	}
	return x
}

// Reported events are never withdrawn: the events of every prefix are a prefix of the events of the whole, and
// no event is known before its run.
func TestScanIsAPrefixRule(t *testing.T) {
	t.Parallel()
	p := Default()
	for k, x := range cases() {
		whole := scan(history{x: x}, p).events
		for n := 5 + k; n <= len(x); n += 4 {
			part := scan(history{x: x[:n]}, p).events
			if len(part) > len(whole) {
				t.Fatalf("case %d: %d runs give more events than all", k, n)
			}
			for q, e := range part {
				if w := whole[q]; e.index != w.index || e.detected != w.detected || e.first != w.first || e.last != w.last ||
					e.strength != w.strength {
					t.Fatalf("case %d: event %d at %d runs is %+v, later %+v", k, q, n, e, w)
				}
			}
			if n < len(x) && len(part) < len(whole) && whole[len(part)].detected < n {
				t.Fatalf("case %d: %d runs do not show an event detected at run %d", k, n, whole[len(part)].detected)
			}
		}
	}
}

func TestDependentNoiseIsNotChange(t *testing.T) {
	t.Parallel()
	runs, events, noted := 0, 0, 0
	for seed := range uint64(24) {
		out := scan(history{x: drawn(100+seed, 100, 0.02, 0.5, nil)}, Default())
		runs, events = runs+100, events+len(out.events)
		if slices.Contains(codes(out.notes), note.Autocorrelated) {
			noted++
		}
	}
	// Measured by calibrate: 0.5 events per 1000 runs; the scan without this gives 6.
	if events > 8 || noted < 18 {
		t.Errorf("correlation .5: %d events in %d runs, noted in %d of 24 histories", events, runs, noted)
	}
	runs, events, noted = 0, 0, 0
	for seed := range uint64(24) {
		out := scan(history{x: turning(seed, 100, 0.08, 0.5)}, Default())
		runs, events = runs+100, events+len(out.events)
		if slices.Contains(codes(out.notes), note.TwoLevels) {
			noted++
			if l := out.levels; math.Abs(math.Exp(l[1]-l[0])-1-0.08) > 0.02 {
				t.Errorf("two levels 8 %% apart: %.4g and %.4g", math.Exp(l[0]), math.Exp(l[1]))
			}
		}
	}
	if events > 2 || noted < 20 {
		t.Errorf("two levels: %d events in %d runs, noted in %d of 24 histories", events, runs, noted)
	}
}

func TestLargeStepsAreFoundInCorrelatedNoise(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(24) {
		for _, e := range scan(history{x: drawn(200+seed, 100, 0.02, 0.5, map[int]float64{50: 0.2})}, Default()).events {
			if e.index >= 49 && e.index <= 51 {
				found++
			}
		}
	}
	if found < 22 {
		t.Errorf("steps of ten standard deviations in noise of correlation .5: found %d of 24", found)
	}
}

func TestRegimesTileTheHistory(t *testing.T) {
	t.Parallel()
	for k, x := range cases() {
		next := 0
		for _, g := range scan(history{x: x}, Default()).regimes {
			if g.First != next || g.N != g.Last-g.First+1 || !(g.Median > 0) || math.IsNaN(g.SD) {
				t.Fatalf("case %d: regime %+v after run %d", k, g, next-1)
			}
			next = g.Last + 1
		}
		if next != len(x) {
			t.Fatalf("case %d: regimes end at %d of %d", k, next, len(x))
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte{})
	for _, x := range cases()[:4] {
		var b []byte
		for _, v := range x {
			b = binary.LittleEndian.AppendUint16(b, uint16(1000*(v-4)))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var x []float64
		for ; len(b) >= 2 && len(x) < 150; b = b[2:] {
			x = append(x, float64(int16(binary.LittleEndian.Uint16(b)))/1000)
		}
		out := scan(history{x: x}, Default())
		last := 0
		for _, e := range out.events {
			if e.index <= last || e.index > e.detected || e.detected >= len(x) ||
				e.first > e.index || e.last < e.index || math.IsNaN(e.effect) || !(e.lo <= e.hi) {
				t.Fatalf("event %+v of %d runs, after one at %d", e, len(x), last)
			}
			last = e.index
		}
	})
}

// BenchmarkOnline is a whole history of 100 runs as it arrives, with changes.
func BenchmarkOnline(b *testing.B) {
	x := raised(drawn(7, 100, 0.02, 0, map[int]float64{30: 0.1, 70: -0.06}), 0.4, 12, 45, 46, 80)
	for b.Loop() {
		scan(history{x: x}, Default())
	}
}

// BenchmarkLong shows how the cost of a run grows with the length of a history.
func BenchmarkLong(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(map[int]string{1000: "1000", 10000: "10000", 100000: "100000"}[n], func(b *testing.B) {
			x := drawn(8, n, 0.02, 0, map[int]float64{n / 2: 0.1})
			for b.Loop() {
				scan(history{x: x}, Default())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/run")
		})
	}
}

// A level that is left for a few runs and found again is two changes, although neither end alone is sufficient
// evidence: both are reported at once.
func TestScanFindsEpisodes(t *testing.T) {
	t.Parallel()
	seen := func(p Params) (both, atOnce int) {
		for seed := range uint64(80) {
			ev := scan(history{x: drawn(300+seed, 60, 0.02, 0, map[int]float64{30: 0.07, 34: -0.07})}, p).events
			if len(ev) != 2 || abs(ev[0].index-30) > 2 || abs(ev[1].index-34) > 2 {
				continue
			}
			both++
			if ev[0].detected == ev[1].detected {
				atOnce++
			}
			if near := ev[1].index-ev[0].index <= excursionRuns; near != (ev[0].kind == Excursion) ||
				ev[0].first > ev[0].index || ev[1].last < ev[1].index {
				t.Errorf("seed %d: %+v", seed, ev)
			}
		}
		return both, atOnce
	}
	p := Default()
	with, atOnce := seen(p)
	p.EpisodeRuns = 0
	if without, _ := seen(p); with < without+3 || atOnce < 3 {
		t.Errorf("episodes of four runs by 3.5 standard deviations: %d of 80 found, %d of them at once, %d one end at a time",
			with, atOnce, without)
	}
}

// A change soon after the beginning needs more runs than a later one: the first level may be one of two kinds
// of nodes.
func TestEarlyChangesWait(t *testing.T) {
	seen := func(at int) int {
		x := drawn(9, 60, 0.01, 0, map[int]float64{at: 0.2})
		ev := scan(history{x: x}, Default()).events
		if len(ev) != 1 || ev[0].index != at {
			t.Fatalf("one change at %d: %+v", at, ev)
		}
		return ev[0].detected
	}
	if early, late := seen(6), seen(14); early < 18 || late > 18 {
		t.Errorf("a change at run 6 is seen at run %d, one at run 14 at run %d", early, late)
	}
}
