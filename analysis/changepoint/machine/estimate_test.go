package machine

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// told returns one run of each series with the given deviations and noises.
func told(off, noise []float64) []moment {
	list := make([]moment, len(off))
	for i := range off {
		list[i] = moment{member: i, owner: i, off: off[i], noise: noise[i]}
	}
	return list
}

// estimated returns the estimate from a list of runs.
func estimated(list []moment) estimate {
	l := newPanel(len(list))
	l.begin()
	for i := range list {
		l.add(&list[i])
	}
	return l.estimate()
}

func TestEstimate(t *testing.T) {
	even := []float64{.02, .02, .02, .02, .02, .02, .02, .02}
	shared := estimated(told([]float64{.05, .06, .04, .05, .05, .07, .03, .05}, even))
	if math.Abs(shared.shift-.05) > .004 || shared.applied(0) < .04 {
		t.Errorf("a shift of .05 that all show: %+v, believed %v", shared, shared.applied(0))
	}
	// The quietest series has the largest weight, but not all of it: one disturbed run of it is not a shift of the
	// machine.
	noise := append([]float64{.001}, even[1:]...)
	lone := estimated(told([]float64{.8, .01, -.01, 0, .005, -.005, .01, -.01}, noise))
	if b := lone.applied(0); math.Abs(b) > .005 {
		t.Errorf("one disturbed run: %+v, believed %v", lone, b)
	}
	// Three runs of a series count as one view.
	same := told([]float64{.05, .05, .05, 0, 0, 0, 0}, even)
	for i := range 3 {
		same[i].member = 0
	}
	if e := estimated(same); math.Abs(e.shift) > .02 {
		t.Errorf("three runs of one series: %+v", e)
	}
	few, many := estimated(told(even[:5], even)), estimated(told(even, even))
	if few.se <= many.se*math.Sqrt(8.0/5) {
		t.Errorf("standard error of 5 series %v, of 8 %v: few are less sure than their number says", few.se, many.se)
	}
}

// If runs do not follow the other series, uncertain estimates are not removed; if they do, they are.
func TestShrinkage(t *testing.T) {
	var none, all shrinkage
	for i := range 400 {
		e := estimate{shift: .01 * math.Sin(float64(i)), se: .02, n: 8}
		none.learn(e, .02*math.Cos(float64(7*i)), .02)
		all.learn(e, e.shift+.01*math.Cos(float64(7*i)), .02)
	}
	if none.weight() != 0 || all.weight() < .8 {
		t.Errorf("part %v where nothing is shared, %v where all is", none.weight(), all.weight())
	}
}

// What most views show is not a shift of the machine if they have one owner.
func TestEstimateOwners(t *testing.T) {
	noise := []float64{.01, .01, .01, .01, .01, .01, .01, .01}
	list := told([]float64{.15, .15, .16, .15, .14, .15, 0, .001}, noise)
	for i := range 6 {
		list[i].owner = 0
	}
	if e := estimated(list[:6]); e.n != 0 {
		t.Errorf("one owner: %+v", e)
	}
	if e := estimated(list); math.Abs(e.applied(1)) > .005 {
		t.Errorf("two owners against one: %+v", e)
	}
}

// A series that does not follow the others is left unchanged; one that mostly does is adjusted despite one run
// that does not.
func TestSharing(t *testing.T) {
	var none, all sharing
	e := estimate{shift: .12, se: .004, n: 8}
	for range 4 {
		none.learn(e, 0, .01)
		all.learn(e, .12, .01)
	}
	all.learn(e, 0, .01)
	if none.weight() > 0 || all.weight() < 1 {
		t.Errorf("part %v of one spared, %v of one that is not", none.weight(), all.weight())
	}
}

// Series are sorted by deviation, also if some are equal, far away or not different at all; equal ones keep their
// order.
func TestSortByShift(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 1))
	l := newPanel(1)
	for n := range 60 {
		for _, scale := range []float64{0, 1e-300, .02, 1e300} {
			list := make([]seriesMean, n)
			for i := range list {
				list[i] = seriesMean{member: i, off: scale * math.Round(8*r.NormFloat64()) / 8}
				if r.IntN(20) == 0 {
					list[i].off *= 1000
				}
			}
			want := slices.Clone(list)
			slices.SortStableFunc(want, func(a, b seriesMean) int { return cmp.Compare(a.off, b.off) })
			if l.sortByShift(list); !slices.Equal(list, want) {
				t.Fatalf("%d series, scale %g: %v, want %v", n, scale, list, want)
			}
		}
	}
}

// A revised shift is the same whether its estimate is used again or computed again.
func TestRevisedShiftsAreUsedAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 2))
	series := make([]MachineSeries, 30)
	for i := range series {
		s := &series[i]
		every := 1000 + 9000*r.Float64()
		for k := range 40 {
			s.Start = append(s.Start, every*(float64(k)+.5*r.Float64()))
			s.X = append(s.X, .02*r.NormFloat64())
			if at := s.Start[k]; at > 1e5 && at < 2e5 {
				s.X[k] += .2
			}
		}
	}
	known, _ := EstimateShifts(series, nil)
	again, fresh := 0, 0
	for _, m := range known {
		was := slices.Clone(m.lastUsed)
		for newest := range m.X {
			first := max(0, newest-RevisedRuns)
			got := m.revisedShifts(first, newest)
			for k := max(0, newest-RevisedRuns+1); k < newest; k++ {
				if m.now[newest] >= was[k] {
					again++
				} else {
					fresh++
				}
				m.lastUsed[k] = math.Inf(1)
			}
			if want := m.revisedShifts(first, newest); !slices.Equal(got, want) {
				t.Fatalf("run %d: %v, want %v", newest, got, want)
			}
			copy(m.lastUsed, was)
		}
	}
	if again < 100 || fresh < 100 {
		t.Errorf("%d estimates used again, %d computed: want many of both", again, fresh)
	}
}
