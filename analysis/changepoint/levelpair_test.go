package changepoint

import (
	"strings"
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
func claimed(t *testing.T, x []float64, k int) (*scanner, claim) {
	t.Helper()
	sc := &scanner{history: history{x: x}, p: Default()}
	b := memory(nil, nil)
	c, ok := sc.assess(0, len(x), k, b)
	if !ok {
		t.Fatal("the split has too few runs")
	}
	return sc, sc.one(0, len(x), c)
}

// One change is no turns, however weak, and neither are three levels.
func TestChangesAreNoTurns(t *testing.T) {
	for _, gap := range []float64{0.06, 0.1, 0.4} {
		for seed := range uint64(20) {
			x := drawn(seed, 60, 0.02, 0, map[int]float64{30: gap})
			sc, c := claimed(t, x, 30)
			if e := sc.alternating(&c); e < 0 {
				t.Errorf("seed %d: a change of %.2f loses to turns by %.1f nats", seed, gap, -e)
			}
		}
	}
	for seed := range uint64(20) {
		x := drawn(seed, 60, 0.02, 0, map[int]float64{25: 0.3, 45: 0.2})
		sc, c := claimed(t, x, 25)
		if e := sc.alternating(&c); e < 0 {
			t.Errorf("seed %d: the first of three levels loses to turns by %.1f nats", seed, -e)
		}
	}
}

// Episodes in the first runs wait for more of them than later ones.
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

// More is asked of a change to a level that was there before.
func TestReturnsAreAskedMore(t *testing.T) {
	sc := &scanner{p: Default(), past: []past{{0, 20, 1, 0.01}, {20, 40, 1.2, 0.01}}}
	for mu, want := range map[float64]float64{1.004: turnsAgain, 1.195: turnsAgain, 1.05: turnsFirst} {
		c := claim{split: split{s: 0.01, right: level{mu: mu}}, boundaries: 1, around: [2]float64{20, 0}}
		if got := sc.askedOfTurns(0, &c); got != want {
			t.Errorf("a change to %.3f after levels of 1 and 1.2 is asked %.1f, want %.1f", mu, got, want)
		}
		if got := sc.askedOfTurns(20, &c); got != turnsLate {
			t.Errorf("against turns since run 20 a change to %.3f is asked %.1f", mu, got)
		}
	}
}
