package machine

import (
	"math"
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
