package scaling

// Detector is the default detector without the models, for programs that
// measure it. It keeps its memory between series and is not safe for
// concurrent use.
type Detector struct {
	d *detector
	g grid
}

// Verdict is what a Detector says of a series.
type Verdict struct {
	Segmented bool
	Changes   []Change // as in Result
	Strength  float64
	Quiet     bool // one law leaves little; it has a threshold of its own
}

// NewDetector returns a detector.
func NewDetector() *Detector { return &Detector{d: newDetector()} }

// NewUncautious returns one whose thresholds of n points are not above 0: what a
// program that measures thresholds works with.
func NewUncautious(n int) *Detector {
	d, t := newDetector(), threshold(n)
	d.caution = -max(t.quiet, t.loud)
	return &Detector{d: d}
}

// Detect looks for changes in runs at ascending p: values[k] are the runs at
// p[k], groups[k] what they share, or groups nil. It does not locate them.
func (t *Detector) Detect(p []float64, values [][]float64, groups [][]string) Verdict {
	t.g = gridOf(p, values, groups)
	out := t.d.detect(t.g)
	return Verdict{out.segmented, nil, out.strength, out.quiet}
}

// Locate is Detect with the places of the changes.
func (t *Detector) Locate(p []float64, values [][]float64, groups [][]string) Verdict {
	t.g = gridOf(p, values, groups)
	out := t.d.detect(t.g)
	if out.segmented {
		t.d.locate(t.g, &out)
	}
	return Verdict{out.segmented, out.changes, out.strength, out.quiet}
}

func gridOf(p []float64, values [][]float64, groups [][]string) grid {
	points := make([]point, len(p))
	for k := range p {
		points[k] = point{p: p[k], values: values[k], groups: make([]string, len(values[k]))}
		if groups != nil {
			points[k].groups = groups[k]
		}
	}
	return newGrid(points)
}

// PaperVerdict is the paper's method on single values at ascending p; without a
// place where the paper gives none.
func PaperVerdict(p, y []float64) Verdict {
	v := segmentPaper(p, y)
	return Verdict{Segmented: v.segmented, Changes: v.changes}
}

// Count adds a series to a list. It needs positive values.
func (t *Detector) Count(l *List, p []float64, values [][]float64, groups [][]string) {
	t.g = gridOf(p, values, groups)
	out := t.d.detect(t.g)
	t.d.locate(t.g, &out)
	l.add(out.short)
}
