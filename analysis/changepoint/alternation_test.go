package changepoint

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"jobgait/analysis/changepoint/scatter"
)

// pattern draws runs at two levels in the order of the letters: A, and B above it by gap.
func pattern(seed uint64, letters string, sd, gap float64) []float64 {
	x := drawn(seed, len(letters), sd, 0, nil)
	for i, c := range letters {
		if c == 'B' {
			x[i] += gap
		}
	}
	return x
}

// claimed returns the claim of a change at run k of x, and the scanner that makes it.
func claimed(t *testing.T, x []float64, k int) (*scanner, claim) {
	t.Helper()
	sc := &scanner{history: history{x: x}, p: Default()}
	b := priorNoise(nil, nil)
	c, ok := sc.fitExactSplit(0, len(x), k, b)
	if !ok {
		t.Fatal("the split has too few runs")
	}
	return sc, sc.changeClaim(0, len(x), c)
}

// One change, however weak, is not an alternation, and neither are three levels.
func TestChangesAreNoTurns(t *testing.T) {
	for _, gap := range []float64{0.06, 0.1, 0.4} {
		for seed := range uint64(20) {
			x := drawn(seed, 60, 0.02, 0, map[int]float64{30: gap})
			sc, c := claimed(t, x, 30)
			if e := sc.marginOverTurns(&c, math.Inf(-1)); e < 0 {
				t.Errorf("seed %d: a change of %.2f loses to turns by %.1f nats", seed, gap, -e)
			}
		}
	}
	for seed := range uint64(20) {
		x := drawn(seed, 60, 0.02, 0, map[int]float64{25: 0.3, 45: 0.2})
		sc, c := claimed(t, x, 25)
		if e := sc.marginOverTurns(&c, math.Inf(-1)); e < 0 {
			t.Errorf("seed %d: the first of three levels loses to turns by %.1f nats", seed, -e)
		}
	}
}

// Episodes in the first runs need more of them than later ones.
func TestEarlyEpisodesWait(t *testing.T) {
	waited := func(at int) int {
		const long = 6
		letters := strings.Repeat("A", at) + strings.Repeat("B", long) + strings.Repeat("A", 45)
		ev := scan(history{x: pattern(1, letters, 0.01, 0.2)}, Default()).events
		if len(ev) != 2 || ev[0].index != at || ev[1].index != at+long {
			t.Fatalf("an episode at run %d: %d events", at, len(ev))
		}
		return ev[0].detected - at - long
	}
	if early, late := waited(9), waited(returnRuns+9); early < late+5 {
		t.Errorf("seen %d runs after an early episode, %d after a late one", early, late)
	}
}

// A change to a level that existed before needs more evidence.
func TestReturnsNeedMoreEvidence(t *testing.T) {
	sc := &scanner{p: Default(), past: []pastRegime{{0, 20, 1, 0.01}, {20, 40, 1.2, 0.01}}}
	for mu, want := range map[float64]float64{1.004: turnsAgain, 1.195: turnsAgain, 1.05: turnsFirst, 1.6: turnsShort} {
		c := claim{split: split{s: 0.01, left: level{mu: 1.2}, right: level{mu: mu}}, boundaries: 1,
			around: [2]float64{20, 0}}
		if got := sc.requiredOverTurns(0, &c); got != want {
			t.Errorf("a change to %.3f after levels of 1 and 1.2 is asked %.1f, want %.1f", mu, got, want)
		}
		if got := sc.requiredOverTurns(20, &c); got != turnsLate {
			t.Errorf("against turns since run 20 a change to %.3f is asked %.1f", mu, got)
		}
	}
}

// The loss of a chain is summed over all paths through its states. It is finite even if every run is an outlier
// of both states.
func TestChain(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		n := 1 + r.IntN(9)
		like := make([]float64, 2*n)
		for i := range like {
			like[i] = math.Exp(-10 * r.Float64())
		}
		u, at := .05+.9*r.Float64(), r.IntN(len(leaveChances))
		var chances [len(leaveChances)]float64
		for k := range chances {
			chances[k] = .05 + .9*r.Float64()
		}
		v, sum := chances[at], 0.0
		for way := range 1 << n {
			p := v / (u + v)
			if way&1 == 1 {
				p = 1 - p
			}
			for k := range n {
				state := way >> k & 1
				p *= like[2*k+state]
				if k+1 < n {
					leave := []float64{u, v}[state]
					if way>>(k+1)&1 == state {
						leave = 1 - leave
					}
					p *= leave
				}
			}
			sum += p
		}
		if got := chainLosses(like, u, &chances)[at]; math.Abs(got+math.Log(sum)) > 1e-12*math.Abs(got)+1e-12 {
			t.Fatalf("%d runs, u %g, v %g: %.17g, all ways %.17g", n, u, v, got, -math.Log(sum))
		}
	}
	l := usualLoss(scatter.LeastNoise)
	far := make([]float64, 2*5000)
	for i := range far {
		far[i] = l.Likelihood(-1)
	}
	if got, want := chainLosses(far, .1, &leaveChances)[4], 5000*l.Cost(-1); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("outliers of both: %g, want %g", got, want)
	}
}

func TestLikelihood(t *testing.T) {
	l := usualLoss(.02)
	for _, z := range []float64{-40, -8.1, -7.9, -3, -.1, 0, .1, 1, 7.9, 8.1, 40} {
		r := z * l.Scale
		if got, want := l.Likelihood(r), math.Exp(-l.Cost(r)); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%g noises off: %g, want %g", z, got, want)
		}
	}
}

// BenchmarkTurning is the most expensive online history: two levels, each kept with a probability of .8, which
// are seldom distinguished.
func BenchmarkTurning(b *testing.B) {
	const histories = 10
	for b.Loop() {
		for seed := range uint64(histories) {
			scan(history{x: turning(seed, 100, 0.2, 0.2)}, Default())
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/histories/float64(b.N), "ms/100runs")
}
