package summary

import (
	"math"
	"strings"
	"testing"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// codeOf are samples of a loop in two functions: the first half of each cycle in one,
// the rest of what is busy in the other.
func codeOf(set series.Set) *anatomy.Samples {
	busy, _ := set.Column(busyColumn)
	b := anatomy.Block{SampleS: .001}
	pages := []anatomy.Page{{Key: 0xa1}, {Key: 0xb2}}
	work := 0.0
	for _, v := range busy.Values {
		k := 0
		if math.Mod(work, loopS) > loopS/2 {
			k = 1
		}
		n := uint16(0)
		if v > 0 {
			n = 5
		}
		b.Samples = append(b.Samples, uint32(n))
		for i := range pages {
			c := uint16(0)
			if i == k {
				c = n
			}
			pages[i].Counts = append(pages[i].Counts, c)
		}
		if n > 0 || math.Mod(work, loopS) >= .8*loopS {
			work += 0.005
		}
	}
	b.Pages = pages
	return &anatomy.Samples{
		Code: anatomy.Code{
			Functions:    []anatomy.Function{{Library: "app", Name: "first\x1b[31m"}, {Library: "libm.so.6", Name: "second"}},
			HotAddresses: []anatomy.HotAddress{{Page: 0xa1, Function: 0, Count: 9}, {Page: 0xb2, Function: 1, Count: 9}},
			Builds:       map[string]string{"app": "12ab", "libm.so.6": "34cd", "libunused.so": "56ef"},
		},
		Blocks: func(yield func(anatomy.Block) bool) { yield(b) },
	}
}

// Cycles are found on samples without suspensions, and code is on the grid of the run; both are matched.
func TestCodeOfALoopThatWasStopped(t *testing.T) {
	for _, stops := range [][]run.Interval{nil, {{StartS: 30.1, EndS: 42.1}}} {
		set := stoppedLoop(stops...)
		p := Default()
		p.Code = codeOf(set)
		r := NodeRecord{Node: "n1", ElapsedS: 60, Quality: run.Quality{Scope: "job", RateHz: 200, Samples: 12000}}
		for _, s := range stops {
			r.Suspended = append(r.Suspended, run.Interval{StartS: s.StartS - .5, EndS: s.EndS + .5})
		}
		r, err := Analyse(r, set, p)
		if err != nil {
			t.Fatal(err)
		}
		c := r.Code.CycleOf(r.Patterns[0].ID)
		if c == nil || len(c.Functions) != 2 {
			t.Fatalf("%v: %+v", stops, r.Code)
		}
		ran := 60.0
		for _, s := range stops {
			ran -= s.EndS - s.StartS
		}
		if want := ran / loopS; math.Abs(c.Count-want) > 4 {
			t.Errorf("%v: %g cycles of %g", stops, c.Count, want)
		}
		if f := c.Functions[0]; strings.ContainsRune(f.Name, 0x1b) || math.Abs(f.Share-.625) > .02 ||
			math.Abs(*f.CycleS-loopS/2) > .004 {
			t.Errorf("%v: %+v", stops, f)
		}
		fields := r.Job.Fields
		if fields["library.app"] != "12ab" || fields["library.libm.so.6"] != "34cd" || len(fields) != 2 {
			t.Errorf("%v", fields)
		}
		if err := valid().withCode(r.Code).Valid(now); err != nil {
			t.Error(err)
		}
		s := Merge([]NodeRecord{r}, []string{"n1"})
		if s.Code != r.Code || s.CodeNode != "n1" || len(s.WithNames(run.Libraries).Code.Run.Functions) != 0 ||
			s.WithNames(run.NoNames).Code != nil || len(s.WithNames(run.NoNames).Job.Fields) != 0 || len(s.Job.Fields) != 2 ||
			s.WithNames(run.AllNames).Code != r.Code {
			t.Error("what is stored of names")
		}
	}
}

func (r NodeRecord) withCode(a *anatomy.Anatomy) NodeRecord {
	r.Code = a
	return r
}

// Names come from the first node; the rhythm may come from another node.
func TestCodeIsOfTheNodeWithNames(t *testing.T) {
	bare := &anatomy.Anatomy{Samples: 1,
		Run: anatomy.Split{Functions: []anatomy.Share{{Function: anatomy.Function{Library: "app", Start: 64}}}}}
	named := &anatomy.Anatomy{Samples: 1,
		Run: anatomy.Split{Functions: []anatomy.Share{{Function: anatomy.Function{Library: "app", Name: "f"}}}}}
	for _, c := range []struct {
		first, second *anatomy.Anatomy
		node          string
	}{{named, bare, "n1"}, {bare, named, "n2"}, {nil, bare, "n2"}, {bare, nil, "n1"}, {nil, nil, ""}, {nil, named, "n2"}} {
		s := Merge([]NodeRecord{node("n1", 1, 2).withCode(c.first), node("n2", 1, 2).withCode(c.second)},
			[]string{"n1", "n2"})
		if s.CodeNode != c.node {
			t.Errorf("%+v: %s", c, s.CodeNode)
		}
	}
}

// With the first node's names come its cycles; where the other nodes' main pattern is
// another one, its A is not theirs.
func TestCodeOfANodeWithOtherPatterns(t *testing.T) {
	cycles := func(ids ...string) *anatomy.Anatomy {
		a := anatomy.Anatomy{Samples: 1,
			Run: anatomy.Split{Functions: []anatomy.Share{{Function: anatomy.Function{Library: "app", Name: "f"}}}}}
		for _, id := range ids {
			a.Cycles = append(a.Cycles, anatomy.Cycle{Pattern: id, Count: 9,
				Split: anatomy.Split{BusyS: 1, Functions: []anatomy.Share{{Function: anatomy.Function{Name: "of its " + id}}}}})
		}
		return &a
	}
	with := func(r NodeRecord, periods ...float64) NodeRecord {
		r.Patterns = nil
		for i, s := range periods {
			r.Patterns = append(r.Patterns, pattern.Pattern{ID: string(rune('A' + i)), Timing: periodicity.Timing{PeriodS: s}})
		}
		return r
	}
	for _, c := range []struct {
		periods []float64 // of the first node; the others have .2 and 3 s
		want    string    // of MainCode
		gpu     string
	}{
		{[]float64{.5}, "", "A of n1"},
		{[]float64{.5, .201}, "of its B", "A of n1"},
		{[]float64{.201, .5}, "of its A", "A"},
		{[]float64{.5, .209, .202}, "of its C", "A of n1"}, // two that could be
		{[]float64{3.01}, "", "B"},
		{nil, "", "A of n1"},
	} {
		first := with(node("n1", 1, 2), c.periods...)
		first.Code = cycles("A", "B", "C")
		first.GPUs = []GPU{{Cycle: &GPUCycle{Pattern: "A", Idle: make([]float64, anatomy.Bins)}}}
		rest := with(node("", 1, 2), .2, 3)
		second, third := rest, rest
		second.Node, third.Node = "n2", "n3"
		s := Merge([]NodeRecord{first, second, third}, []string{"n1", "n2", "n3"})
		got := ""
		if m := s.MainCode(); m != nil {
			got = m.Functions[0].Name
		}
		if s.CodeNode != "n1" || got != c.want || s.GPUs[0].Cycle.Pattern != c.gpu {
			t.Errorf("%v: %s's %q, %+v; GPU in %q", c.periods, s.CodeNode, got, s.Code.Cycles, s.GPUs[0].Cycle.Pattern)
		}
		if first.Code.Cycles[0].Pattern != "A" || first.GPUs[0].Cycle.Pattern != "A" {
			t.Error("the node's own record was changed")
		}
	}
}

func TestCodeThatCannotBe(t *testing.T) {
	for what, a := range map[string]anatomy.Anatomy{
		"share":  {Run: anatomy.Split{Functions: []anatomy.Share{{Share: 1.5}}}},
		"within": {Cycles: []anatomy.Cycle{{Split: anatomy.Split{Functions: []anatomy.Share{{Within: make([]float64, 3)}}}}}},
		"busy":   {Run: anatomy.Split{BusyS: -1}},
		"start":  {Run: anatomy.Split{Functions: []anatomy.Share{{Function: anatomy.Function{Start: 1 << 63}}}}},
	} {
		if valid().withCode(&a).Valid(now) == nil {
			t.Errorf("%s is taken", what)
		}
	}
}

// The reported code is that of the reported pattern, or of none: another pattern's code would be read as that
// of the main one.
func TestMainCode(t *testing.T) {
	cycle := func(id string, count float64) anatomy.Cycle {
		return anatomy.Cycle{Pattern: id, Count: count, Split: anatomy.Split{BusyS: 1}}
	}
	for _, c := range []struct {
		patterns []pattern.Pattern
		code     *anatomy.Anatomy
		want     string
	}{
		{[]pattern.Pattern{{ID: "A"}, {ID: "B"}}, &anatomy.Anatomy{Cycles: []anatomy.Cycle{cycle("A", 4), cycle("B", 9)}},
			"A"},
		{[]pattern.Pattern{{ID: "B"}, {ID: "A"}}, &anatomy.Anatomy{Cycles: []anatomy.Cycle{cycle("A", 4), cycle("B", 9)}},
			"B"},
		{[]pattern.Pattern{{ID: "A"}, {ID: "B"}}, &anatomy.Anatomy{Cycles: []anatomy.Cycle{cycle("A", 0), cycle("B", 9)}},
			""},
		{nil, &anatomy.Anatomy{Cycles: []anatomy.Cycle{cycle("A", 4)}}, ""},
		{[]pattern.Pattern{{ID: "A"}}, nil, ""},
	} {
		got := Summary{Patterns: c.patterns, Code: c.code}.MainCode()
		if got == nil && c.want != "" || got != nil && got.Pattern != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
