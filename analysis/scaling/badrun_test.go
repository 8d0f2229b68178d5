package scaling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/note"
)

// runsOf measures a law at sizes, each several times, with noise of 1 %.
func runsOf(sizes []float64, repetitions int, law func(p float64) float64) Series {
	r := rand.New(rand.NewPCG(5, uint64(len(sizes)*10+repetitions)))
	s := Series{Parameter: "p", Metric: "time"}
	for _, p := range sizes {
		for range repetitions {
			s.Observations = append(s.Observations, Observation{P: p, Value: law(p) * (1 + 0.01*r.NormFloat64())})
		}
	}
	return s
}

// Bad runs are left out by name and the law stays.
func TestBadRunsAreLeftOut(t *testing.T) {
	linear := func(p float64) float64 { return 10 + 3*p }
	for _, c := range []struct {
		name  string
		s     Series
		wrong map[int]float64 // factor by place
		text  []string
	}{
		{"short repetition", runsOf(doublings(6), 3, linear), map[int]float64{7: 0.5},
			[]string{"run 8 at p = 8 has 0.5", "times the value of its repetitions"}},
		{"long repetition", runsOf(doublings(6), 3, linear), map[int]float64{2: 5}, []string{"run 3 at p = 2"}},
		{"zero repetition", runsOf(doublings(6), 3, linear), map[int]float64{17: 0},
			[]string{"run 18 at p = 64 has the value 0"}},
		{"two at one size of five", runsOf(doublings(6), 5, linear), map[int]float64{5: 0.2, 6: 0.4},
			[]string{"run 6", "run 7"}},
		{"the slower of a pair", runsOf(upTo(9), 2, linear), map[int]float64{4: 1.5}, []string{"run 5 at p = 3"}},
		{"the faster of a pair", runsOf(upTo(9), 2, linear), map[int]float64{4: 0.5}, []string{"run 5 at p = 3"}},
		{"zero of a pair", runsOf(upTo(9), 2, linear), map[int]float64{4: 0}, []string{"run 5 at p = 3 has the value 0"}},
		{"short single", runsOf(upTo(18), 1, linear), map[int]float64{6: 0.5},
			[]string{"run 7 at p = 7", "the law of the other sizes"}},
		{"two short singles", runsOf(upTo(18), 1, linear), map[int]float64{3: 0.3, 11: 0.7}, []string{"run 4", "run 12"}},
		{"long single", runsOf(upTo(18), 1, linear), map[int]float64{9: 3}, []string{"run 10"}},
		{"first single", runsOf(upTo(18), 1, linear), map[int]float64{0: 0.4}, []string{"run 1 "}},
		{"last single", runsOf(upTo(18), 1, linear), map[int]float64{17: 0.4}, []string{"run 18 "}},
		{"zero single", runsOf(upTo(18), 1, linear), map[int]float64{6: 0}, []string{"run 7 at p = 7 has the value 0"}},
	} {
		for k, f := range c.wrong {
			c.s.Observations[k].Value *= f
		}
		r := Analyse([]Series{c.s}, Likelihood)[0]
		sound(t, r)
		m := r.Whole
		linear := len(m.Terms) == 1 && m.Terms[0].I == 1 && m.Terms[0].J == 0
		if r.Segmented || !linear || math.Abs(m.At(100)/310-1) > 0.03 {
			t.Errorf("%s: segmented %v, law %s, want 10 + 3p", c.name, r.Segmented, m.Formula)
		}
		said := fmt.Sprint(r.Notes)
		for _, text := range c.text {
			if !strings.Contains(said, text) {
				t.Errorf("%s: no %q in %s", c.name, text, said)
			}
		}
		if n := strings.Count(said, "left out"); n != len(c.wrong) {
			t.Errorf("%s: %d runs left out, want %d: %s", c.name, n, len(c.wrong), said)
		}
	}
}

// Measured structure, or points that form a separate law, are not bad runs.
func TestStructureIsNotABadRun(t *testing.T) {
	linear := func(p float64) float64 { return 10 + 3*p }
	from := func(at, f float64) func(float64) float64 {
		return func(p float64) float64 {
			if p >= at {
				return f * linear(p)
			}
			return linear(p)
		}
	}
	only := func(at, f float64) func(float64) float64 {
		return func(p float64) float64 {
			if p == at {
				return f * linear(p)
			}
			return linear(p)
		}
	}
	alternating := runsOf(doublings(6), 3, linear)
	for k := range alternating.Observations {
		if k%3 == 1 {
			alternating.Observations[k].Value *= 0.7
		}
	}
	for _, c := range []struct {
		name string
		s    Series
	}{
		{"a size measured three times", runsOf(doublings(6), 3, only(8, 0.5))},
		{"a size measured twice", runsOf(upTo(9), 2, only(4, 0.5))},
		{"three of nine at another level", runsOf(upTo(9), 1, from(7, 0.5))},
		{"two of eight at another level", runsOf(upTo(8), 1, from(7, 3))},
		{"two of eighteen at another level", runsOf(upTo(18), 1, from(17, 0.5))},
		{"two of ten at another level at the start", runsOf(upTo(10), 1, func(p float64) float64 {
			if p <= 2 {
				return 170 * p * p
			}
			return 30 + p
		})},
		{"the last of six", runsOf(upTo(6), 1, from(6, 0.5))},
		{"half at another level", runsOf(upTo(18), 1, from(10, 2))},
		{"two modes at every size", alternating},
		{"zero at p = 1", runsOf(upTo(18), 1, math.Log2)},
	} {
		r := Analyse([]Series{c.s}, Likelihood)[0]
		sound(t, r)
		if said := fmt.Sprint(r.Notes); strings.Contains(said, "left out") {
			t.Errorf("%s: %s", c.name, said)
		}
	}
}

// The last of eighteen sizes that were run once keeps the law if its run ended a little early. Of three repetitions
// that agree, the last size is a change.
func TestLastRunOfManyEndedEarly(t *testing.T) {
	for _, c := range []struct {
		repetitions int
		segmented   bool
	}{{1, false}, {3, true}} {
		s := runsOf(upTo(18), c.repetitions, func(p float64) float64 {
			if p == 18 {
				return .8 * (10 + 3*p)
			}
			return 10 + 3*p
		})
		r := Analyse([]Series{s}, Likelihood)[0]
		sound(t, r)
		if r.Segmented != c.segmented {
			t.Errorf("%d runs of each size: segmented %v at %v, want %v", c.repetitions, r.Segmented, r.Cuts, c.segmented)
		}
	}
}

// For any runs, only few single runs or minorities of repetitions are left out, and the search does not fail.
func TestBadRunsProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	d := newDetector()
	for range 300 {
		n := 1 + r.IntN(20)
		var s Series
		for k := range n {
			for range 1 + r.IntN(4) {
				v := math.Exp(r.NormFloat64() * float64(r.IntN(4)))
				if r.IntN(20) == 0 {
					v = 0
				}
				s.Observations = append(s.Observations, Observation{P: float64(k + 1), Value: v})
			}
		}
		points, _ := order(s)
		cleaned, places, bad := withoutBadRuns(points, d)
		left := 0
		for k, pt := range cleaned {
			if 2*len(pt.values) < len(points[k].values) {
				t.Errorf("%d of %d runs are left at %g", len(pt.values), len(points[k].values), pt.p)
			}
			if slices.Contains(places, k) {
				left += len(pt.values)
			} else if len(points[k].values) != 1 {
				t.Errorf("a size with %d runs was removed", len(points[k].values))
			}
		}
		if left+len(bad) != len(s.Observations) {
			t.Errorf("%d runs left and %d bad of %d", left, len(bad), len(s.Observations))
		}
	}
}

// Notes name a few bad runs and count the others.
func TestManyBadRuns(t *testing.T) {
	s := runsOf(upTo(18), 3, func(p float64) float64 { return 10 + 3*p })
	for k := 1; k < 40; k += 6 {
		s.Observations[k].Value *= 4
	}
	r := Analyse([]Series{s}, Likelihood)[0]
	named := slices.DeleteFunc(r.Notes, func(n note.Note) bool { return n.Code != note.LoneExtreme })
	if len(named) != mostNamed+1 {
		t.Errorf("%d notes: %v", len(named), named)
	}
}

// BenchmarkBadRuns measures the search on ten-point series, half of which change.
func BenchmarkBadRuns(b *testing.B) {
	grids := mixed(2048, func(i int) bool { return i%2 == 0 })
	series := make([][]point, len(grids))
	for i, g := range grids {
		for k := range g.p {
			series[i] = append(series[i], point{p: g.p[k], values: g.y[k : k+1], groups: []string{""}, runs: []int{k + 1}})
		}
	}
	d := newDetector()
	for b.Loop() {
		for _, points := range series {
			withoutBadRuns(points, d)
		}
	}
	b.ReportMetric(float64(b.N*len(series))/b.Elapsed().Seconds(), "series/s")
}

// Efficiency and means are those of the runs that are used.
func TestBadRunsCountNowhere(t *testing.T) {
	halved := func(p float64) float64 { return 640 / p }
	s := runsOf(doublings(6), 3, halved)
	s.Mode = Strong
	s.Observations[4].Value *= 0.1
	for _, e := range Analyse([]Series{s}, Likelihood)[0].Efficiency {
		if math.Abs(e.Value-1) > 0.05 {
			t.Errorf("efficiency %g at %g, want 1", e.Value, e.P)
		}
	}
	if y := Means(s.Observations)[1]; math.Abs(y/160-1) > 0.02 {
		t.Errorf("mean %g at 4, want 160", y)
	}
	s = runsOf(upTo(18), 1, halved)
	s.Mode = Strong
	s.Observations[7].Value *= 0.3
	if e := Analyse([]Series{s}, Likelihood)[0].Efficiency; len(e) != 17 || e[7].P != 9 {
		t.Errorf("efficiencies %v, want none at 8", e)
	}
}
