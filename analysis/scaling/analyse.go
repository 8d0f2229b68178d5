package scaling

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// Analyse fits each series by the method, Likelihood if it is unknown, and returns the results in the order of
// the input. It never fails: what cannot be determined is a note of the result. The time of one series is
// bounded whatever its length; that of many is linear in their number, and shared by the processors.
func Analyse(series []Series, method Method) []Result {
	if method != Paper && method != ExtraP {
		method = Likelihood
	}
	out := make([]Result, len(series))
	workers := max(1, min(runtime.GOMAXPROCS(0), len(series)/leastShareOfWork))
	var done sync.WaitGroup
	for w := range workers {
		done.Go(func() {
			b := workspace{method: method, detector: newDetector()}
			for i := w * len(series) / workers; i < (w+1)*len(series)/workers; i++ {
				out[i] = b.analyse(series[i])
			}
		})
	}
	done.Wait()
	return out
}

// leastShareOfWork is the least number of series, of some milliseconds each, for each worker.
const leastShareOfWork = 8

// workspace holds the memory that the analyses of several series share: the detector.
type workspace struct {
	method   Method
	detector *detector
}

// maxPaperPoints is the most distinct parameter values that the windows of the paper and the models use. No
// campaign has that many.
const maxPaperPoints = 1000

// MaxLikelihoodPoints is the most distinct parameter values that the default method uses; of more, as many are chosen
// evenly.
const MaxLikelihoodPoints = 64

// analyse fits one series by the method of the workspace.
func (b *workspace) analyse(s Series) Result {
	points, notes := order(s)
	r := Result{
		ID: s.ID, Parameter: s.Parameter, Metric: s.Metric, N: len(points),
		Cuts: []int{}, Changes: []Change{}, Segments: []Segment{},
		Predictions: []Prediction{}, Next: []NextMeasurement{}, Notes: append(append([]note.Note{}, s.Notes...), notes...),
	}
	w := seriesWork{series: s, points: points, result: &r}
	w.p, w.y = columns(points)
	if b.method == Likelihood {
		w.thin(MaxLikelihoodPoints)
		w.leaveOutBadRuns(b.detector)
	} else {
		w.thin(maxPaperPoints)
	}
	w.warn(b.method)
	if s.Mode == Strong || s.Mode == Weak {
		r.Mode = &s.Mode
		r.Efficiency = efficiency(w.points, w.bad, s.Mode)
	}
	switch {
	case len(points) == 0:
		w.note(note.NeedMore, "no model, because no run is usable: want %d distinct values of %s", enoughPoints,
			parameterName(s))
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

// seriesWork is the analysis of one series. Until unthin, indexes in the result count p and y.
type seriesWork struct {
	series      Series
	points      []point
	p, y        []float64
	index       []int // of each p in points, nil if there are no others
	result      *Result
	bad         []badRun // that were left out
	outlook     outlook  // predictions of the likelihood method
	maybeChange possibleChange
	// lastIsFar reports that the last value is far from the others: that of a failed run, unless the detector
	// finds a change before it.
	lastIsFar bool
}

// possibleChange is a change that was not found but may be there.
type possibleChange struct {
	after, before float64 // the parameter values around it
	share         float64 // its probability, wherever it is
}

// minChangeChance is the least probability of a change at which a run there is proposed.
const minChangeChance = 0.1

// note appends a note to the result.
func (w *seriesWork) note(code note.Code, format string, args ...any) {
	w.result.Notes = append(w.result.Notes, note.New(code, format, args...))
}

// count sets MissingPoints and Enough of a segment by its number of points.
func (s *Segment) count() {
	s.MissingPoints = max(0, enoughPoints-(s.Last-s.First+1))
	s.Enough = s.MissingPoints == 0
}

// segments sets the segments between the changes of the result, and its cuts. model returns the model of points
// first..last, or nil.
func (w *seriesWork) segments(model func(first, last int) *Model) {
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

// fewPoints adds a note that says how many points to measure: with fewer than needed points, that there is no model;
// else, with fewer than enoughPoints, that a model is uncertain.
func (w *seriesWork) fewPoints(needed int) {
	n, name := len(w.p), parameterName(w.series)
	switch {
	case n < needed:
		w.note(note.NeedMore, "no model of %s of %s: measure %d more", quantity.Plural(n, "distinct value"), name, needed-n)
	case n < enoughPoints:
		w.note(note.FewPoints, "a model of %s of %s is uncertain: measure %d more", quantity.Plural(n, "distinct value"),
			name,
			enoughPoints-n)
	}
}

// paper analyses the series by the method of the paper, section 3. With fewer than leastForModel points it only adds a
// note; with fewer than paperLeast it searches for no change. If a change is detected but cannot be located, it adds a
// note, and without any located change it sets no segments.
func (w *seriesWork) paper() {
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
		w.note(note.NeedMore, "no change of law is searched for: the paper's method needs %d points: measure %d more",
			paperLeast,
			paperLeast-len(w.p))
	}
	v := verdict{located: true}
	if !w.series.Uncut {
		v = segmentPaper(w.p, w.y)
	}
	r.Segmented, r.Changes = v.segmented, append(r.Changes, v.changes...)
	if !v.located {
		w.note(note.NotLocated, "one law does not fit, but the paper's method cannot locate where it changes: use "+
			"--method likelihood")
	}
	if r.Segmented && len(r.Changes) == 0 {
		return
	}
	w.segments(model)
}

// extraP analyses the series by Extra-P's Basic modeler: one model for all points, which are one segment. With fewer
// than leastForModel points it only adds a note.
func (w *seriesWork) extraP() {
	r := w.result
	w.fewPoints(leastForModel)
	if len(w.p) < leastForModel {
		return
	}
	r.Whole = modelExtraP(w.p, w.y).withErrors(r.Parameter, w.p, w.y)
	w.segments(func(int, int) *Model { return r.Whole })
}

// likelihood analyses the series by the default method and sets its models, changes, segments and predictions. With
// fewer than enoughPoints points it only adds a note. If the last value is far from the others (lastIsFar) and no
// change is found, it leaves that value out and starts again.
func (w *seriesWork) likelihood(b *workspace) {
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
	if w.lastIsFar && !d.segmented {
		w.lastIsFar = false
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
	if w.lastIsFar {
		w.warnLone(len(w.p)-1, false)
	}
	r.Segmented, r.Changes = d.segmented, append(r.Changes, d.changes...)
	w.segments(func(first, last int) *Model {
		return modelLikelihood(r.Parameter, w.p[first:last+1], w.y[first:last+1])
	})
	w.addPredictions(g, d)
	w.findPossibleChange(d)
}

// findPossibleChange records the most probable place of a change, and the probability that there is one at all, for a
// series for which one law was chosen, if that probability is at least minChangeChance.
func (w *seriesWork) findPossibleChange(d detection) {
	if d.segmented || len(d.last) != len(w.p) || 1-d.last[0] < minChangeChance {
		return
	}
	at := 1
	for s := range d.last {
		if s > 0 && d.last[s] > d.last[at] {
			at = s
		}
	}
	w.maybeChange = possibleChange{after: w.p[at-1], before: w.p[at], share: 1 - d.last[0]}
}

// chosen returns the points that thin kept.
func (w *seriesWork) chosen() []point {
	if w.index == nil {
		return w.points
	}
	out := make([]point, len(w.index))
	for k, i := range w.index {
		out[k] = w.points[i]
	}
	return out
}

// positive reports whether all values are positive.
func positive(y []float64) bool {
	for _, v := range y {
		if !(v > 0) {
			return false
		}
	}
	return true
}
