package changepoint

import "math"

const (
	// unseenEach is the assumed number of undetected weak changes for each detected one: histories that change
	// often hide more. The number of events is reduced by unseenLess: a history with one change has few others.
	// With 0.5 for each, intervals of strong changes held the truth in .98.
	unseenEach, unseenLess = 0.25, 0.5
	// A weak change makes others near it more likely, which may have helped to detect it: the rate is up to 1 +
	// unseenWeak times as high for it, and unseenAlways is assumed even for a single change.
	unseenWeak, unseenAlways = 3, 0.3
	weakFrom, weakTo         = 9, 4.5 // standard scores
	// unseenSize is the spread of such changes in standard deviations of a run.
	unseenSize = 1.5
	// unseenMoves is the share of the expected difference by which an estimate is
	// moved: among chance splits those look best that enlarge what was found.
	unseenMoves = 0.8
)

// unseenChanges is the prior of undetected changes near an event: their number per run, the number of runs, and
// the correlation of runs.
type unseenChanges struct {
	rate float64
	runs float64
	like runCorrelation
}

// newUnseen returns the prior of undetected changes for n runs in which the given number of events was found.
func newUnseen(events, n int, like runCorrelation) unseenChanges {
	return unseenChanges{unseenEach * (float64(events) - unseenLess) / float64(n), float64(n), like}
}

// adjustForWeak raises the rate of undetected changes near an event of standard score z, the more the weaker it
// is.
func (u *unseenChanges) adjustForWeak(z float64) {
	weak := max(0, min(1, (weakFrom-z)/(weakFrom-weakTo)))
	u.rate = u.rate*(1+unseenWeak*weak) + unseenAlways*weak/u.runs
}

// levelNextToEvent returns by how much the level of the runs next to an event is expected to differ from that
// of the whole side, because of undetected changes, and the variance that this adds: the mean over no further
// change and one at any place, weighted by likelihood. Without it the 95 % intervals beside a change that was
// missed held the truth in .77 of cases. atEnd says that the event follows the side; s is the noise.
func (sc *scanner) levelNextToEvent(side fittedLevel, atEnd bool, s float64,
	weak unseenChanges) (shift, variance float64) {
	x := sc.x[side.first : side.last+1]
	l := sc.loss(side.s)
	weight, sum := 0.0, 0.0
	for _, v := range x {
		w := l.Weight(v - side.mu)
		weight, sum = weight+w, sum+w*(v-side.mu)
	}
	all, first, second := 1.0, 0.0, 0.0
	w0, s0 := 0.0, 0.0 // of the runs next to the event
	for k := range x {
		v := x[k]
		if atEnd {
			v = x[len(x)-1-k]
		}
		w := l.Weight(v - side.mu)
		w0, s0 = w0+w, s0+w*(v-side.mu)
		w1 := weight - w0
		if w0 < 1.5 || w1 < 1.5 {
			continue
		}
		d := s0/w0 - (sum-s0)/w1
		noise := sq(s) * (varianceInflation(weak.like.phi, w0)/w0 + varianceInflation(weak.like.phi, w1)/w1)
		signal := sq(unseenSize*s) / (sq(unseenSize*s) + noise) // share of d that is no noise
		odds := weak.rate * math.Sqrt(1-signal) * math.Exp(min(signal*sq(d)/noise/2, 50))
		move := w1 / weight * signal * d
		all += odds
		first += odds * move
		second += odds * (sq(move) + sq(w1/weight)*signal*noise)
	}
	first, second = first/all, second/all
	return unseenMoves * first, second - sq(first) + sq((1-unseenMoves)*first)
}
