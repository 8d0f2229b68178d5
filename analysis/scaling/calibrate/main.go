// Program calibrate measures the thresholds of the likelihood detector and
// prints the table that stands in analysis/scaling/threshold.go. The same seed
// gives the same table.
//
// Its cells are series of one law: a term of the paper's space, a term off it,
// a sum of two, and falling times, on p = 1, 2, 3 .. and 2, 4, 8 .., coefficients
// over two and over five decades, uniform noise of 0 to 15 %. For each number of
// points the threshold is the least at which no level of noise, its cells taken
// together, has more false changes than allowed: -loud at 10 % and above,
// -quiet at 5 % and below, where the paper's own rule has next to none. That is
// strictest at ten points, where the rules are compared; elsewhere a hundred times as
// many are allowed, and with few points, where changes are hardest to see, more
// at 10 % and above: 1.8 times the share below eight, 1.4 times below ten. Series
// that one law leaves little of and others have thresholds of their own, and half
// of the allowance each.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"jobgait/analysis/internal/parallel"
	"jobgait/analysis/scaling"
	"jobgait/analysis/scaling/experiment/draw"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are the flags.
type settings struct {
	seed        uint64
	count       int
	loud, quiet float64
	least       float64
}

func run(args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("calibrate", flag.ContinueOnError)
	fs.SetOutput(stderr)
	s := settings{}
	fs.Uint64Var(&s.seed, "seed", 1, "seed of the draws")
	fs.IntVar(&s.count, "count", 30000, "series for each number of points and level of noise")
	fs.Float64Var(&s.loud, "loud", 0.009, "share of false changes allowed at a noise of 10 % and above")
	fs.Float64Var(&s.quiet, "quiet", 0.00003, "share allowed at 5 % and below with ten points")
	fs.Float64Var(&s.least, "least", 0.75, "least threshold")
	points := fs.String("points", "5,6,7,8,9,10,12,14,16,20,24,32,48,64", "numbers of points")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	sizes, err := numbers(*points)
	if err != nil {
		fmt.Fprintf(stderr, "calibrate: -points: %v\n", err)
		return 2
	}
	rows := make([]row, len(sizes))
	parallel.Each(len(sizes), func(i int) { rows[i] = s.measure(sizes[i]) })
	fmt.Fprintf(stdout, "// Seed %d, %d series for each number of points and level of noise.\n", s.seed, s.count)
	for _, r := range rows {
		fmt.Fprintf(stdout, "{%d, %.2f, %.2f},\n", r.n, r.quiet, r.loud)
	}
	return 0
}

// noises are the levels.
func noises() []float64 { return []float64{0, 0.01, 0.02, 0.05, 0.1, 0.15} }

// numbers reads a list of numbers of points.
func numbers(list string) ([]int, error) {
	var out []int
	for _, field := range strings.Split(list, ",") {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		if n < 5 || n > scaling.MaxPoints {
			return nil, fmt.Errorf("%d is not 5 to %d", n, scaling.MaxPoints)
		}
		out = append(out, n)
	}
	return out, nil
}

// row is one line of the table: the thresholds of series that one law leaves
// little of and of others.
type row struct {
	n           int
	quiet, loud float64
}

// sample is the strengths of one level of noise, by whether the series is quiet.
type sample struct {
	strength [2][]float64
	allowed  float64 // how many false changes are
	count    int
}

// mark is the least threshold of a class at which share of the allowance is kept.
func (m sample) mark(class int, share float64) float64 {
	s := m.strength[class]
	slices.Sort(s)
	k := int(share * m.allowed)
	if k >= len(s) {
		return 0
	}
	return s[len(s)-1-k]
}

// measure draws the series of n points.
func (s settings) measure(n int) row {
	src := draw.New(s.seed*1000 + uint64(n))
	d := scaling.NewUncautious(n)
	r := row{n: n, quiet: s.least, loud: s.least}
	for _, noise := range noises() {
		m := s.collect(d, s.count, func() []draw.Series { return s.cells(src, noise, n) })
		m.allowed = s.allowance(noise, n) * float64(m.count)
		r.quiet, r.loud = max(r.quiet, m.mark(1, 0.5)), max(r.loud, m.mark(0, 0.5))
	}
	r.quiet, r.loud = math.Ceil(100*r.quiet)/100, math.Ceil(100*r.loud)/100
	return r
}

// collect detects in count series or a few more.
func (s settings) collect(d *scaling.Detector, count int, series func() []draw.Series) (m sample) {
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
func (s settings) allowance(noise float64, n int) float64 {
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
func (s settings) cells(src draw.Source, noise float64, n int) []draw.Series {
	var out []draw.Series
	for i := range 8 {
		c := draw.Cell{In: i&1 == 0, Decades: i&2 == 0, Doubling: i&4 == 0, Noise: noise}
		out = append(out, src.Paper(c, n), src.Sum(c, n))
		if i&1 == 0 {
			out = append(out, src.Falling(c, n))
		}
	}
	return out
}
