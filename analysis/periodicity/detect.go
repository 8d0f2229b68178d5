package periodicity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// minSamples is the shortest profile in which a period is sought.
const minSamples = 48

// Detect finds the periods of a profile, the main one first. The result is the same for the same input. An error means
// that the set itself is unusable. A profile without a period gives a result without periods whose note has the reason.
// Gaps are unknown time: they count for no coverage.
func Detect(set series.Set, par Params) (Result, error) {
	kept, gaps := withoutGaps(set)
	r, err := detectKnown(kept, par)
	for i := range r.Periods {
		if len(gaps) > 0 {
			r.Periods[i].restore(set, gaps)
		}
	}
	return r, err
}

// detectKnown is Detect for a set without gaps.
func detectKnown(set series.Set, par Params) (Result, error) {
	n := set.Len()
	for _, c := range set.Columns {
		if len(c.Values) != n {
			return Result{}, fmt.Errorf("internal error, please report it: detect periods: column %q has %d samples but the "+
				"first column has %d", c.Name,
				len(c.Values), n)
		}
	}
	if !(set.StepS > 0) {
		return Result{}, fmt.Errorf("internal error, please report it: detect periods: the step between samples is %v s, "+
			"want more than 0", set.StepS)
	}
	if n < minSamples {
		return Result{Notes: []note.Note{note.New(note.TooShort, "no period: %d samples: at least %d are needed to look "+
			"for one", n, minSamples)}}, nil
	}
	par.voluntaryIdle = par.idlesVoluntarily(set)
	scopes := []series.Scope{series.JobScope}
	if par.NodeScope {
		scopes = append(scopes, series.NodeScope)
	}
	var refused outcome
	for _, scope := range scopes {
		o := detectScope(set, sources(set, scope, par), par)
		if scope == series.JobScope && len(o.combs) == 0 {
			if len(o.periods) == 0 {
				o = o.withWholeRun(set, par)
			}
			o.periods = withUnequal(o.periods, set)
		}
		o = o.reportable(set)
		if len(o.periods) > 0 {
			main := o.periods[0].withAlternatingCyclesJoined(set).withClosedBreaks(set)
			o.periods[0] = main.sharpened(set).withMeasuredLengths(set)
			return Result{Periods: o.periods, Macros: o.allMacros(), Notes: warnings(o, set)}, nil
		}
		refused = refused.furthest(o)
	}
	return Result{Notes: []note.Note{refused.refusal(set)}}, nil
}

// LeastConfidenceOfSampledCode is the least confidence that is reported of a profile with code, whatever
// the number of columns and grids that agree.
const LeastConfidenceOfSampledCode = 0.4

// reportable drops the periods with a confidence below LeastConfidenceOfSampledCode from the outcome of a profile with
// code. If none remains, the first becomes the candidate. Without code the outcome is unchanged.
func (o outcome) reportable(set series.Set) outcome {
	if len(code(set)) == 0 {
		return o
	}
	tooUnsure := func(p Period) bool { return p.Confidence < LeastConfidenceOfSampledCode }
	if kept := slices.DeleteFunc(slices.Clone(o.periods), tooUnsure); len(kept) < len(o.periods) {
		if tooUnsure(o.periods[0]) {
			o.macros = nil // they are cycles of it
		}
		if len(kept) == 0 {
			o.stage, o.candidate = foundUnsure, o.periods[0]
		}
		o.periods = kept
	}
	return o
}

// detectScope finds the periods of the columns of one scope, in wall time or in CPU time, and returns those of the
// source that represents the columns that agree. It searches an excerpt of a long profile first; a period found there
// is followed through all of it, and without one the whole profile is searched. An outcome without periods says how far
// the search came.
func detectScope(set series.Set, all []source, par Params) outcome {
	looks := []series.Set{set}
	if e := excerpt(set, excerptPart); len(all) > 1 && e.Len() < set.Len() {
		looks = []series.Set{e, set}
	}
	clock := sync.OnceValue(func() series.Clock { c, _ := set.Clock(); return c })
	var refused outcome
	for _, look := range looks {
		wall, none := searchWall(look, all, par)
		refused = refused.furthest(none)
		o := combineAxes(look, wall, par)
		partly := o.partly || look.Len() < set.Len()
		if partly && len(o.periods) > 0 {
			o = o.extendToWhole(set, clock())
		}
		if len(o.periods) > 0 {
			if o.addCPUTime(clock); partly && len(o.macros) == 0 {
				if m, ok := o.outerLoop(set, clock(), par); ok {
					o.macros = []Macro{m}
				}
			}
			return o
		}
		if o.source != "" {
			refused = refused.furthest(o)
		}
	}
	return refused
}

// searchWall returns the periods in wall time of the source that represents the columns that agree; without
// any, refused says how far the search came.
func searchWall(look series.Set, all []source, par Params) (o, refused outcome) {
	got, here := make([]outcome, len(all)), make([]source, len(all)) // here has the samples of look
	codeHasPeriod := false                                           // groups come first
	for i, s := range all {
		here[i] = s.in(look)
		if codeHasPeriod && s.showsUsageOnly() {
			continue // sources that only show CPU use have no vote once the code shows a period
		}
		got[i] = detectSource(look, here[i], len(all), par)
		if len(s.cols) > 1 {
			got[i] = got[i].separateCombs(here[i].cols, func(p Period) (Period, bool) { return p, true })
		}
		codeHasPeriod = codeHasPeriod || s.name == series.CodeGroup && len(got[i].periods) > 0
	}
	confirmCombs(got)
	got = unaliased(all, got)
	for _, o := range got {
		refused = refused.furthest(o)
	}
	at, agreed, usage := choose(here, got)
	if at < 0 {
		return outcome{}, refused
	}
	o = got[at]
	o.usage, o.code, o.agreed = usage, all[at].name == series.CodeGroup, agreed
	shown := o.periods[0].PeriodS
	o.searchWhole = func(set series.Set, _ series.Clock) outcome {
		return all[at].keepConfirmed(detectNear(set, all[at].in(set), len(all), par, shown), shown)
	}
	if usage {
		o.agreed *= usageShare
	}
	o.setAgreement(series.Wall, o.agreed)
	o.addCPUTime(func() series.Clock { c, _ := look.Clock(); return c })
	return o, refused
}

const (
	// shapeSamples is the number of samples from which on a shape is known.
	shapeSamples = 8
	// A loop of less than unseenSamples samples may be found as a multiple of
	// up to unseenFold iterations (12 ms at 5 ms as 60 ms).
	unseenSamples, unseenFold = 2.6, 5
)

// FewInstances is the number of instances below which a note warns: the paper found
// that a pattern needs 100.
const FewInstances = 100

// warnings returns notes about the reliability of the main period, o.periods[0]: unequal cycles, few cycles, few
// samples in a cycle.
func warnings(o outcome, set series.Set) []note.Note {
	var notes []note.Note
	main := o.periods[0]
	if main.Kind == Unequal {
		notes = append(notes, unequalNote(main))
	}
	if n := len(main.Instances); n < FewInstances {
		notes = append(notes, note.New(note.FewInstances,
			"only %d cycles were seen: with fewer than %d their mean shape is uncertain", n,
			FewInstances))
	}
	switch n, ms := main.PeriodSamples, 1000*set.StepS; {
	case n < shapeSamples:
		notes = append(notes, note.New(note.FewSamples,
			"a cycle has only %.1f samples, one every %.3g ms: its length is known, its shape is not", n, ms))
	case n <= unseenFold*unseenSamples:
		notes = append(notes, note.New(note.FewSamples,
			"a period has only %.1f samples, one every %.3g ms: if cycles take less than %.3g ms, a period is 2 to %d cycles",
			n, ms, unseenSamples*ms, unseenFold))
	}
	return notes
}

// stretchOf returns the largest ratio of the lengths of one loop in two places. It is larger in CPU time,
// because of busy neighbours on the same core and cache.
func stretchOf(axis series.Axis) float64 {
	if axis == series.CPU {
		return 1.6
	}
	return 1.18
}

// detectSource finds the periods of one source; of is the number of sources, which raises the required
// significance.
func detectSource(set series.Set, s source, of int, par Params) outcome {
	return detectNear(set, s, of, par, 0)
}

const (
	// components bounds the number of principal components kept of a group,
	// maxPatterns that of the periods of one profile.
	components, maxPatterns = 4, 6
	// minSignificance is the least significance of a period (see null.go)
	// where one column is looked at, columnSignificance what the logarithm of
	// their number adds: of 2560 columns without a period, of sixteen kinds,
	// 12 reached 1.2 and three 1.5.
	minSignificance, columnSignificance = 1.2, 0.35
	// minConfidence is the smallest confidence that is reported: four good
	// instances are enough and three are not. columnConfidence is what the logarithm
	// of the number of columns adds: four instances in one of 64 are chance.
	minConfidence, columnConfidence = 0.28, 0.05
)

// LeastConfidence is the confidence below which no period is reported of a profile with the given number of
// columns.
func LeastConfidence(columns int) float64 {
	return minConfidence + columnConfidence*math.Log(float64(columns))
}

// detectNear is detectSource with a period of shownS seconds, found in an excerpt, which is followed first; 0
// if there is no such period. of is the number of sources searched: with more of them a period must be more
// significant.
func detectNear(set series.Set, s source, of int, par Params, shownS float64) outcome {
	o := outcome{source: s.name}
	proj, ok := newProjection(s)
	if !ok {
		return o
	}
	h := &searcher{
		par:     par,
		stretch: stretchOf(set.Axis),
		minLag:  int(math.Ceil(s.minLagS / set.StepS)),
		minZ:    minSignificance + columnSignificance*math.Log(float64(of)),
		shown:   shownS / set.StepS,
	}
	n := set.Len()
	for a := 0; a < n; {
		b := min(a+par.chunk, n)
		if n-b < par.chunk/8 {
			b = n
		}
		a = h.chunk(proj, a, b, b == n)
	}
	o.stage = min(h.stage, lowCoverage)
	least := max(s.minConfidence, LeastConfidence(of))
	for _, k := range h.join() {
		p, ok := k.period(set, s.name)
		if ok && p.Confidence >= least && len(p.Instances) >= s.minInstances {
			o.periods = append(o.periods, p)
			o.stage = found
		}
	}
	slices.SortStableFunc(o.periods, func(x, y Period) int {
		return cmp.Compare(y.Coverage*y.Confidence, x.Coverage*x.Confidence)
	})
	return o
}

// searcher searches the chunks of a profile for periods; it holds the periods found so far and the buffers.
type searcher struct {
	par      Params
	minLag   int
	minZ     float64
	stretch  float64 // by how much one loop may differ in length from place to place
	shown    float64 // the lag that an excerpt showed, 0 without one
	quick    bool    // fits are made from one place, with one round less
	lags     lagFinder
	tracker  tracker
	num, den []float64
	buf      vector
	levels   pyramid // of buf
	small    pyramid // of a permutation
	found    []*trackedPeriod
	stage    stage
}

// chunk searches the samples [off, end): it follows the periods already found, then searches the longest stretches that
// stay open, until at most maxPatterns periods are found. It returns where the next chunk begins: behind the last
// instance, if that is in the second half and this is not the last chunk, else at end.
func (h *searcher) chunk(proj *projection, off, end int, last bool) int {
	h.buf = proj.apply(h.buf, off, end)
	n := h.buf.len()
	p := h.levels.over(h.buf)
	open := []span{{0, n}}
	for _, k := range h.found {
		open = h.cover(p, k, open, off, 0)
	}
	for refused := map[span]bool{}; len(h.found) < maxPatterns; {
		s, ok := widest(open, refused, max(minSamples, int(minCoverage*float64(n)/2)))
		if !ok {
			break
		}
		x, st := h.followShown(p, s.a, s.b)
		if st != found {
			x, st = h.search(p, s.a, s.b)
		}
		h.stage = max(h.stage, st)
		before := total(open)
		if st == found {
			open = h.adopt(p, x, open, off)
		}
		if total(open) == before {
			refused[s] = true
		}
	}
	if e := h.lastEnd() - off; !last && e > n/2 {
		return off + e
	}
	return off + n
}

// adopt adds a new fit to the periods found and follows it through the open spans; it returns the spans that
// stay open.
func (h *searcher) adopt(p *pyramid, x fit, open []span, off int) []span {
	k := &trackedPeriod{t: x.t, now: x.t, level: x.level, lag: x.lag, distance: x.distance, z: x.z, children: x.children}
	k.improve(&h.tracker, p, x.a, x.b)
	h.found = append(h.found, k)
	return h.cover(p, k, open, off, x.seed)
}

// cover follows k through the open spans, those after sample from forwards and those before it backwards, and adds the
// instances to k. It returns the spans that stay open, ascending. Sample 0 of the pyramid is sample off of the profile.
func (h *searcher) cover(p *pyramid, k *trackedPeriod, open []span, off, from int) []span {
	var rest []span
	follow := func(s span) {
		at := s.a
		for _, c := range k.follow(&h.tracker, p, s.a, s.b, from, off) {
			if c.a > at {
				rest = append(rest, span{at, c.a})
			}
			at = c.b
		}
		if at < s.b {
			rest = append(rest, span{at, s.b})
		}
	}
	for _, s := range open {
		if s.b > from {
			follow(s)
		}
	}
	later := k.now
	k.now = k.t
	for _, s := range slices.Backward(open) {
		if s.b <= from {
			follow(s)
		}
	}
	k.now = later
	slices.SortFunc(rest, func(x, y span) int { return cmp.Compare(x.a, y.a) })
	return rest
}

// lastEnd returns the end, in samples of the profile, of the last instance of any period; 0 without one.
func (h *searcher) lastEnd() int {
	end := 0
	for _, k := range h.found {
		for _, g := range k.groups {
			last := g.in[len(g.in)-1]
			end = max(end, last.First+last.Length)
		}
	}
	return end
}

// widest returns the longest span not yet refused; false if it has fewer than minWidth samples.
func widest(open []span, refused map[span]bool, minWidth int) (span, bool) {
	var w span
	for _, s := range open {
		if !refused[s] && s.b-s.a > w.b-w.a {
			w = s
		}
	}
	return w, w.b-w.a >= minWidth
}

// total returns the number of samples in the spans.
func total(open []span) int {
	n := 0
	for _, s := range open {
		n += s.b - s.a
	}
	return n
}
