package scaling

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// Analyse fits each series by the method, in the order of the input. It never
// fails: what it cannot say of a series is a note of its result. The time of
// one series is bounded whatever its length; that of many is linear in their
// number, and shared by the processors.
func Analyse(series []Series, method Method) []Result {
	if method != Paper && method != ExtraP {
		method = Likelihood
	}
	out := make([]Result, len(series))
	workers := max(1, min(runtime.GOMAXPROCS(0), len(series)/leastShareOfWork))
	var done sync.WaitGroup
	for w := range workers {
		done.Go(func() {
			b := bench{method: method, detector: newDetector()}
			for i := w * len(series) / workers; i < (w+1)*len(series)/workers; i++ {
				out[i] = b.analyse(series[i])
			}
		})
	}
	done.Wait()
	return out
}

// leastShareOfWork is the number of series, of some milliseconds each, that a
// worker is started for.
const leastShareOfWork = 8

// bench keeps what one series can leave for the next: the detector's memory.
type bench struct {
	method   Method
	detector *detector
}

// mostPoints is the number of distinct parameter values that the windows of the
// paper and the models look at. No campaign has that many.
const mostPoints = 1000

// MaxPoints is the number of distinct parameter values that the default method
// looks at one by one; of more, as many are chosen.
const MaxPoints = 64

func (b *bench) analyse(s Series) Result {
	points, notes := order(s)
	r := Result{
		ID: s.ID, Parameter: s.Parameter, Metric: s.Metric, N: len(points),
		Cuts: []int{}, Changes: []Change{}, Segments: []Segment{},
		Predictions: []Prediction{}, Next: []Next{}, Notes: append(append([]note.Note{}, s.Notes...), notes...),
	}
	w := work{series: s, points: points, result: &r}
	w.p, w.y = columns(points)
	if b.method == Likelihood {
		w.thin(MaxPoints)
		w.leaveOutBadRuns(b.detector)
	} else {
		w.thin(mostPoints)
	}
	w.warn(b.method)
	if s.Mode == Strong || s.Mode == Weak {
		r.Mode = &s.Mode
		r.Efficiency = efficiency(w.points, w.bad, s.Mode)
	}
	switch {
	case len(points) == 0:
		w.note(note.NeedMore, "no usable run: need %d distinct values of %s", enoughPoints, parameterName(s))
	case b.method == Paper:
		w.paper()
	case b.method == ExtraP:
		w.extraP()
	default:
		w.likelihood(b)
	}
	w.unthin()
	w.next()
	return r
}

// work is one series on its way to a result. Indexes in the result count p, y
// until unthin.
type work struct {
	series Series
	points []point
	p, y   []float64
	index  []int // of each p in points, nil if there are no others
	result *Result
	bad    []badRun // that were left out
	ahead  outlook  // what the likelihood method expects
	doubt  doubt
	// lastAlone: the last value is far from the others. It is a failed run
	// unless the detector sees a change before it.
	lastAlone bool
}

// doubt is a change that was not found but may be there.
type doubt struct {
	after, before float64 // the parameter values around it
	share         float64 // its probability, wherever it is
}

// leastDoubt is the probability from which a run between is worth proposing.
const leastDoubt = 0.1

func (w *work) note(code note.Code, format string, args ...any) {
	w.result.Notes = append(w.result.Notes, note.New(code, format, args...))
}

// count fills in whether the points of a segment are enough for a model.
func (s *Segment) count() {
	s.MissingPoints = max(0, enoughPoints-(s.Last-s.First+1))
	s.Enough = s.MissingPoints == 0
}

// segments makes the segments between the changes of the result. model gives
// the model of points first..last or nil.
func (w *work) segments(model func(first, last int) *Model) {
	r := w.result
	first := 0
	add := func(last int) {
		s := Segment{First: first, Last: last, Model: model(first, last)}
		s.count()
		r.Segments = append(r.Segments, s)
	}
	for _, c := range r.Changes {
		r.Cuts = append(r.Cuts, c.Cut)
		if c.Common != nil {
			// The common point is the last of one and the first of the other.
			at, _ := slices.BinarySearch(w.p, *c.Common)
			add(at)
			first = at
			continue
		}
		add(c.Cut - 1)
		first = c.Cut
	}
	add(len(w.p) - 1)
}

// fewPoints notes that a model of fewer than five points is no more than a
// sketch; without any model it says how many points are missing for one.
func (w *work) fewPoints(least int) {
	n, name := len(w.p), parameterName(w.series)
	switch {
	case n < least:
		w.note(note.NeedMore, "%s of %s: need %d more for a model", quantity.Plural(n, "distinct value"), name, least-n)
	case n < enoughPoints:
		w.note(note.FewPoints, "a model of %s of %s; need %d more to trust it", quantity.Plural(n, "distinct value"), name,
			enoughPoints-n)
	}
}

// paper is the method of the paper, section 3.
func (w *work) paper() {
	r := w.result
	w.fewPoints(leastForModel)
	if len(w.p) < leastForModel {
		return
	}
	model := func(first, last int) *Model {
		return modelPaper(r.Parameter, w.p[first:last+1], w.y[first:last+1])
	}
	r.Whole = model(0, len(w.p)-1)
	if len(w.p) < paperLeast {
		w.note(note.NeedMore, "the paper's method looks for changes from %d points on: need %d more", paperLeast,
			paperLeast-len(w.p))
	}
	v := verdict{located: true}
	if !w.series.Uncut {
		v = segmentPaper(w.p, w.y)
	}
	r.Segmented, r.Changes = v.segmented, append(r.Changes, v.changes...)
	if !v.located {
		w.note(note.NotLocated, "the windows disagree with one law, but not in a pattern that the paper gives a place to")
	}
	if r.Segmented && len(r.Changes) == 0 {
		return
	}
	w.segments(model)
}

// extraP is Extra-P's Basic modeler: one model, no segments.
func (w *work) extraP() {
	r := w.result
	w.fewPoints(leastForModel)
	if len(w.p) < leastForModel {
		return
	}
	r.Whole = modelExtraP(w.p, w.y).judged(r.Parameter, w.p, w.y)
	w.segments(func(int, int) *Model { return r.Whole })
}

// likelihood is the default method.
func (w *work) likelihood(b *bench) {
	r := w.result
	w.fewPoints(enoughPoints)
	if len(w.p) < enoughPoints {
		return
	}
	g := newGrid(w.chosen())
	w.y = g.y // the mean of groups where they are known
	r.Whole = modelLikelihood(r.Parameter, w.p, w.y)
	var d detection
	judged := positive(w.y) && !w.series.Uncut
	if judged {
		d = b.detector.detect(g)
	}
	if w.lastAlone && !d.segmented {
		w.lastAlone = false
		w.warnLone(len(w.p)-1, true)
		w.likelihood(b)
		return
	}
	if judged {
		b.detector.locate(g, &d)
		r.short = d.short
		if s := d.strength; !math.IsNaN(s) && !math.IsInf(s, 0) {
			r.ChangeStrength = &s
		}
	}
	if w.lastAlone {
		w.warnLone(len(w.p)-1, false)
	}
	r.Segmented, r.Changes = d.segmented, append(r.Changes, d.changes...)
	w.segments(func(first, last int) *Model {
		return modelLikelihood(r.Parameter, w.p[first:last+1], w.y[first:last+1])
	})
	w.foresee(g, d)
	w.suspect(d)
}

// suspect keeps the place of the most probable change of a series that was
// taken for one law.
func (w *work) suspect(d detection) {
	if d.segmented || len(d.last) != len(w.p) || 1-d.last[0] < leastDoubt {
		return
	}
	at := 1
	for s := range d.last {
		if s > 0 && d.last[s] > d.last[at] {
			at = s
		}
	}
	w.doubt = doubt{after: w.p[at-1], before: w.p[at], share: 1 - d.last[0]}
}

// chosen is the points that thin left.
func (w *work) chosen() []point {
	if w.index == nil {
		return w.points
	}
	out := make([]point, len(w.index))
	for k, i := range w.index {
		out[k] = w.points[i]
	}
	return out
}

// positive says whether all values are.
func positive(y []float64) bool {
	for _, v := range y {
		if !(v > 0) {
			return false
		}
	}
	return true
}
