package changepoint

import (
	"math"
	"math/rand/v2"
	"testing"
)

// pattern draws runs at two levels as letters say: A, and B above it by gap.
func pattern(seed uint64, letters string, sd, gap float64) []float64 {
	x := drawn(seed, len(letters), sd, 0, nil)
	for i, c := range letters {
		if c == 'B' {
			x[i] += gap
		}
	}
	return x
}

// claimed is the claim of a change at run k of x, with the scanner that makes it.
func claimed(t *testing.T, x []float64, k int) (*scanner, claim, belief) {
	t.Helper()
	sc := &scanner{history: history{x: x}, p: Default()}
	b := memory(nil, nil, sc.p)
	c, ok := sc.assess(0, len(x), k, b)
	if !ok {
		t.Fatal("the split has too few runs")
	}
	return sc, sc.one(0, len(x), c), b
}

// Where a history turned before, the levels of a split are mixtures, and turns
// at those levels explain less than turns at their own.
func TestTurnsAtTheirOwnLevels(t *testing.T) {
	const letters = "AABBABBBAABBBBBBBBBBABBBBBBBBBAAAAAABAAAAAAAAAAAAABAAAA"
	mixed, own := 0, 0
	for seed := range uint64(40) {
		sc, c, b := claimed(t, pattern(seed, letters, 0.05, 0.182), 30)
		if sc.alternating(&c) >= 0 {
			mixed++
			if sc.turning(&c, b) >= 0 {
				own++
			}
		}
	}
	// Turns at the levels of the split let 23 pass, at their own 1.
	if mixed < 15 || own > mixed/5 {
		t.Errorf("of 40 histories that turn ten times %d pass at the levels of the split, %d at those of turns", mixed, own)
	}
}

// One change is no turns, however weak, and neither are three levels.
func TestChangesAreNoTurns(t *testing.T) {
	for _, gap := range []float64{0.06, 0.1, 0.4} {
		for seed := range uint64(20) {
			x := drawn(seed, 60, 0.02, 0, map[int]float64{30: gap})
			sc, c, b := claimed(t, x, 30)
			if e := sc.turning(&c, b); e < 0 {
				t.Errorf("seed %d: a change of %.2f loses to turns by %.1f nats", seed, gap, -e)
			}
		}
	}
	for seed := range uint64(20) {
		x := drawn(seed, 60, 0.02, 0, map[int]float64{25: 0.3, 45: 0.2})
		sc, c, b := claimed(t, x, 25)
		if e := sc.turning(&c, b); e < 0 {
			t.Errorf("seed %d: the first of three levels loses to turns by %.1f nats", seed, -e)
		}
	}
}

// Fitted turns are the ones that were drawn, from a start that is far off.
func TestFitTurns(t *testing.T) {
	for seed := range uint64(20) {
		x := turning(seed, 300, 0.1, 0.3)
		sc := &scanner{p: Default()}
		low, high := math.Log(100), math.Log(100)+0.1
		f, least := sc.fitTurns(x, turns{low + 0.02, low + 0.08, 0.03, 0.2, 0.2}, memory(nil, nil, sc.p))
		if math.Abs(f.a-low) > 0.004 || math.Abs(f.b-high) > 0.004 || math.Abs(f.s-0.01) > 0.002 {
			t.Errorf("seed %d: levels %.4f and %.4f with noise %.4f, want 0, 0.1 and 0.01", seed, f.a-low, f.b-low, f.s)
		}
		if math.Abs(f.leaveA-0.3) > 0.12 || math.Abs(f.leaveB-0.3) > 0.12 {
			t.Errorf("seed %d: left with %.2f and %.2f, want 0.3", seed, f.leaveA, f.leaveB)
		}
		if again := sc.forward(x, f, memory(nil, nil, sc.p)); math.Abs(again-least) > 1e-9 {
			t.Errorf("seed %d: surprise %.6f, said %.6f", seed, again, least)
		}
	}
}

// No round of the fit may be worse than its start, whatever the runs.
func FuzzFitTurns(f *testing.F) {
	f.Add(uint64(1), 20, 0.1, 0.02)
	f.Add(uint64(2), 5, 0.0, 0.0001)
	f.Add(uint64(3), 100, 3.0, 1.0)
	f.Fuzz(func(t *testing.T, seed uint64, n int, gap, s float64) {
		if n < 1 || n > 200 || !(math.Abs(gap) < 10) || !(s >= leastNoise && s < 10) {
			t.Skip()
		}
		r := rand.New(rand.NewPCG(seed, 3))
		x := make([]float64, n)
		for i := range x {
			x[i] = s*r.NormFloat64() + gap*float64(r.IntN(2))
		}
		sc := &scanner{p: Default()}
		b := memory(nil, nil, sc.p)
		start := turns{0, gap, s, 0.2, 0.2}
		first := sc.forward(x, start, b)
		best, least := sc.fitTurns(x, start, b)
		if math.IsNaN(least) || least > first || !(best.s >= leastNoise) || !(best.leaveA >= leaving[0]) {
			t.Errorf("from %.3f to %.3f: %+v", first, least, best)
		}
	})
}

// Episodes in the first runs wait for more of them.
func TestEarlyEpisodesWait(t *testing.T) {
	letters := ""
	for i := range 60 {
		if i >= 9 && i < 15 {
			letters += "B"
		} else {
			letters += "A"
		}
	}
	x := pattern(1, letters, 0.01, 0.2)
	ev := scan(history{x: x}, Default()).events
	p := Default()
	p.ReturnRuns = 0
	soon := scan(history{x: x}, p).events
	if len(ev) != 2 || len(soon) != 2 || ev[0].index != 9 || ev[1].index != 15 {
		t.Fatalf("%d and %d events", len(ev), len(soon))
	}
	if ev[0].detected < soon[0].detected+5 {
		t.Errorf("seen at run %d, and at %d without waiting", ev[0].detected, soon[0].detected)
	}
}

// More is asked of a change to a level that was there before.
func TestReturnsAreAskedMore(t *testing.T) {
	sc := &scanner{p: Default(), past: []past{{0, 20, 1, 0.01}, {20, 40, 1.2, 0.01}}}
	for mu, want := range map[float64]float64{1.004: sc.p.TurnsAgain, 1.195: sc.p.TurnsAgain, 1.05: sc.p.Turns} {
		c := claim{split: split{s: 0.01, right: level{mu: mu}}, boundaries: 1, around: [2]float64{20, 0}}
		if got := sc.askedOfTurns(0, &c); got != want {
			t.Errorf("a change to %.3f after levels of 1 and 1.2 is asked %.1f, want %.1f", mu, got, want)
		}
		if got := sc.askedOfTurns(20, &c); got != sc.p.TurnsLate {
			t.Errorf("against turns since run 20 a change to %.3f is asked %.1f", mu, got)
		}
	}
}
