package pattern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// cluster returns n nodes with one pattern, each begun at another phase, and with
// boundaries that fit that phase.
func cluster(rng *rand.Rand, n int, shape series.Values, noise float64) []NodePattern {
	out := make([]NodePattern, n)
	for i := range out {
		at := rng.Float64()
		p := Pattern{Timing: periodicity.Timing{PeriodS: 1}, ValuesColumn: "ipc"}
		for k := range shape {
			p.Values = append(p.Values, float32(cyclic(shape, at+float64(k)/float64(len(shape)))+noise*rng.NormFloat64()))
		}
		out[i] = NodePattern{Node: fmt.Sprintf("n%d", i+1), Pattern: p, DriftPctPerHour: 0.1 * rng.NormFloat64()}
		for k := range 50 {
			out[i].BoundariesS = append(out[i].BoundariesS, float64(k)+at)
		}
	}
	return out
}

func wave() series.Values {
	v := make(series.Values, 200)
	for i := range v {
		v[i] = 1
		if i >= 40 && i < 70 {
			v[i] = 0.4
		}
		if i >= 120 && i < 130 {
			v[i] = 0.7
		}
	}
	return v
}

func TestNodesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	a := CompareNodes(cluster(rng, 16, wave(), 0.005))
	if a.Pairs != 120 || a.Agree != 120 || a.Close != 120 || a.WorstPct > 1 {
		t.Errorf("%d of %d pairs agree, worst %v %%", a.Agree, a.Pairs, a.WorstPct)
	}
	for _, n := range a.Nodes {
		if n.Odd || n.Straggler || n.LagS == nil || math.Abs(*n.LagS) > 0.011 {
			t.Errorf("%+v", n)
		}
	}
}

// One node whose second dip is deeper is named, with the place; the others agree.
func TestOddNode(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	nodes := cluster(rng, 8, wave(), 0.003)
	deep := wave()
	for i := 150; i < 180; i++ {
		deep[i] = 0.5
	}
	nodes[5] = cluster(rng, 1, deep, 0.003)[0]
	nodes[5].Node = "limp"
	nodes[0].Values = wave() // its phase is that of the places named
	a := CompareNodes(nodes)
	for i, n := range a.Nodes {
		if n.Odd != (i == 5) {
			t.Errorf("%s odd: %v", n.Node, n.Odd)
		}
	}
	if n := a.Nodes[5]; math.Abs(n.FromS-0.75) > 0.02 || math.Abs(n.ForS-0.15) > 0.03 || n.DiffersPct > -40 {
		t.Errorf("%+v", n)
	}
	if a.Agree != 21 || a.Pairs != 28 {
		t.Errorf("%d of %d agree", a.Agree, a.Pairs)
	}
}

// The stretch is that in which the difference is half of its largest or more, on
// both sides of it, also over the end of the iteration.
func TestDiffers(t *testing.T) {
	for _, begin := range []int{5, 16} {
		x, y := make([]float64, 20), make([]float64, 20)
		for i := range 10 {
			x[(begin+i)%20] = 1
		}
		for i := range 3 {
			x[(begin+4+i)%20] = 1.2
		}
		if from, points, diff := largestDifference(x, y); from != begin || points != 10 || math.Abs(diff-0.993) > 0.001 {
			t.Errorf("from %d: %d points from %d differ by %v", begin, points, from, diff)
		}
	}
}

func TestLagAndStragglers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	nodes := cluster(rng, 6, wave(), 0.003)
	for k := range nodes[2].BoundariesS {
		nodes[2].BoundariesS[k] += 0.08
	}
	nodes[3].PeriodS *= 1.03
	nodes[4].DriftPctPerHour = 20
	a := CompareNodes(nodes)
	if l := a.Nodes[2].LagS; l == nil || math.Abs(*l-0.08) > 0.012 {
		t.Errorf("lag %v", l)
	}
	for i, n := range a.Nodes {
		if n.Straggler != (i == 3 || i == 4) {
			t.Errorf("node %d straggler: %v", i, n.Straggler)
		}
	}
}

func TestNodesWithout(t *testing.T) {
	if a := CompareNodes(nil); len(a.Nodes) != 0 || a.Pairs != 0 {
		t.Errorf("%+v", a)
	}
	rng := rand.New(rand.NewPCG(4, 1))
	nodes := cluster(rng, 3, wave(), 0.003)
	nodes[0] = NodePattern{Node: "silent"}
	nodes[2].BoundariesS = nil
	a := CompareNodes(nodes)
	if a.Pairs != 1 || a.Nodes[0].DistancePct != nil || a.Nodes[2].LagS != nil || a.Nodes[0].Node != "silent" ||
		a.Nodes[1].LagS == nil || *a.Nodes[1].LagS != 0 {
		t.Errorf("%+v", a)
	}
	many := CompareNodes(cluster(rng, 100, wave(), 0.003))
	if many.Pairs != 100 || many.Agree != 100 {
		t.Errorf("%d of %d", many.Agree, many.Pairs)
	}
}
