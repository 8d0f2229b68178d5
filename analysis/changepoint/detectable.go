package changepoint

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

const (
	// detectableRuns is after how many runs at a new level a step must be reported.
	detectableRuns = 5
	// detectablePower is by what factor a step must exceed one that is reported in half of
	// the cases to be reported in nine of ten: those need a standard score of 5 to 6.
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

// typical are five runs as normal noise makes them: mean 0 and standard deviation 1.
var typical = [detectableRuns]float64{0.56, -1.26, 0, 1.26, -0.56}

// detector judges steps at the end of a history.
type detector struct {
	scanner
	n     int     // runs of the history
	s     float64 // their standard deviation, log units
	level float64 // of the newest of them
}

// newDetector continues history in, whose changes are ev, at its newest level.
func newDetector(in history, ev []event, p Params) *detector {
	d := &detector{scanner: scanner{history: in, p: p}, n: len(in.x)}
	d.learn = nil
	d.x = append(slices.Clone(in.x), make([]float64, detectableRuns)...)
	d.moment, d.day = continued(in.moment), continued(in.day)
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
		d.past = append(d.past, past{d.start, e.index, 0, 0})
		d.start = e.index
	}
	for q := range d.past {
		st := known.stay(d.past[q].first, d.past[q].end)
		d.past[q].mu, d.past[q].s = st.mu, st.s
	}
	d.s, d.level = 0, 0
	if d.n > d.start {
		st := known.stay(d.start, d.n)
		d.s, d.level = st.s, st.mu
	}
	return d
}

// continued appends the numbers of the runs after a history to those of its runs, which
// go on growing as they did in the window before; nil stays nil.
func continued(numbers []int) []int {
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

// reports returns whether a step of that size, log units, is reported if the next runs
// scatter as runs typically do.
func (d *detector) reports(step float64) bool {
	for k, v := range typical {
		d.x[d.n+k] = d.level + step + d.s*v
	}
	return d.committed()
}

// committed returns whether a change of the newest runs is committed.
func (d *detector) committed() bool {
	j := len(d.x)
	i := max(d.start, j-windowRuns)
	if j-i < 2*minSegment-1 {
		return false
	}
	b := memory(d.buf, d.x[:i])
	c, all := d.scan(i, j, i > d.start, b)
	c, v := d.decide(i, j, i > d.start, c, all, b)
	return v.committed && i+c.k >= d.n-detectableRuns
}

// detectable is the least step in log units that is reported after detectableRuns runs in
// nine of ten cases; not ok where none of detectableMost or less is.
func (d *detector) detectable() (step float64, ok bool) {
	lo, hi := max(detectableLeast*d.s, 1e-4), max(detectableUsual*d.s, 2e-4)
	if !d.reports(hi) {
		lo, hi = hi, detectableMost
		if lo >= hi || !d.reports(hi) {
			return 0, false
		}
	}
	for range detectableSteps {
		mid := math.Sqrt(lo * hi)
		if d.reports(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return detectablePower * hi, true
}

// runsFor is how many runs of its newest level a history needs for a step of that size
// to be reported; 0 where usefulRuns do not suffice.
func (d *detector) runsFor(step float64) int {
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
		return q.reports(step / detectablePower)
	}
	if !enough(usefulRuns) {
		return 0
	}
	return known + sort.Search(usefulRuns-known, func(k int) bool { return enough(known + k) })
}

// detectable sets the least change that the runs of r can show, and where that is more
// than usefulPct how many runs that would take.
func (r *ready) detectable(res *SeriesResult, l *look, p Params) {
	in := l.in
	switch {
	case len(r.x) == 0 || r.quiet && len(r.x) >= fewestRuns: // all equal
		return
	case r.quiet:
		in = history{x: r.x, moment: r.moments, day: r.day}
	}
	p.EpisodeRuns = 0
	d := newDetector(in, l.out.events, p)
	if step, ok := d.detectable(); ok && len(r.x) >= minSegment {
		pct := 100 * math.Expm1(step)
		res.DetectablePct = &pct
		if pct <= usefulPct {
			return
		}
	}
	if d.s == 0 {
		return
	}
	if n := d.runsFor(math.Log1p(usefulPct / 100.)); n > d.n-d.start {
		res.RunsForTenPct = &n
	}
}
