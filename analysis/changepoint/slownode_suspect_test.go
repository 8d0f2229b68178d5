package changepoint

import (
	"math"
	"math/rand/v2"
	"slices"
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
			m.suspect(n, float64(1+r.IntN(3))/10, r.Float64()) // equal effects too
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
		if got := m.extra(0, other); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%d nodes without %d: %v, want %v", nodes, other, got, want)
		}
	}
}

// Suspects come and go, and every run knows those that it was with.
func TestSuspectsOfRuns(t *testing.T) {
	m := newSuspects(&placement{names: make([]string, 3), runs: [][]int{{0, 1}, {1}, {0, 2}, {1, 2}}})
	m.arrive(0)
	m.arrive(1)
	m.suspect(1, .1, .5)
	m.arrive(2)
	m.arrive(3)
	m.suspect(2, .2, .9)
	m.suspect(1, .1, .001)
	if want := [][]int{nil, nil, {2}, {2}}; !slices.EqualFunc(m.in, want, slices.Equal[[]int]) {
		t.Errorf("suspects of runs %v, want %v", m.in, want)
	}
	if m.effect[1] != 0 || m.chance[1] != 0 {
		t.Errorf("a node cleared keeps %v, %v", m.effect[1], m.chance[1])
	}
}

// A node that was entered and left once cannot be told from changes: twice it can.
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
		m := suspects{p: defaultSuspects(), of: [][]int{c.of}}
		if got := m.moved(0, 0, 10); got != c.want {
			t.Errorf("runs %v: %t", c.of, got)
		}
	}
}

// A node is suspected after a few runs, with its effect, and nodes that are not
// slow are hardly.
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
		for k := 1; len(w.belief.of[0]) < 5 && k < 60; k++ {
			w.learn(k, nil)
		}
		if m := w.belief; m.chance[0] > .8 && math.Abs(m.effect[0]-cost) < .03 {
			early++
		}
		for n, c := range w.belief.chance {
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

// A history that moves to a node and stays there has changed as far as anybody
// can tell: the node does not explain it away.
func TestStayedIsNotSuspected(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 1))
	s := Series{ID: "stayed"}
	for i := range 60 {
		node, x := "a", .015*r.NormFloat64()
		if i >= 30 {
			node, x = "b", x+.1
		}
		s.T, s.Y, s.Nodes = append(s.T, float64(i)), append(s.Y, 100*math.Exp(x)), append(s.Nodes, []string{node})
	}
	res := Analyse([]Series{s}, Sequential, Default()).Series[0]
	if len(res.Changes) != 1 || abs(res.Changes[0].Index-30) > 1 || math.Abs(res.Changes[0].EffectPct-10.5) > 3 || len(res.SlowNodes) != 0 {
		t.Errorf("changes %+v, slow nodes %+v", res.Changes, res.SlowNodes)
	}
}

// newWatch is the watch over n runs on three of 24 nodes.
func newWatch(r *rand.Rand, n int, sd float64, cost func(nodes []int) float64) *nodeWatch {
	s := Series{}
	for i := range n {
		list := r.Perm(24)[:3]
		if i == 0 {
			list = r.Perm(24) // numbers the nodes
			slices.Sort(list)
		}
		s.T = append(s.T, float64(i))
		s.Y = append(s.Y, 100*math.Exp(sd*r.NormFloat64()+cost(list)))
		var names []string
		for _, v := range list {
			names = append(names, string(rune('a'+v)))
		}
		s.Nodes = append(s.Nodes, names)
	}
	ready := prepare(&s)
	return newNodeWatch(&ready, ready.x)
}

// Visits are as long as chance makes them where each run is placed anew, and as
// many times longer as runs stay.
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
		q := inquiry{suspects: m, parts: []stretch{{first: 0, last: runs}}}
		if got := q.streaks(); got < c.lo || got > c.hi {
			t.Errorf("stays with %.1f: visits %.2f times as long", c.stay, got)
		}
	}
	none := inquiry{suspects: newSuspects(&placement{names: make([]string, 2)}), parts: []stretch{{last: 5}}}
	if got := none.streaks(); got != 1 {
		t.Errorf("no visits are %v times as long", got)
	}
}
