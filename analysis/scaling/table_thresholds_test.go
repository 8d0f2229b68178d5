package scaling

import (
	"fmt"
	"io"
	"math"
	"slices"

	"jobgait/analysis/internal/parallel"
)

// thresholdsOf are the settings of the table thresholds.
type thresholdsOf struct {
	seed  uint64
	count int // series for each number of points and level of noise
	// loud and quiet are the shares of false changes allowed at a noise of 10 % and
	// above, and at 5 % and below with ten points.
	loud, quiet float64
	threshold   float64 // threshold
	points      []int
}

// thresholds prints the table that stands in threshold.go.
//
// The cells are series of one law: a term of the paper's space, a term off it,
// a sum of two, and falling times, on p = 1, 2, 3 .. and 2, 4, 8 .., coefficients
// over two and over five decades, uniform noise of 0 to 15 %. For each number of
// points the threshold is the least at which no level of noise, its cells taken
// together, has more false changes than allowed: loud at 10 % and above,
// quiet at 5 % and below, where the paper's own rule has next to none. That is
// strictest at ten points, where the rules are compared; elsewhere a hundred times as
// many are allowed, and with few points, where changes are hardest to see, more
// at 10 % and above: 1.8 times the share below eight, 1.4 times below ten. Series
// that one law leaves little of and others have thresholds of their own, and half
// of the allowance each.
func thresholds(s tableSettings, w io.Writer) {
	thresholdsOf{
		seed: s.seed, count: s.count, loud: 0.009, quiet: 0.00003, threshold: 0.75,
		points: []int{5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 32, 48, MaxLikelihoodPoints},
	}.print(w)
}

func (s thresholdsOf) print(w io.Writer) {
	rows := make([]thresholdRow, len(s.points))
	parallel.Each(len(rows), func(i int) { rows[i] = s.measure(s.points[i]) })
	fmt.Fprintf(w, "// Seed %d, %d series for each number of points and level of noise.\n", s.seed, s.count)
	for _, r := range rows {
		fmt.Fprintf(w, "{%d, %.2f, %.2f},\n", r.n, r.quiet, r.loud)
	}
}

// noises are the levels.
func noises() []float64 { return []float64{0, 0.01, 0.02, 0.05, 0.1, 0.15} }

// thresholdRow is one line of the table: the thresholds of series that one law leaves
// little of and of others.
type thresholdRow struct {
	n           int
	quiet, loud float64
}

// strengths is the strengths of one level of noise, by whether the series is quiet.
type strengths struct {
	strength [2][]float64
	allowed  float64 // how many false changes are
	count    int
}

// mark is the least threshold of a class at which share of the allowance is kept.
func (m strengths) mark(class int, share float64) float64 {
	s := m.strength[class]
	slices.Sort(s)
	k := int(share * m.allowed)
	if k >= len(s) {
		return 0
	}
	return s[len(s)-1-k]
}

// measure draws the series of n points.
func (s thresholdsOf) measure(n int) thresholdRow {
	src := newDraw(s.seed*1000 + uint64(n))
	d := NewUncautious(n)
	r := thresholdRow{n: n, quiet: s.threshold, loud: s.threshold}
	for _, noise := range noises() {
		m := s.collect(d, s.count, func() []drawnSeries { return s.cells(src, noise, n) })
		m.allowed = s.allowance(noise, n) * float64(m.count)
		r.quiet, r.loud = max(r.quiet, m.mark(1, 0.5)), max(r.loud, m.mark(0, 0.5))
	}
	r.quiet, r.loud = math.Ceil(100*r.quiet)/100, math.Ceil(100*r.loud)/100
	return r
}

// collect detects in count series or a few more.
func (s thresholdsOf) collect(d *Detector, count int, series func() []drawnSeries) (m strengths) {
	for m.count < count {
		for _, c := range series() {
			v := d.Detect(c.P, c.Values, nil)
			class := 0
			if v.Quiet {
				class = 1
			}
			m.strength[class] = append(m.strength[class], v.Strength)
			m.count++
		}
	}
	return m
}

// allowance is the share of false changes allowed.
func (s thresholdsOf) allowance(noise float64, n int) float64 {
	switch {
	case noise >= 0.1 && n < 8:
		return 1.8 * s.loud
	case noise >= 0.1 && n < 10:
		return 1.4 * s.loud
	case noise >= 0.1:
		return s.loud
	case n != 10:
		return 100 * s.quiet
	}
	return s.quiet
}

// cells draws one series of each.
func (s thresholdsOf) cells(src drawSource, noise float64, n int) []drawnSeries {
	var out []drawnSeries
	for i := range 8 {
		c := drawCell{In: i&1 == 0, Decades: i&2 == 0, Doubling: i&4 == 0, Noise: noise}
		out = append(out, src.Paper(c, n), src.Sum(c, n))
		if i&1 == 0 {
			out = append(out, src.Falling(c, n))
		}
	}
	return out
}
