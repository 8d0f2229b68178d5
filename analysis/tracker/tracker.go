package tracker

import (
	"math"
	"slices"
)

// Tracker follows the loops of one job.
type Tracker struct {
	stepS   float64
	samples int64
	pulses  []*pulse
	held    *pulse
	cycles  int
	longest [2]float64 // usual intervals between cycles, samples, the longest first
	lastEnd float64    // of the last cycle of any loop, in samples
	lost    int64      // since when none holds, in samples
}

// mostLoops bounds the loops that are followed at a time: two phases and their
// variants. The one that did not hold for longest is forgotten.
const mostLoops = 4

// New returns a tracker of samples of stepS seconds each.
func New(stepS float64) *Tracker { return &Tracker{stepS: stepS} }

// Cycle is the end of one cycle.
type Cycle struct {
	EndS, LengthS float64 // since the first sample, and of the cycle
	Residual      float64 // 0 = as its template, 1 = unrelated
}

// Add takes a sample of all columns. It returns the cycle that was found to have
// ended, and false while none has: a cycle is found an eighth of its length late.
func (t *Tracker) Add(x []float32) (Cycle, bool) {
	t.samples++
	var c Cycle
	told := false
	for _, p := range t.pulses {
		from := p.end
		if p.add(x) {
			p.heldAt = t.samples
			if t.held == nil || t.held == p || !t.held.holds() {
				told = true
				c = Cycle{EndS: p.end * t.stepS, LengthS: (p.end - from) * t.stepS, Residual: p.residual}
				t.ended(p)
			}
		}
	}
	if t.held != nil && !t.held.holds() {
		t.held = nil
		for _, p := range t.pulses {
			if p.holds() {
				t.held = p
			}
		}
		if t.held == nil {
			t.lost = t.samples
		}
	}
	return c, told
}

// ended counts a cycle of a loop that holds.
func (t *Tracker) ended(p *pulse) {
	since := p.end - t.lastEnd
	if t.held != p { // those that verified it ended before
		t.cycles += p.run - 1
		since -= float64(p.run-1) * p.length()
	}
	t.cycles++
	t.held = p
	if t.lastEnd > 0 {
		t.interval(since)
	}
	t.lastEnd = p.end
}

// interval learns how long it may take between two cycles.
func (t *Tracker) interval(n float64) {
	switch l := &t.longest; {
	case n > l[0]:
		l[0], l[1] = n, l[0]
	case n > l[1]:
		l[1] = n
	}
}

// usualS is the longest usual interval between two cycles. One that is far beyond
// all others is not usual before it came twice.
func (t *Tracker) usualS() float64 {
	l := t.longest
	if l[0] > 50*l[1] {
		return l[1] * t.stepS
	}
	return l[0] * t.stepS
}

// Follow follows a loop too. Of a loop that it has already, it takes the new
// template unless that one holds.
func (t *Tracker) Follow(l Loop, past func(yield func([]float32) bool), n int) {
	q := newPulse(l)
	q.learning = true
	q.samples = t.samples - int64(n)
	for x := range past {
		q.add(x)
	}
	q.samples, q.learning, q.fresh = t.samples, false, 0
	oldest := -1
	for i, p := range t.pulses {
		if math.Abs(p.length()/q.length()-1) < same && len(p.loop.from) == len(q.loop.from) &&
			p.loop.from[0] == q.loop.from[0] {
			if p != t.held {
				t.pulses[i] = q
			} else {
				p.loop.LoS, p.loop.HiS, p.loop.Confidence = l.LoS, l.HiS, l.Confidence
			}
			return
		}
		if p != t.held && (oldest < 0 || p.heldAt < t.pulses[oldest].heldAt) {
			oldest = i
		}
	}
	if len(t.pulses) < mostLoops {
		t.pulses = append(t.pulses, q)
	} else {
		t.pulses[oldest] = q
	}
}

// same is the difference of lengths up to which two loops are one.
const same = 0.08

// Forget forgets all loops that use a column.
func (t *Tracker) Forget(column int) {
	rest := t.pulses[:0]
	for _, p := range t.pulses {
		uses := false
		for k, j := range p.loop.from {
			uses = uses || j == column && p.loop.hi[k] > p.loop.lo[k] // not where it was always 0
		}
		if !uses {
			rest = append(rest, p)
		} else if p == t.held {
			t.held, t.lost = nil, t.samples
		}
	}
	t.pulses = rest
}

// Beat is what is known of the loop that holds.
type Beat struct {
	PeriodS, LoS, HiS float64
	// LastS is when the last cycle ended, NextS when the next one will, in seconds
	// since the first sample, ErrorS by how much that is usually wrong.
	LastS, NextS, ErrorS float64
	Residual, Confidence float64
}

// Beat returns what is known of the loop that holds; false if none does.
func (t *Tracker) Beat() (Beat, bool) {
	p := t.held
	if p == nil {
		return Beat{}, false
	}
	s := t.stepS
	b := Beat{PeriodS: p.length() * s, LastS: p.end * s, NextS: (p.end + p.length()) * s,
		ErrorS:   max(p.deviation, float64(p.loop.every)/2) * s,
		Residual: p.residual, Confidence: p.loop.Confidence}
	b.LoS, b.HiS = b.PeriodS+min(0, p.loop.LoS-p.loop.PeriodS), b.PeriodS+max(0, p.loop.HiS-p.loop.PeriodS)
	return b, true
}

// Cycles is how many cycles were counted.
func (t *Tracker) Cycles() int { return t.cycles }

// LostS is since when no loop holds, in seconds of samples; 0 while one does.
func (t *Tracker) LostS() float64 {
	if t.held != nil {
		return 0
	}
	return float64(t.samples-t.lost) * t.stepS
}

// correct forgets loops of which a more confident one is a multiple or a part; false
// if the new one is such a part or multiple itself.
func (t *Tracker) correct(l Loop) bool {
	n := l.PeriodS / t.stepS
	for i := 0; i < len(t.pulses); i++ {
		p := t.pulses[i]
		ratio := max(p.length()/n, n/p.length())
		if m := math.Round(ratio); m < 2 || math.Abs(ratio-m) > same*m {
			continue
		}
		if l.Confidence < p.loop.Confidence {
			return false
		}
		t.pulses = slices.Delete(t.pulses, i, i+1)
		if i--; p == t.held {
			t.held, t.lost = nil, t.samples
		}
	}
	return true
}

// LastS is when the last cycle of any loop ended, in seconds since the first sample.
func (t *Tracker) LastS() float64 { return t.lastEnd * t.stepS }
