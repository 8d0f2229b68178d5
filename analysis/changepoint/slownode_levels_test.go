package changepoint

import (
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/note"
)

func TestLevelNodes(t *testing.T) {
	s := Series{ID: "a"}
	var x []float64
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
		s.Y, s.Nodes = append(s.Y, 100+v), append(s.Nodes, []string{node, "all"})
	}
	r := prepare(&s)
	pl := newPlacement(&r)
	slow, fast := pl.levelNodes(x, .1)
	if !slices.Equal(slow, []string{"slow"}) || !slices.Equal(fast, []string{"fast1", "fast2"}) {
		t.Errorf("slow %v, fast %v", slow, fast)
	}
	notes := []note.Note{note.New(note.TwoLevels, "two levels")}
	pl.nameLevels(notes, x, [2]float64{0, .2})
	if want := "two levels; the slower with slow, the faster with fast1, fast2"; notes[0].Text != want {
		t.Errorf("%q", notes[0].Text)
	}
	if got := list(strings.Split("a b c d e f g h", " ")); got != "a, b, c, d, e, f and 2 more" {
		t.Errorf("%q", got)
	}
}

// A step that is not committed yet is no slow node's doing; runs that go back
// and forth between nodes are no step.
func TestPending(t *testing.T) {
	raw := steps(5, .01, append(at(10, 20), at(12, 10)...)...)
	w := nodeWatch{raw: raw, x: raw}
	if k := scatter.Pending(nil, raw); k < 19 || k > 21 {
		t.Errorf("a step at 20 is seen at %d", k)
	}
	if k := scatter.Pending(nil, raw[:20]); k != 0 {
		t.Errorf("no step is seen at %d", k)
	}
	w.pl = placement{names: []string{"a", "b"}}
	for i := range 30 {
		w.pl.runs = append(w.pl.runs, []int{i / 10 % 2})
	}
	if !w.moved(0, 10, 20, 0, 30) || w.moved(0, 10, 20, 0, 20) {
		t.Error("one move is a change for all that is known, two are the node's")
	}
}
