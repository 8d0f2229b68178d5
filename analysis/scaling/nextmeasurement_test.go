package scaling

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestNextOfAShortSeries(t *testing.T) {
	r := Analyse([]Series{seriesOf([]float64{1, 4, 16}, []float64{10, 20, 30})}, Likelihood)[0]
	if len(r.Next) != 2 || r.Next[0].P != 32 || r.Next[1].P != 2 && r.Next[1].P != 8 {
		t.Errorf("next %+v, want 32 and a value inside", r.Next)
	}
	if r.Next[0].NodeHours != nil {
		t.Errorf("a cost out of nothing: %v", *r.Next[0].NodeHours)
	}
}

func TestNextMeasurementFillsTheSegmentFirst(t *testing.T) {
	// Six points of one law, two of another.
	s := seriesOf([]float64{1, 2, 4, 8, 16, 32, 64, 128}, []float64{10, 12, 16, 24, 40, 72, 900, 905})
	for k := range s.Observations {
		s.Observations[k].NodeHours = 0.5 * s.Observations[k].P
	}
	r := Analyse([]Series{s}, Likelihood)[0]
	if len(r.Cuts) != 1 || r.Cuts[0] != 6 {
		t.Fatalf("cuts %v, want 6", r.Cuts)
	}
	if len(r.Next) < 4 || r.Next[0].P != 256 || !strings.Contains(r.Next[0].Why, "has 2 of the 5 points") {
		t.Fatalf("next %+v", r.Next)
	}
	if h := r.Next[0].NodeHours; h == nil || math.Abs(*h-128) > 1e-6 {
		t.Errorf("cost of 256: %v, want 128 node-hours", h)
	}
	asked, between := 0, false
	for _, n := range r.Next {
		if strings.Contains(n.Why, "has 2 of the 5 points") {
			asked++
		}
		if strings.Contains(n.Why, "changes somewhere between p 32 and 64") {
			between = n.P > 32 && n.P < 64
		}
	}
	if asked != 3 || !between {
		t.Errorf("%d values for the short segment, want 3; between 32 and 64: %v; %+v", asked, between, r.Next)
	}
}

func TestNextIsNewAndWhole(t *testing.T) {
	// Consecutive whole numbers have no size between them to propose.
	p, y := worked()
	r := Analyse([]Series{seriesOf(p, y)}, Likelihood)[0]
	seen := map[float64]bool{}
	for _, v := range p {
		seen[v] = true
	}
	for _, n := range r.Next {
		if seen[n.P] || n.P != math.Trunc(n.P) || n.P <= 0 {
			t.Errorf("%+v is measured, asked for twice or no whole number", n)
		}
		seen[n.P] = true
	}
	if len(r.Next) == 0 {
		t.Error("nothing is asked for")
	}
}

func TestNextWhereAChangeMayBe(t *testing.T) {
	s := seriesOf([]float64{10, 20, 40, 80, 160}, []float64{1, 2, 3, 4, 5})
	w := seriesWork{series: s, result: &Result{}, maybeChange: possibleChange{after: 20, before: 40, share: 0.3}}
	w.points, _ = order(s)
	w.p, w.y = columns(w.points)
	w.next()
	if n := w.result.Next; len(n) == 0 || n[0].P != 28 && n[len(n)-1].P != 28 {
		t.Errorf("next %+v, want one of 28", n)
	}
	w.findPossibleChange(detection{last: []float64{0.95, 0, 0.05, 0, 0}})
	if w.maybeChange.share != 0.3 {
		t.Error("one in twenty is no doubt")
	}
	w.findPossibleChange(detection{last: []float64{0.5, 0, 0.1, 0.4, 0}})
	if w.maybeChange != (possibleChange{40, 80, 0.5}) {
		t.Errorf("doubt %+v, want 40 to 80", w.maybeChange)
	}
}

// Sizes that are measured, already proposed, or invalid are not proposed, and not more than a reader can use.
func TestPropose(t *testing.T) {
	n := proposer{work: &seriesWork{points: []point{{p: 1}, {p: 4}, {p: 16}}}, whole: true}
	for _, c := range []struct {
		p    float64
		want bool
	}{
		{2.2, true}, {1.9, false}, {4, false}, {1, false}, {16.3, false}, {0.4, false}, {-3, false}, {math.NaN(), false},
		{math.Inf(1), false}, {3, true},
	} {
		if got := n.propose(c.p, "why"); got != c.want {
			t.Errorf("%g: %v", c.p, got)
		}
	}
	for p := range 2 * mostNext {
		n.propose(float64(100+p), "why")
	}
	if len(n.list) != mostNext {
		t.Errorf("%d proposals", len(n.list))
	}
}

// Where only smaller values are open, and none lies between, it is half of the
// least, as long as that is one or more.
func TestFillBelow(t *testing.T) {
	n := proposer{work: &seriesWork{points: []point{{p: 4}, {p: 5}, {p: 6}}}, whole: true}
	n.proposeFill(0, 2, 9, true, false, "why")
	var got []float64
	for _, x := range n.list {
		got = append(got, x.P)
	}
	if !slices.Equal(got, []float64{2, 3, 1}) {
		t.Errorf("%v", got)
	}
}

func TestWidestMiddle(t *testing.T) {
	for _, c := range []struct {
		p     []float64
		whole bool
		want  float64
	}{
		{[]float64{1, 2, 16}, true, 6},
		{[]float64{1, 2, 3}, true, 0},
		{[]float64{1, 4}, false, 2},
		{[]float64{5}, true, 0},
	} {
		if got := widestMiddle(c.p, c.whole); got != c.want {
			t.Errorf("%v: %g, want %g", c.p, got, c.want)
		}
	}
}
