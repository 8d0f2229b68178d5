package phase

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// A step has to lower the sum of squares by stepGain noise variances more than
// a straight line does, so that a run that slows down steadily is a slope and not
// a staircase; change the length by minStep; and leave minRun iterations on both
// sides.
const (
	stepGain = 25.0
	minStep  = 0.01
	minRun   = 6
	maxSteps = 20
	// stepPoints is the most points that are searched.
	stepPoints = 4096
	// edgeShare is the share of the time of all iterations that must lie on both sides of a step: the first and the
	// last few are where the detector finds its hold and loses it.
	edgeShare = 0.05
	// coarse is the number of samples below which an iteration is short: lengths are whole samples, and a detector
	// that counts some as one sample more or less shows steps of less than a sample.
	coarse = 12.0
)

// steps divides the iterations into stretches of equal length, by bisection at the cut that explains most, and returns
// the changes of length between them, in the order of time, without TS. length is in seconds, with an error of stepS.
// Long runs are searched in means of several iterations, and single slow iterations are limited first.
func steps(length []float64, stepS float64) []Step {
	n := len(length)
	k := (n + stepPoints - 1) / stepPoints
	var x []float64
	for a := 0; a+k <= n; a += k {
		m, _ := robust.Mean(length[a : a+k])
		x = append(x, m)
	}
	x = winsorised(x)
	noise := noiseOf(x, stepS/math.Sqrt(float64(k)))
	cuts := findCuts(x, 0, len(x), noise, nil)
	slices.Sort(cuts)
	cuts = resolved(inside(cuts, x), x, stepS)
	cuts = append(cuts, len(x))
	var out []Step
	a := 0
	for i, c := range cuts[:len(cuts)-1] {
		before, _ := robust.Mean(x[a:c])
		after, _ := robust.Mean(x[c:cuts[i+1]])
		out = append(out, Step{Iteration: c * k, EffectPct: 100 * (after/before - 1), BeforeS: before, AfterS: after})
		a = c
	}
	return out
}

// inside returns the cuts with at least edgeShare of the time on both sides. It reuses the memory of cuts.
func inside(cuts []int, x []float64) []int {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return slices.DeleteFunc(cuts, func(cut int) bool {
		before := 0.0
		for _, v := range x[:cut] {
			before += v
		}
		return min(before, total-before) < edgeShare*total
	})
}

// resolved drops cuts that whole-sample counting can produce: those before which an iteration is shorter than coarse
// samples and at which the mean length changes by less than stepS. It drops the first of these, then starts over, until
// it finds no more. It reuses the memory of cuts.
func resolved(cuts []int, x []float64, stepS float64) []int {
	for i, cut := range cuts {
		first, end := 0, len(x)
		if i > 0 {
			first = cuts[i-1]
		}
		if i+1 < len(cuts) {
			end = cuts[i+1]
		}
		before, _ := robust.Mean(x[first:cut])
		after, _ := robust.Mean(x[cut:end])
		if before < coarse*stepS && math.Abs(after-before) < stepS {
			return resolved(slices.Delete(cuts, i, i+1), x, stepS)
		}
	}
	return cuts
}

// winsorised returns x with each value limited to three MADs from the median of the five values on either side of it,
// so that one slow iteration is not a step. The MAD is that of all differences from these medians.
func winsorised(x []float64) []float64 {
	const near = 5 // on each side: half of them are of one length even at a step
	out := slices.Clone(x)
	rest := make([]float64, len(x))
	mid := make([]float64, len(x))
	for i := range x {
		mid[i] = robust.Median(x[max(0, i-near):min(len(x), i+near+1)])
		rest[i] = x[i] - mid[i]
	}
	wide := 3 * robust.MAD(rest)
	for i := range out {
		out[i] = min(max(out[i], mid[i]-wide), mid[i]+wide)
	}
	return out
}

// noiseOf returns the variance of the noise of single lengths x, from the differences of neighbours, or from those of
// means of eight if these show more (slow noise). It is at least the variance of rounding to stepS, and infinite for
// fewer than two lengths.
func noiseOf(x []float64, stepS float64) float64 {
	d := make([]float64, 0, len(x))
	for i := 1; i < len(x); i++ {
		d = append(d, math.Abs(x[i]-x[i-1]))
	}
	if len(d) == 0 {
		return math.Inf(1)
	}
	sd := robust.Median(d) / 0.954
	sum := 0.0
	for _, v := range d {
		sum += min(v, 5*sd+stepS) * min(v, 5*sd+stepS) / 2 / float64(len(d))
	}
	noise := max(sd*sd, sum, stepS*stepS/6)
	// Differences see nothing of noise that wanders slowly. Those of means of
	// eight do: without it they are an eighth of the single ones.
	var means []float64
	for a := 0; a+8 <= len(x); a += 8 {
		m, _ := robust.Mean(x[a : a+8])
		means = append(means, m)
	}
	var wander []float64
	for i := 1; i < len(means); i++ {
		wander = append(wander, math.Abs(means[i]-means[i-1]))
	}
	if len(wander) >= 8 {
		w := robust.Median(wander) / 0.954
		noise = max(noise, 8*w*w)
	}
	return noise
}

// findCuts appends to cuts the index in x at which x[a:b] is best divided in two, and then those within both parts,
// unsorted. It divides only if both parts have minRun values, their means differ by minStep, and a step lowers the sum
// of squares by stepGain*noise more than a straight line does. It stops at maxSteps cuts.
func findCuts(x []float64, a, b int, noise float64, cuts []int) []int {
	n := b - a
	if n < 2*minRun || len(cuts) >= maxSteps {
		return cuts
	}
	total, best, cut := 0.0, 0.0, -1
	for _, v := range x[a:b] {
		total += v
	}
	mean, sum := total/float64(n), 0.0
	for i := a; i < b-minRun; i++ {
		sum += x[i] - mean
		k := float64(i + 1 - a)
		if i+1-a < minRun {
			continue
		}
		if gain := sum * sum * float64(n) / (k * (float64(n) - k)); gain > best {
			best, cut = gain, i+1
		}
	}
	if cut < 0 {
		return cuts
	}
	left, _ := robust.Mean(x[a:cut])
	right, _ := robust.Mean(x[cut:b])
	if best-lineGain(x[a:b]) < stepGain*noise || math.Abs(right/left-1) < minStep {
		return cuts
	}
	cuts = append(cuts, cut)
	cuts = findCuts(x, a, cut, noise, cuts)
	return findCuts(x, cut, b, noise, cuts)
}

// lineGain returns by how much the best straight line lowers the sum of squares of x compared with its mean.
func lineGain(x []float64) float64 {
	n := float64(len(x))
	mean, _ := robust.Mean(x)
	xy, xx := 0.0, 0.0
	for i, v := range x {
		u := float64(i) - (n-1)/2
		xy += u * (v - mean)
		xx += u * u
	}
	return xy * xy / xx
}
