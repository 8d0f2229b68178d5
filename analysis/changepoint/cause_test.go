package changepoint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// recorded returns a history of n runs, one a day, that become slower by a tenth at run at; fields give the runs
// at which they change.
func recorded(n, at int, flips map[string][]int) Series {
	r := rand.New(rand.NewPCG(5, uint64(n)))
	s := Series{ID: "a", Meta: make(map[string][]string)}
	for i := range n {
		x := .02 * r.NormFloat64()
		if i >= at {
			x += .1
		}
		s.T, s.Y = append(s.T, float64(i)), append(s.Y, 100*math.Exp(x))
		for f, at := range flips {
			v := 0
			for _, k := range at {
				if i >= k {
					v++
				}
			}
			s.Meta[f] = append(s.Meta[f], fmt.Sprintf("v%d", v))
		}
	}
	return s
}

func TestCauses(t *testing.T) {
	s := recorded(80, 40, map[string][]int{
		"binary":  {40},
		"modules": {10, 22, 41, 60}, // near it, but it flips often
		"input":   {30},             // not near it
	})
	res := Analyse([]Series{s}, Sequential, Default()).Series[0]
	if len(res.Changes) != 1 {
		t.Fatalf("changes %+v", res.Changes)
	}
	causes := res.Changes[0].Causes
	if len(causes) == 0 || causes[0].Field != "binary" || causes[0].From != "v0" || causes[0].To != "v1" {
		t.Fatalf("causes %+v", causes)
	}
	for _, c := range causes {
		if c.Field == "input" {
			t.Error("a field that flipped ten runs before is no cause")
		}
		if c.P <= 0 || c.P > 1 {
			t.Errorf("%s: p = %v", c.Field, c.P)
		}
	}
}

// A field that flips in the middle of a day belongs to the change that is dated
// to that day or the next.
func TestCausesInTheMiddleOfADay(t *testing.T) {
	for at := 60; at < 66; at++ {
		s := recorded(120, at, map[string][]int{"binary": {at}, "input": {at - 5}, "later": {at + 5}})
		for i := range s.T {
			s.T[i] = float64(i/3) + float64(i%3)/4 // three runs a day
		}
		res := Analyse([]Series{s}, Sequential, Default()).Series[0]
		if len(res.Changes) != 1 || abs(res.Changes[0].Index-at) > 2 {
			t.Fatalf("at %d: changes %+v", at, res.Changes)
		}
		causes := res.Changes[0].Causes
		if len(causes) == 0 || causes[0].Field != "binary" || causes[0].P > .1 {
			t.Errorf("at %d: causes %+v of the change at %d", at, causes, res.Changes[0].Index)
		}
	}
}

// Without a flip near the change nothing is named.
func TestCausesEmpty(t *testing.T) {
	s := recorded(80, 40, map[string][]int{"binary": {15, 60}})
	res := Analyse([]Series{s}, Sequential, Default()).Series[0]
	if len(res.Changes) != 1 || res.Changes[0].Causes == nil || len(res.Changes[0].Causes) != 0 {
		t.Errorf("changes %+v", res.Changes)
	}
}

// The share of admissible runs at which a field changes, counted one by one.
func TestMet(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range 200 {
		n := 20 + r.IntN(40)
		s := recorded(n, n, nil)
		day := 0.0
		values := make([]string, n)
		last := 0
		for i := range n {
			if r.IntN(3) > 0 {
				day++
			}
			s.T[i] = day
			if r.IntN(8) == 0 {
				last++
			}
			values[i] = fmt.Sprint(last)
			if r.IntN(10) == 0 {
				values[i] = "" // not known
			}
		}
		s.Meta = map[string][]string{"f": values}
		ready := prepare(&s)
		f := newFields(&ready)
		back, ahead := r.IntN(4), r.IntN(4)
		want := 0
		for _, b := range f.starts {
			if slices.ContainsFunc(f.flips[0], func(v flip) bool {
				since, until := b-back, b+ahead // to the days beside
				for since--; since > 0 && !slices.Contains(f.starts, since); since-- {
				}
				for until++; until < n && !slices.Contains(f.starts, until); until++ {
				}
				return v.index > since && v.index < until
			}) {
				want++
			}
		}
		if got := f.countMeetings(0, back, ahead); got != want {
			t.Fatalf("%d of %d starts meet a flip of %v, want %d", got, len(f.starts), f.flips[0], want)
		}
	}
}

func TestUnknownFields(t *testing.T) {
	s := recorded(10, 10, nil)
	s.Meta = map[string][]string{"f": {"", "a", "", "a", "", "b", "b", "", "b", "c"}}
	r := prepare(&s)
	f := newFields(&r)
	want := []flip{{5, "a", "b"}, {9, "b", "c"}}
	if !slices.Equal(f.flips[0], want) {
		t.Errorf("flips %v, want %v", f.flips[0], want)
	}
	if len(f.notes) != 1 {
		t.Errorf("notes %v", f.notes)
	}
}

// A field that changes with every run is no evidence for a change anywhere, and a run at which no field changed
// is evidence against one. Later runs do not matter.
func TestFieldEvidence(t *testing.T) {
	s := recorded(60, 60, map[string][]int{"rare": {20, 40}})
	for i := range s.Y {
		s.Meta["busy"] = append(s.Meta["busy"], fmt.Sprint(i))
		s.Nodes = append(s.Nodes, []string{fmt.Sprint("n", i%7)})
	}
	r := prepare(&s)
	f := newFields(&r)
	e := f.evidence(len(r.x))
	marked := 0
	for _, v := range e {
		if v > 0 {
			marked++
		}
	}
	if marked > 15 || e[20] != flipNats || e[40] != flipNats || e[59] != -flipNats/2 {
		t.Errorf("%d of 60 runs are marked; evidence %.1f and %.1f at rare flips, %.1f at a busy one", marked, e[20], e[40],
			e[59])
	}
	if part := f.evidence(45); !slices.Equal(part, e[:45]) {
		t.Error("later flips alter the evidence of earlier ones")
	}
	if none := (&fields{}).evidence(len(r.x)); none != nil {
		t.Error("evidence where no field is recorded")
	}
	if !slices.Contains(f.names, nodeField) {
		t.Error("the node list is one of the fields")
	}
}
