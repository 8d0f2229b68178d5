package tracker

import (
	"iter"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// Pursuit is a tracker with what it needs to find its loops: the last minutes, and
// when to ask about them.
type Pursuit struct {
	*Tracker
	Memory *RecentSamples
	nextS  float64 // when to ask next, seconds since the first sample
	waitS  float64 // between this question and the next
	turn   int
	againS float64 // when to ask although a loop holds
	paidS  float64 // when the last question is paid for
	held   bool
}

const (
	// firstS is the time of the first detection; waits double from leastWaitS to mostWaitS, so that a job without
	// a loop costs little.
	firstS     = 10
	leastWaitS = 10
	mostWaitS  = 600
	// For a loop that holds, detection runs again after againS, then after the same multiple of the time so far:
	// what ten seconds showed may be a part of the loop.
	againS     = 30
	againTimes = 5
)

// NewPursuit begins with nothing. Columns have no values.
func NewPursuit(columns []series.Column, stepS float64) *Pursuit {
	return &Pursuit{Tracker: New(stepS), Memory: NewMemory(columns, stepS), nextS: firstS, waitS: leastWaitS,
		againS: againS}
}

// Add takes a sample of all columns.
func (p *Pursuit) Add(x []float32) (Cycle, bool) {
	p.Memory.Add(x)
	c, told := p.Tracker.Add(x)
	if p.Tracker.held == nil && p.held { // lost: detection runs soon
		p.waitS = leastWaitS
		p.nextS = min(p.nextS, p.nowS()+leastWaitS/2)
	}
	p.held = p.Tracker.held != nil
	return c, told
}

func (p *Pursuit) nowS() float64 { return float64(p.samples) * p.stepS }

// Due reports whether a detection is due. While a loop holds, detection runs rarely, to confirm it with more
// samples.
func (p *Pursuit) Due() bool {
	return p.nowS() >= max(p.nextS, p.paidS) && (!p.held || p.nowS() >= p.againS)
}

// DetectionRequest holds the samples to search, of one scale: a copy.
type DetectionRequest struct {
	set   series.Set
	merge int
	// whole has all columns, at which of them those of set are; nil where set has all.
	whole series.Set
	at    []int
}

// Question returns the next request; the scales take turns.
func (p *Pursuit) Question() DetectionRequest {
	p.nextS = p.nowS() + p.waitS
	p.waitS = min(1.5*p.waitS, mostWaitS)
	scale := 0
	for s := 1; s < scales; s++ {
		// A coarser scale says more once it reaches further back than the finer.
		if p.Memory.Seconds(s) > 1.5*p.Memory.Seconds(s-1) && p.turn%(s+1) == s {
			scale = s
		}
	}
	p.turn++
	if p.held {
		p.againS = againTimes * p.nowS()
	}
	set := p.Memory.Set(scale)
	return DetectionRequest{set: set, merge: p.Memory.scales[scale].merge, whole: set}
}

// Working removes three kinds of columns from a request: the job's share of the CPUs, kernel code, and code that
// spins while it waits. In a job that only waits, these show the rhythm of other programs that take its CPUs. A
// program that woke every 1.2 s ended the stall of one that spun.
func (q DetectionRequest) Working() DetectionRequest {
	q.set.Columns, q.at = nil, []int{}
	for i, c := range q.whole.Columns {
		if !c.Waits && !periodicity.Usage(c) && c.Name != series.KernelCode && c.Name != series.OtherCode {
			q.set.Columns, q.at = append(q.set.Columns, c), append(q.at, i)
		}
	}
	return q
}

// Answer is what detection says: the loops that can be followed. It takes most of a
// second at worst and touches nothing else, so that samples may come meanwhile.
func (q DetectionRequest) Answer() []Loop {
	got, err := periodicity.Detect(q.set, periodicity.Default())
	if err != nil {
		return nil
	}
	var loops []Loop
	for _, found := range got.Periods {
		if l, ok := Learn(q.set, q.merge, found); ok && len(loops) < mostLoops-1 {
			l.effort = learnEffort(q.whole, q.merge, found)
			loops = append(loops, q.placed(l))
		}
	}
	return loops
}

// placed is a loop with its columns among all of them.
func (q DetectionRequest) placed(l Loop) Loop {
	if q.at == nil {
		return l
	}
	for k, j := range l.from {
		l.from[k] = q.at[j]
	}
	if l.activity >= 0 && l.activity < len(q.at) {
		l.activity = q.at[l.activity]
	}
	return l
}

// Take follows the loops of an answer.
func (p *Pursuit) Take(loops []Loop) {
	if len(loops) > 0 && !p.correct(loops[0]) {
		return
	}
	for _, l := range loops {
		past, n := p.Memory.last(l.PeriodS)
		p.Follow(l, past, n)
	}
}

// Later postpones the next request by s seconds, because the last one was expensive. This also applies to a
// loop that is lost meanwhile: one that came and went made a request every seven seconds.
func (p *Pursuit) Later(s float64) { p.paidS = p.nowS() + s }

// last are the last samples of the finest scale, eight periods of them, so that a
// loop that goes on is known from its first cycle after it was learned.
func (m *RecentSamples) last(periodS float64) (iter.Seq[[]float32], int) {
	r := &m.scales[0]
	n := min(r.n, int(8*periodS/m.stepS)+1)
	x := make([]float32, len(m.columns))
	return func(yield func([]float32) bool) {
		for i := range n {
			at := (r.at - n + i + 2*remembers) % remembers
			if r.n < remembers {
				at = r.n - n + i
			}
			for j := range x {
				x[j] = r.values[j][at]
			}
			if !yield(x) {
				return
			}
		}
	}, n
}

// Replace makes column j another one. Loops that are followed in it are forgotten.
func (p *Pursuit) Replace(j int, c series.Column) {
	p.Memory.Replace(j, c)
	p.Forget(j)
}
