package scaling

import "math"

// The kinds of noise that a series may have: in proportion to the value, the
// three of noiseKind, what groups share at two strengths, and the first with
// some points disturbed.
const (
	evenNoise   = 0
	groupedFrom = 1 + noiseKinds
	hitNoise    = groupedFrom + 2
	chanceKinds = hitNoise + 1
)

// chanceLevels is the number of levels of noise.
const chanceLevels = 24

// chanceLevel is the variance of a level, relative to the value: 0.05 to 50 %
// as a standard deviation.
func chanceLevel(l int) float64 {
	s := 0.0005 * math.Pow(1.35, float64(l))
	return s * s
}

// kindOfNoise is a kind as one series would have it.
type kindOfNoise struct {
	known  bool
	w      []float64 // one over the noise of each point; 0 is left out
	ratio  float64   // the variance that groups share over that of points
	blocks *blocks
	logDet float64
	out    []int // disturbed points
}

// noise is a kind as the series of the detector would have it.
func (c *chanceScratch) noise(kind int, g *grid) kindOfNoise {
	f := &c.d.f
	x := kindOfNoise{known: true, w: make([]float64, f.n)}
	fillWith(x.w, 1)
	switch {
	case kind == evenNoise:
	case kind < groupedFrom:
		f.noiseKind(kind-1, x.w)
		mean := 0.0
		for _, v := range x.w {
			mean += v / float64(f.n)
		}
		for k, v := range x.w {
			x.w[k] = math.Exp(mean - v)
		}
	case kind < hitNoise:
		x.ratio = []float64{10, 100}[kind-groupedFrom]
		b, logDet, ok := newBlocks(g.group, x.ratio)
		x.blocks, x.logDet, x.known = &b, logDet, ok
	default:
		c.disturb(&x)
	}
	return x
}

// disturb leaves out the points that the detector would.
func (c *chanceScratch) disturb(x *kindOfNoise) {
	d := c.d
	d.null.blocks = nil
	d.null.prepare(&d.f)
	clear(d.outliers.best)
	d.disturbed(math.Inf(-1))
	for k, out := range d.outliers.best {
		if out {
			x.w[k] = 0
			x.out = append(x.out, k)
		}
	}
	// A law of two terms and its noise take four points.
	x.known = len(x.out) > 0 && d.f.n-len(x.out) >= 4
}

// segmentNoise is the residual sum of squares, and the free points, of the
// segments between cuts.
func (d *detector) segmentNoise(cuts []int) (rest float64, free int) {
	sums := &d.dynamic.sums
	sums.resize(d.f.n)
	a := 0
	for i := 0; i <= len(cuts); i++ {
		b := d.f.n
		if i < len(cuts) {
			b = cuts[i]
		}
		sums.reset()
		for k := a; k < b; k++ {
			sums.add(&d.f, k)
		}
		rest += sums.least().term
		free += max(b-a-2, 0)
		a = b
	}
	return rest, free
}
