package changepoint

import "math"

const (
	// unseenEach is how many changes too weak to be found are believed for each
	// that was: histories that change often hide more. Of the events, unseenLess
	// is not counted: a history with one change has little else. With 0.5 for each,
	// intervals of strong changes held the truth in .98.
	unseenEach, unseenLess = 0.25, 0.5
	// A change that is weak itself tells of others like it, which may have been
	// what made it seen: the rate is up to 1 + unseenWeak times as high for it, and
	// unseenAlways is believed of one that is alone.
	unseenWeak, unseenAlways = 3, 0.3
	weakFrom, weakTo         = 9, 4.5 // standard scores
	// unseenSize is the spread of such changes in standard deviations of a run.
	unseenSize = 1.5
	// unseenMoves is the share of the expected difference by which an estimate is
	// moved: among chance splits those look best that enlarge what was found.
	unseenMoves = 0.8
)

// unseen is what is believed of changes beside an event that were not found:
// how many there are per run, and how alike the runs are.
type unseen struct {
	rate float64
	runs float64
	like likeness
}

// newUnseen returns the belief for n runs in which events were found.
func newUnseen(events, n int, like likeness) unseen {
	return unseen{unseenEach * (float64(events) - unseenLess) / float64(n), float64(n), like}
}

// believe makes more of them likely beside a weak event of standard score z.
func (u *unseen) believe(z float64) {
	weak := max(0, min(1, (weakFrom-z)/(weakFrom-weakTo)))
	u.rate = u.rate*(1+unseenWeak*weak) + unseenAlways*weak/u.runs
}

// adjacent returns by how much the level of the runs of a side next to its event
// differs from that of the whole side, and the variance that not knowing it adds:
// the mean over no further change and one at any place, each as likely as the
// runs make it. Without it the 95 % intervals beside a change that was missed held
// the truth in .77 of cases. atEnd says that the event follows the side; s is
// the noise.
func (sc *scanner) adjacent(side stay, atEnd bool, s float64, weak unseen) (shift, variance float64) {
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
		noise := sq(s) * (inflation(weak.like.phi, w0)/w0 + inflation(weak.like.phi, w1)/w1)
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
