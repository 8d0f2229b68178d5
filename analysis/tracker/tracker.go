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

// mostLoops is the most loops that are followed at a time: two phases and their variants. The one that was not
// running for the longest time is dropped.
const mostLoops = 4

// New returns a tracker of samples of stepS seconds each.
func New(stepS float64) *Tracker { return &Tracker{stepS: stepS} }

// Cycle is the end of one cycle.
type Cycle struct {
	EndS, LengthS float64 // since the first sample, and of the cycle
	Residual      float64 // 0 = as its template, 1 = unrelated
}

// Add adds a sample of all columns. It returns the cycle that was found to have ended, false if none: a cycle
// is found an eighth of its length late.
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
				t.countCycle(p)
			}
		}
	}
	if t.held != nil && !t.held.holds() {
		t.selectRunningLoop()
	}
	return c, told
}

// selectRunningLoop makes another running loop the current one, if one exists.
func (t *Tracker) selectRunningLoop() {
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

// countCycle counts a cycle of a running loop, which becomes the current one.
func (t *Tracker) countCycle(p *pulse) {
	since := p.end - t.lastEnd
	if t.held != p { // those that verified it ended before
		t.cycles += p.run - 1
		since -= float64(p.run-1) * p.length()
	}
	t.cycles++
	t.held = p
	if t.lastEnd > 0 {
		t.addInterval(since)
	}
	t.lastEnd = p.end
}

// addInterval records an interval between two cycles, in samples, if it is one of the two longest.
func (t *Tracker) addInterval(n float64) {
	switch l := &t.longest; {
	case n > l[0]:
		l[0], l[1] = n, l[0]
	case n > l[1]:
		l[1] = n
	}
}

// usualS returns the longest usual interval between two cycles in seconds: the longest so far or, if that is more than
// 50 times the second longest, the second longest.
func (t *Tracker) usualS() float64 {
	l := t.longest
	if l[0] > 50*l[1] {
		return l[1] * t.stepS
	}
	return l[0] * t.stepS
}

// Follow adds a loop to those that are followed; past yields the n samples before now. If the loop is already
// followed, its template is replaced unless it is running. If mostLoops others are followed, the one that was
// found running longest ago is dropped.
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
		if math.Abs(p.length()/q.length()-1) < maxSameDifference && len(p.loop.from) == len(q.loop.from) &&
			p.loop.from[0] == q.loop.from[0] {
			if p != t.held {
				t.pulses[i] = q
			} else {
				p.loop.PeriodLoS, p.loop.PeriodHiS, p.loop.Confidence = l.PeriodLoS, l.PeriodHiS, l.Confidence
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

// maxSameDifference is the largest relative difference of lengths at which two loops count as one.
const maxSameDifference = 0.08

// Forget forgets all loops that use a column, apart from those that were learned while the column stood
// still. If the current loop is forgotten, another running one becomes current.
func (t *Tracker) Forget(column int) {
	t.pulses = slices.DeleteFunc(t.pulses, func(p *pulse) bool {
		for k, j := range p.loop.from {
			if j == column && p.loop.hi[k] > p.loop.lo[k] { // not where it was always 0
				return true
			}
		}
		return false
	})
	if t.held != nil && !slices.Contains(t.pulses, t.held) {
		t.selectRunningLoop()
	}
}

// CurrentLoop describes the running loop: its period, and when its next cycle is expected to end.
type CurrentLoop struct {
	PeriodS, LoS, HiS float64
	// LastS is when the last cycle ended, NextS when the next one is expected to end, in seconds since the first
	// sample, and ErrorS the usual error.
	LastS, NextS, ErrorS float64
	Residual, Confidence float64
}

// CurrentLoop returns the running loop; false if none exists.
func (t *Tracker) CurrentLoop() (CurrentLoop, bool) {
	p := t.held
	if p == nil {
		return CurrentLoop{}, false
	}
	s := t.stepS
	b := CurrentLoop{PeriodS: p.length() * s, LastS: p.end * s, NextS: (p.end + p.length()) * s,
		ErrorS:   max(p.deviation, float64(p.loop.every)/2) * s,
		Residual: p.residual, Confidence: p.loop.Confidence}
	b.LoS = b.PeriodS + min(0, p.loop.PeriodLoS-p.loop.PeriodS)
	b.HiS = b.PeriodS + max(0, p.loop.PeriodHiS-p.loop.PeriodS)
	return b, true
}

// Cycles returns the number of cycles counted so far.
func (t *Tracker) Cycles() int { return t.cycles }

// LostS returns for how many seconds no loop has been running; 0 while one is.
func (t *Tracker) LostS() float64 {
	if t.held != nil {
		return 0
	}
	return float64(t.samples-t.lost) * t.stepS
}

// replacesWorse drops the followed loops of which the new one is a multiple or a part, if it is at least as
// confident; it returns false if a followed one is more confident.
func (t *Tracker) replacesWorse(l Loop) bool {
	n := l.PeriodS / t.stepS
	for i := 0; i < len(t.pulses); i++ {
		p := t.pulses[i]
		ratio := max(p.length()/n, n/p.length())
		if m := math.Round(ratio); m < 2 || math.Abs(ratio-m) > maxSameDifference*m {
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

// LastS returns when the last cycle of any loop ended, in seconds since the first sample.
func (t *Tracker) LastS() float64 { return t.lastEnd * t.stepS }
