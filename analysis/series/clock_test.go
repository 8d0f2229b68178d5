package series

import (
	"math"
	"math/rand/v2"
	"testing"
)

// crowded is a set of n samples of 5 ms in which the job got the CPUs now and then:
// the counts of two pages add up to the CPU time used, in milliseconds.
func crowded(n int, pages ...string) Set {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	s := Set{StartS: 3, StepS: 0.005}
	busy := Column{Name: "busy_cpus", Unit: "CPUs", Values: make(Values, n)}
	for _, name := range pages {
		s.Columns = append(s.Columns, Column{Name: name, Group: CodeGroup, Values: make(Values, n)})
	}
	for i := range n {
		if rng.IntN(3) > 0 {
			continue
		}
		for j := range s.Columns {
			k := rng.IntN(4)
			s.Columns[j].Values[i] = float32(k)
			busy.Values[i] += float32(k) / 5
		}
	}
	busy.Values[n/2] = Missing()
	s.Columns = append(s.Columns, busy)
	return s
}

// Bins hold equal CPU time and every count, in order, and their edges lead back to
// the slots.
func TestClockBins(t *testing.T) {
	s := crowded(2000, "code:a", "code:b")
	k, ok := s.Clock()
	if !ok {
		t.Fatal("no clock")
	}
	for _, step := range []float64{0.002, 0.003, 0.005, 0.05} {
		b := k.Bin(s.Columns[:2], step)
		if b.Axis != CPU || b.Len() != int(k.Total()/step) || len(b.WallS) != b.Len()+1 {
			t.Fatalf("%d bins of %v s on axis %q, %d edges", b.Len(), step, b.Axis, len(b.WallS))
		}
		total, before := 0.0, 0.0
		for i := range b.Len() {
			in := float64(b.Columns[0].Values[i] + b.Columns[1].Values[i])
			total += in
			if math.Abs(in-1000*step) > 1e-3*(1+1000*step) && i != b.Len()/2 {
				t.Fatalf("bin %d of %v s holds %v ms of samples", i, step, in)
			}
			from, to := b.Ends(i, 1)
			if from < before || to < from || from < s.StartS || to > s.StartS+10+1e-9 {
				t.Fatalf("bin %d is from %v to %v s", i, from, to)
			}
			before = from
		}
		if math.Abs(total-1000*k.Total()) > 1000*step+1 {
			t.Errorf("%v of %v ms in bins of %v s", total, 1000*k.Total(), step)
		}
	}
}

func TestCoarserClock(t *testing.T) {
	s := crowded(2003, "code:a", "code:b")
	k, _ := s.Clock()
	c := k.Coarser(10)
	for _, i := range []int{0, 7, 199, 200} {
		if c.Used(i) != k.Used(10*i) {
			t.Errorf("%d: %v, %v", i, c.Used(i), k.Used(10*i))
		}
	}
	s.Columns = s.Columns[:2]
	fine, coarse := k.Bin(s.Columns, 0.5), c.Bin(s.Coarser(10).Columns, 0.5)
	for i := range coarse.Len() {
		if a, b := fine.Columns[0].Values[i], coarse.Columns[0].Values[i]; math.Abs(float64(a-b)) > 0.1*float64(a) {
			t.Errorf("bin %d: %v, %v", i, a, b)
		}
	}
}

func TestClockOf(t *testing.T) {
	s := Set{StepS: 1, Columns: []Column{{Name: "task_clock", Values: Values{5e8, Missing(), 1e9}}}}
	if k, ok := s.Clock(); !ok || k.Total() != 1.5 || k.Used(1) != 0.5 || k.Used(2) != 0.5 ||
		math.Abs(k.Busy()-1.25/1.5) > 1e-12 {
		t.Errorf("%v, %+v", ok, k)
	}
	for _, s := range []Set{{StepS: 1},
		{StepS: 1, Columns: []Column{{Name: "busy_cpus", Values: Values{0, Missing(), -1}}}}} {
		if _, ok := s.Clock(); ok {
			t.Errorf("a clock of %v", s.Columns)
		}
	}
}

// Ranks that wait in MPI use CPU time and do not work.
func TestClockWaiting(t *testing.T) {
	s := Set{StepS: 1, Columns: []Column{
		{Name: "busy_cpus", Values: Values{1, 1, 1, 1}},
		{Name: "code:a", Group: CodeGroup, Values: Values{4, 1, 0, 0}},
		{Name: "code:b", Group: CodeGroup, Waits: true, Values: Values{0, 3, 4, 0}},
	}}
	if k, ok := s.Clock(); !ok || k.Total() != 2.25 {
		t.Errorf("worked for %v of 4 s", k.Total())
	}
}

func TestCoarser(t *testing.T) {
	s := Set{StepS: 2, Axis: CPU, WallS: []float64{0, 1, 5, 6, 7, 9}, Columns: []Column{{Values: Values{1, 2, 3, 4, 5}}}}
	c := s.Coarser(2)
	if c.StepS != 4 || c.Len() != 2 || c.Columns[0].Values[1] != 7 || len(c.WallS) != 3 || c.WallS[2] != 7 {
		t.Errorf("%+v", c)
	}
	if a, b := s.Ends(1, 2); a != 1 || b != 6 {
		t.Errorf("from %v to %v", a, b)
	}
	if got := (Set{Also: []Set{{Axis: Wall}, s}}).On(CPU); len(got) != 1 || got[0].StepS != 2 {
		t.Errorf("%+v", got)
	}
}
