package slownode

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The expected cost of a run is that of the slowest of its slow nodes, over all
// ways in which its suspects may be slow.
func TestExpectedCost(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	for range 200 {
		nodes := 1 + r.IntN(6)
		m := newSuspects(&placement{names: make([]string, nodes), runs: [][]int{r.Perm(nodes)}})
		m.arrive(0)
		for n := range nodes {
			m.setSuspect(n, float64(1+r.IntN(3))/10, r.Float64()) // equal effects too
		}
		other := r.IntN(nodes+1) - 1
		want := 0.0
		for way := range 1 << nodes {
			chance, most := 1.0, 0.0
			for n := range nodes {
				switch {
				case n == other:
					if way&(1<<n) != 0 {
						chance = 0
					}
				case way&(1<<n) != 0:
					chance *= m.chance[n]
					most = math.Max(most, m.effect[n])
				default:
					chance *= 1 - m.chance[n]
				}
			}
			want += chance * most
		}
		if got := m.expectedDelay(0, other); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%d nodes without %d: %v, want %v", nodes, other, got, want)
		}
	}
}

// Suspects are added and removed, and every run keeps those of its nodes.
func TestSuspectsOfRuns(t *testing.T) {
	m := newSuspects(&placement{names: make([]string, 3), runs: [][]int{{0, 1}, {1}, {0, 2}, {1, 2}}})
	m.arrive(0)
	m.arrive(1)
	m.setSuspect(1, .1, .5)
	m.arrive(2)
	m.arrive(3)
	m.setSuspect(2, .2, .9)
	m.setSuspect(1, .1, .001)
	if want := [][]int{nil, nil, {2}, {2}}; !slices.EqualFunc(m.in, want, slices.Equal[[]int]) {
		t.Errorf("suspects of runs %v, want %v", m.in, want)
	}
	if m.effect[1] != 0 || m.chance[1] != 0 {
		t.Errorf("a node cleared keeps %v, %v", m.effect[1], m.chance[1])
	}
}

// A node that was entered and left once cannot be distinguished from changes; with two visits it can.
func TestEnteredAndLeft(t *testing.T) {
	for _, c := range []struct {
		of   []int
		want bool
	}{
		{[]int{5, 6, 7, 8, 9}, false}, // stayed on
		{[]int{0, 1, 2}, false},       // left for good
		{[]int{4, 5, 6}, false},
		{[]int{0, 9}, false},
		{[]int{4, 9}, false}, // it may stay
		{[]int{4, 6}, true},
		{[]int{2, 3, 4, 7, 8}, true},
		{[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, false},
	} {
		m := suspects{of: [][]int{c.of}}
		if got := m.countMoves(0, 0, 10) >= leastMoves; got != c.want {
			t.Errorf("runs %v: %t", c.of, got)
		}
	}
}

// A slow node is suspected after a few runs, with its effect; other nodes are hardly suspected.
func TestSuspectedEarly(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 1))
	const sd, cost = .02, .08
	early, wrong, clean := 0, 0.0, 0
	for range 40 {
		w := newWatch(r, 60, sd, func(nodes []int) float64 {
			if slices.Contains(nodes, 0) {
				return cost
			}
			return 0
		})
		for k := 1; len(w.suspects.of[0]) < 5 && k < 60; k++ {
			w.Learn(k, 0, nil)
		}
		if m := w.suspects; m.chance[0] > .8 && math.Abs(m.effect[0]-cost) < .03 {
			early++
		}
		for n, c := range w.suspects.chance {
			if n > 0 {
				wrong += c
				clean++
			}
		}
	}
	if early < 32 {
		t.Errorf("%d of 40 slow nodes suspected after five runs", early)
	}
	if wrong > .05*float64(clean) {
		t.Errorf("others are slow with a mean chance of %.3f", wrong/float64(clean))
	}
}

// newWatch returns the watch over n runs on three of 24 nodes.
func newWatch(r *rand.Rand, n int, sd float64, cost func(nodes []int) float64) *Watch {
	var x []float64
	var lists [][]string
	for i := range n {
		list := r.Perm(24)[:3]
		if i == 0 {
			list = r.Perm(24) // numbers the nodes
			slices.Sort(list)
		}
		x = append(x, sd*r.NormFloat64()+cost(list))
		var names []string
		for _, v := range list {
			names = append(names, string(rune('a'+v)))
		}
		lists = append(lists, names)
	}
	return New(x, lists)
}

// The lengths of visits are those expected by chance if each run is placed independently, and longer by the
// expected factor if runs stay.
func TestStreaks(t *testing.T) {
	for _, c := range []struct{ stay, lo, hi float64 }{{0, 1, 1}, {.5, 1.3, 2.2}, {.8, 3, 5}} {
		r := rand.New(rand.NewPCG(44, 1))
		const runs = 200
		pl := placement{names: make([]string, 24)}
		for k := range runs {
			if k == 0 || r.Float64() >= c.stay {
				pl.runs = append(pl.runs, r.Perm(24)[:3])
			} else {
				pl.runs = append(pl.runs, pl.runs[k-1])
			}
		}
		m := newSuspects(&pl)
		for k := range runs {
			m.arrive(k)
		}
		q := estimation{suspects: m, parts: []stretch{{first: 0, last: runs}}}
		if got := q.meanStreak(); got < c.lo || got > c.hi {
			t.Errorf("stays with %.1f: visits %.2f times as long", c.stay, got)
		}
	}
	none := estimation{suspects: newSuspects(&placement{names: make([]string, 2)}), parts: []stretch{{last: 5}}}
	if got := none.meanStreak(); got != 1 {
		t.Errorf("no visits are %v times as long", got)
	}
}

// The adjusted value of a run does not depend on later runs. A slow node is named in the end, with the
// additional time of its runs.
func TestWatch(t *testing.T) {
	cost := func(nodes []int) float64 {
		if slices.Contains(nodes, 3) {
			return .1
		}
		return 0
	}
	draw := func(n int) *Watch { return newWatch(rand.New(rand.NewPCG(46, 1)), n, .02, cost) }
	whole := draw(80)
	for k := 1; k < 80; k++ {
		whole.Learn(k, 0, nil)
		if k%13 != 0 {
			continue
		}
		part := draw(k + 1)
		for q := 1; q <= k; q++ {
			part.Learn(q, 0, nil)
		}
		if !slices.Equal(part.X(), whole.X()[:k+1]) {
			t.Fatalf("%d runs: %v, of more %v", k+1, part.X(), whole.X()[:k+1])
		}
	}
	slow := whole.SlowNodes(nil)
	if len(slow) != 1 || slow[0].Node != "d" || math.Abs(slow[0].EffectPct-10.5) > 3 || slow[0].P > mostOrders {
		t.Errorf("slow nodes %+v", slow)
	}
	if New([]float64{1, 2}, nil) != nil || New([]float64{1, 2}, [][]string{{"a"}, {"a"}}) != nil {
		t.Error("a watch over no nodes, or one")
	}
}

// A shift that is detected only while a slow node is included is attributed to node placement, and so is a
// committed change that disappears without the node.
func TestNotes(t *testing.T) {
	w := newWatch(rand.New(rand.NewPCG(47, 1)), 80, .02, func(nodes []int) float64 {
		if slices.Contains(nodes, 3) {
			return .1
		}
		return 0
	})
	for k := 1; k < 80; k++ {
		w.Learn(k, 0, nil)
	}
	since := func(run int) string { return fmt.Sprint("since run ", run) }
	if notes := w.Notes([]NodeChange{{40, true}}, nil, since); notes != nil {
		t.Errorf("before any node is named: %v", notes)
	}
	w.SlowNodes(nil)
	found := [][]NodeChange{{{20, true}, {60, false}}, {{60, false}}} // as measured, and without
	notes := w.Notes([]NodeChange{{40, true}, {61, false}}, func([]float64) []NodeChange {
		now := found[0]
		found = found[1:]
		return now
	}, since)
	if len(notes) != 2 || notes[0].Text != "a slower level since run 20 is explained by node d and not reported as a "+
		"change: node placement, not the code" ||
		!strings.HasPrefix(notes[1].Text,
			"a slower level since run 40 is no longer a change, because node d turned out to be slow") {
		t.Errorf("notes %+v", notes)
	}
}
