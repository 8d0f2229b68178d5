package changepoint

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"
)

const (
	// detectableRuns is the number of runs at a new level after which a step must be reported.
	detectableRuns = 5
	// detectablePower is the ratio of a step that is reported in nine of ten cases to one that is reported in half
	// of them: the latter needs a standard score of 5 to 6.
	detectablePower = 1.65
	// detectableLeast and detectableUsual, in standard deviations of the noise, and
	// detectableMost, in log units, bound the steps that are tried.
	detectableLeast = 1.5
	detectableUsual = 6
	detectableMost  = 1.4
	// detectableSteps halve their interval: the answer is exact to 2 %.
	detectableSteps = 6
	// usefulPct is the change for which a short series names the runs that it needs.
	usefulPct = 10
	// usefulRuns is the most runs of a level that are worth waiting for: more do not
	// make a step of few runs easier to see.
	usefulRuns = windowRuns
)

// typicalResiduals holds residuals of five runs typical of normal noise: mean 0 and standard deviation 1.
var typicalResiduals = [detectableRuns]float64{0.56, -1.26, 0, 1.26, -0.56}

// detector tests whether simulated steps after the end of a history would be reported.
type detector struct {
	scanner
	n     int     // runs of the history
	s     float64 // their standard deviation, log units
	level float64 // of the newest of them
}

// newDetector returns a detector for history in with changes ev, with room for detectableRuns simulated runs
// after the newest level.
func newDetector(in history, ev []event, p Params) *detector {
	d := &detector{scanner: scanner{history: in, p: p}, n: len(in.x)}
	d.learn = nil
	d.x = append(slices.Clone(in.x), make([]float64, detectableRuns)...)
	d.moment, d.day = continueNumbers(in.moment), continueNumbers(in.day)
	for _, list := range []*[]float64{&d.flips, &d.prior} {
		if *list != nil {
			*list = append(slices.Clone(*list), make([]float64, detectableRuns)...)
		}
	}
	for k := range detectableRuns {
		if d.flips != nil {
			d.flips[d.n+k] = -flipNats / 2
		}
	}
	known := scanner{history: in, p: p}
	for _, e := range ev {
		d.past = append(d.past, pastRegime{d.start, e.index, 0, 0})
		d.start = e.index
	}
	for q := range d.past {
		st := known.fitLevel(d.past[q].first, d.past[q].end)
		d.past[q].mu, d.past[q].s = st.mu, st.s
	}
	d.s, d.level = 0, 0
	if d.n > d.start {
		st := known.fitLevel(d.start, d.n)
		d.s, d.level = st.s, st.mu
	}
	return d
}

// continueNumbers appends detectableRuns numbers of days or times to those of a history, growing at the rate of
// the last window; nil stays nil.
func continueNumbers(numbers []int) []int {
	if numbers == nil {
		return nil
	}
	last, step := 0, 1.0
	if n := len(numbers); n > 1 {
		from := max(0, n-windowRuns)
		last, step = numbers[n-1], float64(numbers[n-1]-numbers[from])/float64(n-1-from)
	}
	out := slices.Clone(numbers)
	for k := range detectableRuns {
		out = append(out, last+int(step*float64(k+1)))
	}
	return out
}

// isReported reports whether a step of the given size, in log units, is committed if the next runs scatter like
// typicalResiduals.
func (d *detector) isReported(step float64) bool {
	for k, v := range typicalResiduals {
		d.x[d.n+k] = d.level + step + d.s*v
	}
	return d.isCommitted()
}

// isCommitted reports whether the detector commits a change among the simulated runs or the detectableRuns runs
// before n.
func (d *detector) isCommitted() bool {
	j := len(d.x)
	i := max(d.start, j-windowRuns)
	if j-i < 2*minSegment-1 {
		return false
	}
	b := priorNoise(d.buf, d.x[:i])
	c, all := d.scan(i, j, i > d.start, b)
	c, v := d.decide(i, j, i > d.start, c, all, b)
	return v.committed && i+c.k >= d.n-detectableRuns
}

// leastStep returns the least step, in log units, that is reported after detectableRuns runs in nine of ten
// cases; false if no step up to detectableMost is.
func (d *detector) leastStep() (step float64, ok bool) {
	lo, hi := max(detectableLeast*d.s, 1e-4), max(detectableUsual*d.s, 2e-4)
	if !d.isReported(hi) {
		lo, hi = hi, detectableMost
		if lo >= hi || !d.isReported(hi) {
			return 0, false
		}
	}
	for range detectableSteps {
		mid := math.Sqrt(lo * hi)
		if d.isReported(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return detectablePower * hi, true
}

// runsNeeded returns how many runs the newest level needs for a step of the given size, in log units, to be
// reported; 0 if usefulRuns do not suffice.
func (d *detector) runsNeeded(step float64) int {
	r := rand.New(rand.NewPCG(7, 11))
	known := min(d.n-d.start, usefulRuns)
	x := make([]float64, usefulRuns)
	for k := range x {
		x[k] = d.level + d.s*r.NormFloat64()
	}
	copy(x, d.x[d.n-known:d.n])
	enough := func(n int) bool {
		more := append(slices.Clone(x[:n]), make([]float64, detectableRuns)...)
		q := detector{scanner: scanner{history: history{x: more}, p: d.p}, n: n, s: d.s, level: d.level}
		return q.isReported(step / detectablePower)
	}
	if !enough(usefulRuns) {
		return 0
	}
	return known + sort.Search(usefulRuns-known, func(k int) bool { return enough(known + k) })
}

// singleRunNeeds returns a function that returns runsNeeded of a history of one run for a step of usefulPct. Its
// noise is the prior's, so that the number is the same for all such histories and is computed once.
func singleRunNeeds(p Params) func() int {
	return sync.OnceValue(func() int {
		return newDetector(history{x: []float64{0}}, nil, p).runsNeeded(math.Log1p(usefulPct / 100.))
	})
}

// detectable sets DetectablePct, the least change that the runs of r can show, and, if that exceeds usefulPct,
// RunsForTenPct. ofOneRun returns the runs that a history of one run needs.
func (r *preparedSeries) detectable(res *SeriesResult, l *seriesScan, p Params, ofOneRun func() int) {
	in := l.in
	switch {
	case len(r.x) == 0 || r.quiet && len(r.x) >= fewestRuns: // all equal
		return
	case len(r.x) == 1:
		if n := ofOneRun(); n > 1 {
			res.RunsForTenPct = &n
		}
		return
	case r.quiet:
		in = history{x: r.x, moment: r.moments, day: r.day}
	}
	p.EpisodeRuns = 0
	d := newDetector(in, l.out.events, p)
	if step, ok := d.leastStep(); ok && len(r.x) >= minSegment {
		pct := 100 * math.Expm1(step)
		res.DetectablePct = &pct
		if pct <= usefulPct {
			return
		}
	}
	if d.s == 0 {
		return
	}
	if n := d.runsNeeded(math.Log1p(usefulPct / 100.)); n > d.n-d.start {
		res.RunsForTenPct = &n
	}
}
