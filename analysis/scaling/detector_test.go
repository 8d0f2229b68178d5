package scaling

// Detector is the default detector without the models, for programs that
// measure it. It keeps its memory between series and is not safe for
// concurrent use.
type Detector struct {
	d      *detector
	g      grid
	places []int // of the grid's points in the input
}

// Verdict is what a Detector says of a series.
type Verdict struct {
	Segmented bool
	Changes   []Change // as in Result
	Strength  float64
	Quiet     bool // one law leaves little; it has a separate threshold
}

// NewDetector returns a detector.
func NewDetector() *Detector { return &Detector{d: newDetector()} }

// NewUncautious returns a detector whose thresholds of n points are not above 0, for programs that measure
// thresholds.
func NewUncautious(n int) *Detector {
	d, t := newDetector(), thresholdsAt(n)
	d.caution = -max(t.quiet, t.loud)
	return &Detector{d: d}
}

// Detect searches for changes in runs at ascending p: values[k] are the runs at p[k], groups[k] what they
// share, or groups nil. It does not locate them.
func (t *Detector) Detect(p []float64, values [][]float64, groups [][]string) Verdict {
	t.g, t.places = t.gridWithoutBadRuns(p, values, groups)
	out := t.d.detect(t.g)
	return Verdict{out.segmented, nil, out.strength, out.quiet}
}

// Locate is Detect with the places of the changes.
func (t *Detector) Locate(p []float64, values [][]float64, groups [][]string) Verdict {
	t.g, t.places = t.gridWithoutBadRuns(p, values, groups)
	out := t.d.detect(t.g)
	if out.segmented {
		t.d.locate(t.g, &out)
		t.number(out.changes)
	}
	return Verdict{out.segmented, out.changes, out.strength, out.quiet}
}

// number makes cuts count the points of the input.
func (t *Detector) number(changes []Change) {
	for i := range changes {
		c := &changes[i]
		c.Cut, c.Lo, c.Hi = t.places[c.Cut], t.places[c.Lo], t.places[c.Hi]
	}
}

// gridOf is the grid of all runs.
func gridOf(p []float64, values [][]float64, groups [][]string) grid {
	return newGrid(pointsOf(p, values, groups))
}

// gridWithoutBadRuns also returns the places of the grid's points in p.
func (t *Detector) gridWithoutBadRuns(p []float64, values [][]float64, groups [][]string) (grid, []int) {
	points, places, _ := withoutBadRuns(pointsOf(p, values, groups), t.d)
	kept := make([]point, len(places))
	for i, k := range places {
		kept[i] = points[k]
	}
	return newGrid(kept), places
}

func pointsOf(p []float64, values [][]float64, groups [][]string) []point {
	points := make([]point, len(p))
	for k := range p {
		n := len(values[k])
		points[k] = point{p: p[k], values: values[k], groups: make([]string, n), runs: make([]int, n)}
		if groups != nil {
			points[k].groups = groups[k]
		}
	}
	return points
}

// PaperVerdict is the paper's method on single values at ascending p; without a
// place where the paper gives none.
func PaperVerdict(p, y []float64) Verdict {
	v := segmentPaper(p, y)
	return Verdict{Segmented: v.segmented, Changes: v.changes}
}

// Count adds a series to a list. It needs positive values.
func (t *Detector) Count(l *resultCounts, p []float64, values [][]float64, groups [][]string) {
	t.g, t.places = t.gridWithoutBadRuns(p, values, groups)
	out := t.d.detect(t.g)
	t.d.locate(t.g, &out)
	l.add(out.short)
}
