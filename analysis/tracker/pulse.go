package tracker

import "math"

// pulse follows one loop by a matched filter, whose maxima are the ends of cycles.
type pulse struct {
	loop   Loop
	last   []float32 // of each column, for missing ones
	sum    []float32 // of the open point, by mixture
	open   int
	ring   [][]float32 // each twice the room, so that a window is one piece
	window [][]float32
	at, n  int
	one    []float64 // sums of the window
	two    []float64
	like   float64
	before [2]float64 // of the two points before

	samples int64   // so far
	cand    float64 // where a cycle may have ended, in samples; 0 for none
	candOf  float64 // its likeness
	candW   float64 // the same, less for what lies off the expected place

	end       float64 // of the last cycle, in samples
	period    float64 // in samples, as the last cycles have it
	deviation float64 // of boundaries from where they were expected, in samples
	run       int     // cycles in a row
	fresh     int     // of these, those after it was learned
	learning  bool
	heldAt    int64 // when it held last
	residual  float64
	ends      []float64 // boundaries since the last look
	lows      lows
}

// room is the most points to which a template may grow.
const room = 2 * mostPoints

// newPulse returns a filter for a loop, without samples.
func newPulse(l Loop) *pulse {
	p := &pulse{loop: l, last: make([]float32, len(l.from)), sum: make([]float32, len(l.mix)), lows: newLows(l)}
	for range l.mix {
		p.ring = append(p.ring, make([]float32, 2*room))
	}
	p.window = make([][]float32, len(l.mix))
	p.one, p.two = make([]float64, len(l.mix)), make([]float64, len(l.mix))
	return p
}

// add adds a sample, one value per column. It returns true if it finds the end of a cycle and the loop is
// verified and still running (see holds).
func (p *pulse) add(x []float32) bool {
	p.samples++
	p.loop.effort.add(x, p.length())
	for k, j := range p.loop.from {
		p.last[k] = p.loop.clip(k, x[j], p.last[k])
	}
	for m, w := range p.loop.mix {
		s := float32(0)
		for k, v := range p.last {
			s += w[k] * v
		}
		p.sum[m] += s
	}
	if len(p.lows.signs) > 0 {
		p.lows.add(x[p.loop.activity])
	}
	if p.open++; p.open < p.loop.every {
		return false
	}
	for m := range p.sum {
		p.sum[m] /= float32(p.open)
	}
	p.push(p.sum)
	p.open = 0
	clear(p.sum)
	told := p.findEnd()
	if len(p.lows.signs) > 0 && p.holds() {
		p.lows.search(p.loop.every, float64(p.samples), p.end, p.length())
	}
	return told
}

// point adds a sample of the mixtures, and reports whether a point is complete.
func (p *pulse) point(y []float32) bool {
	for m, v := range y {
		p.sum[m] += v / float32(p.loop.every)
	}
	if p.open++; p.open < p.loop.every {
		return false
	}
	p.push(p.sum)
	p.open = 0
	clear(p.sum)
	return true
}

// push adds a point and computes the likeness of the window that ends with it.
func (p *pulse) push(y []float32) {
	n := p.loop.fold.points()
	squares := 0.0
	for m, v := range y {
		old := p.ring[m][(p.at+room-n)%room]
		p.ring[m][p.at], p.ring[m][p.at+room] = v, v
		p.one[m] += float64(v) - float64(old)
		p.two[m] += float64(v)*float64(v) - float64(old)*float64(old)
		from := (p.at + room - n + 1) % room
		p.window[m] = p.ring[m][from : from+n]
		squares += p.two[m] - p.one[m]*p.one[m]/float64(n)
	}
	if p.at = (p.at + 1) % room; p.at == 0 {
		p.resum()
	}
	p.before[0], p.before[1] = p.before[1], p.like
	if p.like = 0; p.n >= n {
		p.like = p.loop.fold.likeness(p.window, max(0, squares))
	}
	p.n++
}

// resum recomputes the sums of the window and of its squares, because rounding errors accumulate.
func (p *pulse) resum() {
	for m, w := range p.window {
		p.one[m], p.two[m] = 0, 0
		for _, v := range w {
			p.one[m] += float64(v)
			p.two[m] += float64(v) * float64(v)
		}
	}
}

// maxPeriodChange is the largest relative difference of a cycle from the period at which it updates the period,
// reach the largest distance of a boundary from its expected place, as a share of the period, and
// offPlacePenalty the additional likeness required at that distance.
const (
	maxPeriodChange = 0.12
	reach           = 0.25
	offPlacePenalty = 0.5
)

// findEnd processes the newest likeness. It keeps the best maximum as the candidate for the end of a cycle, and accepts
// it once an eighth of a cycle has passed since. It reports whether it accepted one of a loop that holds.
func (p *pulse) findEnd() bool {
	every := float64(p.loop.every)
	length := p.length()
	at, like := p.peak()
	told := false
	if p.cand > 0 && float64(p.samples)-p.cand >= max(every, length/8) {
		told = p.accept(p.cand, p.candOf)
		p.cand = 0
	}
	if like < p.loop.minLikeness || at < p.end+0.5*length {
		return told
	}
	w := like
	if p.run > 0 {
		off := math.Abs(at-p.end-length) / length
		w -= offPlacePenalty * max(0, min(off, reach)-0.04)
	}
	if w >= p.loop.minLikeness*0.9 && (p.cand == 0 || w > p.candW) {
		p.cand, p.candOf, p.candW = at, like, w
	}
	return told
}

// peak returns the place, in samples, and the value of a maximum of the likeness around the previous point;
// without one those of the newest point.
func (p *pulse) peak() (at, like float64) {
	every := float64(p.loop.every)
	a, b, c := p.before[0], p.before[1], p.like
	if b >= a && b >= c && a-2*b+c < 0 {
		d := 0.5 * (a - c) / (a - 2*b + c)
		return float64(p.samples) - every*(1-d), b
	}
	return float64(p.samples), c
}

// length returns the current length of a cycle in samples.
func (p *pulse) length() float64 {
	if p.period > 0 {
		return p.period
	}
	return float64(p.loop.every*p.loop.fold.points()) / float64(p.loop.cycles)
}

const (
	// mostMissed is the most cycles that may be missed within a run.
	mostMissed = 2
	// leastRun is the least number of cycles in a row that is reported.
	leastRun = 3
	// heldFor is the number of periods after a cycle for which its loop still counts as running.
	heldFor = 2.5
)

// accept records the end of a cycle at a sample and reports whether the loop holds. It returns false if the end
// begins a new run, or if cycles now take far more CPU time than usual, which ends the run.
func (p *pulse) accept(at, like float64) bool {
	length := p.length()
	turns := math.Round((at - p.end) / length)
	off := at - p.end - turns*length
	if !p.loop.effort.isUsual(length) {
		p.run, p.fresh = 0, 0
		return false
	}
	if p.run == 0 || turns < 1 || turns > 1+mostMissed || math.Abs(off) > reach*length {
		p.run, p.fresh, p.end = 1, 0, at
		return false
	}
	one := (at - p.end) / turns
	p.deviation += (math.Abs(off) - p.deviation) / 8
	if math.Abs(off) <= maxPeriodChange*length {
		p.period = length + (one-length)/max(4, min(16, float64(p.run)))
	}
	p.residual = 1 - like
	p.loop.effort.adapt(length)
	p.run++
	if !p.learning {
		p.fresh++
	}
	p.end = at
	p.adapt(off/length, like)
	p.ends = append(p.ends, at)
	if len(p.ends) > leastRun { // callers read each of them
		p.ends = p.ends[1:]
	}
	return p.holds()
}

const (
	// share by which a template moves towards a cycle that came in time.
	share  = 1.0 / 24
	inTime = 0.04
	// retimed is the relative difference of lengths at which the template is stretched.
	retimed = 0.03
)

// adapt adapts the loop to its last cycle, because a loop may become slower. It moves the template towards the cycle if
// that ended in time; off is how late it ended, as a share of the cycle. It stretches the template if the period has
// changed by the share retimed or more.
func (p *pulse) adapt(off, like float64) {
	n := p.loop.fold.points()
	if math.Abs(off) < inTime && like >= p.loop.minLikeness {
		lag := int(math.Round((float64(p.samples) - p.end) / float64(p.loop.every)))
		if lag >= 0 && lag+n <= room && p.n >= lag+n {
			w := make([][]float32, len(p.ring))
			for m := range w {
				from := (p.at - lag - n + 2*room) % room
				w[m] = p.ring[m][from : from+n]
			}
			p.loop.fold.add(w, share)
		}
	}
	want := int(math.Round(float64(p.loop.cycles) * p.period / float64(p.loop.every)))
	if math.Abs(float64(want)/float64(n)-1) >= retimed && want >= 4 && want <= room-mostPoints/2 {
		p.loop.fold = p.loop.fold.stretched(want)
		for m := range p.window {
			from := (p.at - want + room) % room
			p.window[m] = p.ring[m][from : from+want]
		}
		p.resum()
	}
}

// holds reports whether the loop is verified and still running.
func (p *pulse) holds() bool {
	return p.run >= leastRun && p.fresh > 0 && float64(p.samples)-p.end < heldFor*p.length()+float64(p.loop.every)
}
