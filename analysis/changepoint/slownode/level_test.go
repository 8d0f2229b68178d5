package slownode

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/changepoint/scatter"
)

func TestLevelNodes(t *testing.T) {
	var x []float64
	var nodes [][]string
	for i := range 40 {
		node, v := "fast1", 0.0
		switch {
		case i%5 == 0:
			node, v = "slow", .2
		case i%7 == 0:
			node = "fast2"
		}
		if i == 11 {
			node = "once" // too few to tell
		}
		x = append(x, v)
		nodes = append(nodes, []string{node, "all"})
	}
	w := New(x, nodes)
	slow, fast := w.pl.levelNodes(x, .1)
	if !slices.Equal(slow, []string{"slow"}) || !slices.Equal(fast, []string{"fast1", "fast2"}) {
		t.Errorf("slow %v, fast %v", slow, fast)
	}
	if got, want := w.OfLevels(x, 0, .2), "; the slower with slow, the faster with fast1, fast2"; got != want {
		t.Errorf("%q", got)
	}
	if got := w.OfLevels(x, 1, 2); got != "" { // noNode is above
		t.Errorf("%q", got)
	}
	if got := joinNames(strings.Split("a b c d e f g h", " ")); got != "a, b, c, d, e, f and 2 more" {
		t.Errorf("%q", got)
	}
}

// A step that is not yet committed is not attributed to a slow node; runs that alternate between nodes are not a
// step.
func TestPending(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	raw := make([]float64, 30)
	for i := range raw {
		if raw[i] = .01 * r.NormFloat64(); i >= 20 {
			raw[i] += .2
		}
	}
	if k := scatter.RunsBeforeStep(nil, raw); k < 19 || k > 21 {
		t.Errorf("a step at 20 is seen at %d", k)
	}
	if k := scatter.RunsBeforeStep(nil, raw[:20]); k != 0 {
		t.Errorf("no step is seen at %d", k)
	}
	nodes := make([][]string, 30)
	for i := range nodes {
		nodes[i] = []string{string(rune('a' + i/10%2))}
	}
	w := New(raw, nodes)
	for k := 1; k < 30; k++ {
		w.arrive(k)
	}
	if !w.movedNodes(0, 10, 20, 0, 30) || w.movedNodes(0, 10, 20, 0, 20) {
		t.Error("one move is a change for all that is known, two are the node's")
	}
}
