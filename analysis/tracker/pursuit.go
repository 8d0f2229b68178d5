package tracker

import (
	"iter"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// LoopTracker is a tracker that also finds its loops: it keeps the last minutes of samples and schedules
// detections.
type LoopTracker struct {
	*Tracker
	Memory  *RecentSamples
	nextS   float64 // time of the next detection, seconds since the first sample
	waitS   float64 // seconds between this detection and the next
	turn    int
	againS  float64 // time of the next detection while a loop is followed
	paidS   float64 // when the last question is paid for
	wasHeld bool
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

// NewLoopTracker returns a tracker without loops, for columns without values and samples of stepS seconds.
func NewLoopTracker(columns []series.Column, stepS float64) *LoopTracker {
	return &LoopTracker{Tracker: New(stepS), Memory: NewMemory(columns, stepS), nextS: firstS, waitS: leastWaitS,
		againS: againS}
}

// Add adds a sample of all columns. It returns the cycle that was found to have ended, false if none.
func (p *LoopTracker) Add(x []float32) (Cycle, bool) {
	p.Memory.Add(x)
	c, told := p.Tracker.Add(x)
	if p.Tracker.held == nil && p.wasHeld { // lost: detection runs soon
		p.waitS = leastWaitS
		p.nextS = min(p.nextS, p.nowS()+leastWaitS/2)
	}
	p.wasHeld = p.Tracker.held != nil
	return c, told
}

// nowS returns the time of the newest sample, in seconds since the first.
func (p *LoopTracker) nowS() float64 { return float64(p.samples) * p.stepS }

// Due reports whether a detection is due. While a loop holds, detection runs rarely, to confirm it with more
// samples.
func (p *LoopTracker) Due() bool {
	return p.nowS() >= max(p.nextS, p.paidS) && (!p.wasHeld || p.nowS() >= p.againS)
}

// DetectionRequest holds the samples to search, of one scale: a copy.
type DetectionRequest struct {
	set   series.Set
	merge int
	// whole has all columns; at holds the indexes in whole of the columns of set, nil if set has all.
	whole series.Set
	at    []int
	// cpuWaitS is how long the job's tasks wanted a CPU and did not run during the samples, in seconds over all tasks;
	// nil if that was not measured.
	cpuWaitS *float64
}

// NextRequest returns the next request for detection and schedules the one after it; the scales take turns.
func (p *LoopTracker) NextRequest() DetectionRequest {
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
	if p.wasHeld {
		p.againS = againTimes * p.nowS()
	}
	set := p.Memory.Set(scale)
	return DetectionRequest{set: set, merge: p.Memory.scales[scale].merge, whole: set,
		cpuWaitS: p.Memory.CPUWaitS(scale)}
}

// WorkOnly removes three kinds of columns from a request: the job's share of the CPUs, kernel code, and code that
// spins while it waits. In a job that only waits, these show the rhythm of other programs that take its CPUs. A
// program that woke every 1.2 s ended the stall of one that spun.
func (q DetectionRequest) WorkOnly() DetectionRequest {
	q.set.Columns, q.at = nil, []int{}
	for i, c := range q.whole.Columns {
		if !c.Waits && !periodicity.IsUsage(c) && c.Name != series.KernelCode && c.Name != series.OtherCode {
			q.set.Columns, q.at = append(q.set.Columns, c), append(q.at, i)
		}
	}
	return q
}

// Detect runs the detection and returns the loops that can be followed, fewer than mostLoops, and none if the
// detection fails. It takes up to a second and uses only the request, so that samples may be added meanwhile.
func (q DetectionRequest) Detect() []Loop {
	par := periodicity.Default()
	par.CPUWaitS = q.cpuWaitS
	got, err := periodicity.Detect(q.set, par)
	if err != nil {
		return nil
	}
	var loops []Loop
	for _, found := range got.Periods {
		if l, ok := Learn(q.set, q.merge, found); ok && len(loops) < mostLoops-1 {
			l.effort = learnEffort(q.whole, q.merge, found)
			loops = append(loops, q.withAllColumns(l))
		}
	}
	return loops
}

// withAllColumns changes the column indexes of the loop, in place, to those among all columns, and returns it.
func (q DetectionRequest) withAllColumns(l Loop) Loop {
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

// FollowDetected follows the detected loops. If the period of the first is a multiple or a part of a followed loop's,
// the more confident of both remains: the followed one is dropped, or none of the detected ones is followed.
func (p *LoopTracker) FollowDetected(loops []Loop) {
	if len(loops) > 0 && !p.replacesWorse(loops[0]) {
		return
	}
	for _, l := range loops {
		past, n := p.Memory.last(l.PeriodS)
		p.Follow(l, past, n)
	}
}

// Postpone postpones the next request by s seconds, because the last one was expensive. This also applies to a
// loop that is lost meanwhile: one that came and went made a request every seven seconds.
func (p *LoopTracker) Postpone(s float64) { p.paidS = p.nowS() + s }

// last returns the last samples of the finest scale, eight periods of them, and their number, so that a running
// loop is verified by its first cycle after it was learned.
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

// Replace replaces column j by another one, and forgets loops that are followed in it.
func (p *LoopTracker) Replace(j int, c series.Column) {
	p.Memory.Replace(j, c)
	p.Forget(j)
}
