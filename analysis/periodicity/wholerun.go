package periodicity

import (
	"math"
	"math/rand/v2"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

// Loops that are too weak in any window to be followed, such as those of few slots where a
// slot has one sample of code, show in the autocorrelation of the whole run: at their
// length, and at its multiples as far as jitter lets them.

const (
	// wholeRunSlots bounds the slots that are correlated; of longer runs those in the middle.
	wholeRunSlots = 1 << 16
	// wholeRunLags is the longest lag that is correlated, in slots.
	wholeRunLags = 4096
	// baselineSlots is how far to either side the mean reaches that is subtracted, so that
	// the phases of a run do not correlate.
	baselineSlots = 400
	// minPeaks and maxPeaks bound the multiples of a lag that are added up. Lengths that
	// only scatter about a mean, as those of tasks, do not show at the eighth multiple.
	minPeaks, maxPeaks = 8, 64
	// minLagScore is the least score of a lag, in standard errors of the correlation of
	// unrelated samples, and lagScoreMargin how many times the best of lagPermutations
	// permutations of the run it has to reach.
	minLagScore     = 9
	lagScoreMargin  = 1.25
	lagPermutations = 12
	// maxFraction is the largest number by which a lag is divided. The peaks between its multiples,
	// of which comparedPeaks are compared, have to be equalPeaks of those at the multiples; below
	// unequalPeaks, the multiple is the period. A fraction lies within fractionSearch of its place.
	maxFraction, comparedPeaks = 8, 6
	equalPeaks, unequalPeaks   = 0.75, 0.5
	fractionSearch             = 0.02
	// lagStep is the ratio of lags that are tried one after the other.
	lagStep = 1.0005
	// minColumnSamples are the least samples of a column.
	minColumnSamples = 20
	// minLagSlots is the shortest lag: below, some loops of one to three slots showed as two
	// to five of their iterations.
	minLagSlots = 6
	// samplerPeaks is the number of multiples from which on a lag of a whole number of slots,
	// within a part of samplerError over them, is a comb of the sampler.
	samplerPeaks, samplerError = 30, 0.5
	// minCycleGain is the least gain of a cycle over the mean shares, in nats: real loops had
	// 0.9 and more, multiples and chance at most 0.2.
	minCycleGain = 0.5
	// halfScore is the score at which a period explains half of what it can, and
	// mostExplained bounds that: no window shows the loop.
	halfScore, mostExplained = 8, 0.75
)

// wholeRun is the code of a run, column by column: counts without the share of what the slot
// had, and without slow changes. Columns with more samples say more, and count for more.
type wholeRun struct {
	columns [][]float32
	slots   int
	scale   float64 // standard error of a correlation of unrelated columns, for one slot
}

// newWholeRun returns the columns of code that have at least minColumnSamples samples, each less its mean share of the
// samples in each slot and less its moving mean. Missing counts are 0.
func newWholeRun(columns []series.Column) wholeRun {
	w := wholeRun{}
	if len(columns) == 0 {
		return w
	}
	w.slots = len(columns[0].Values)
	total := make([]float32, w.slots)
	counts := make([][]float32, len(columns))
	sums := make([]float64, len(columns))
	all := 0.0
	for j, c := range columns {
		counts[j] = make([]float32, w.slots)
		zeroMissing(counts[j], c.Values)
		for i, x := range counts[j] {
			total[i] += x
			sums[j] += float64(x)
		}
		all += sums[j]
	}
	for j, x := range counts {
		if sums[j] < minColumnSamples {
			continue
		}
		share := float32(sums[j] / all)
		for i := range x {
			x[i] -= share * total[i]
		}
		if energy := subtractBaseline(x); energy > 0 {
			w.columns = append(w.columns, x)
			w.scale += square(energy / float64(w.slots))
		}
	}
	w.scale = math.Sqrt(w.scale)
	return w
}

// subtractBaseline subtracts from x, in place, its moving mean over baselineSlots slots on either side, and returns the
// sum of squares that is left.
func subtractBaseline(x []float32) (energy float64) {
	sums := make([]float64, len(x)+1)
	for i, y := range x {
		sums[i+1] = sums[i] + float64(y)
	}
	for i := range x {
		a, b := max(0, i-baselineSlots), min(len(x), i+baselineSlots+1)
		x[i] -= float32((sums[b] - sums[a]) / float64(b-a))
		energy += square(float64(x[i]))
	}
	return energy
}

// correlation returns the correlations at lags 0 to maxLag, summed over the columns, in standard errors of those of
// unrelated samples; the one at lag 0 is 0. If order is not nil, the slots are taken in that order.
func (w wholeRun) correlation(f *lagFinder, maxLag int, order []int) []float64 {
	t := f.transform(w.slots + maxLag)
	f.power = zeros(f.power, len(t.spectrum))
	f.x = resize(f.x, w.slots)
	for _, x := range w.columns {
		if order != nil {
			for i, from := range order {
				f.x[i] = x[from]
			}
			x = f.x
		}
		t.power(x, f.power)
	}
	f.r = resize(f.r, maxLag+1)
	t.correlate(f.power, f.r)
	z := make([]float64, maxLag+1)
	for k := 1; k <= maxLag; k++ {
		z[k] = float64(f.r[k]) / (math.Sqrt(float64(w.slots-k)) * w.scale)
	}
	return z
}

// repeatedLag is a lag at whose multiples a run resembles itself.
type repeatedLag struct {
	slots float64
	score float64 // in standard errors
	peaks int     // multiples that were added up
}

// scoreLag returns the score of a lag of the given number of slots: the sum of the correlations z at its multiples less
// those halfway between, in standard errors, over the number of multiples, minPeaks to maxPeaks, at which that is
// largest.
func scoreLag(z []float64, slots float64) repeatedLag {
	best := repeatedLag{slots: slots}
	sum := 0.0
	for m := 1; m <= maxPeaks && float64(m)*slots < float64(len(z)-1); m++ {
		sum += z[int(math.Round(float64(m)*slots))] - z[int(math.Round((float64(m)-0.5)*slots))]
		if s := sum / math.Sqrt(2*float64(m)); m >= minPeaks && s > best.score {
			best.score, best.peaks = s, m
		}
	}
	return best
}

// bestLag returns the lag from from to to, in slots, with the largest score; its score is 0 if none is positive.
func bestLag(z []float64, from, to float64) repeatedLag {
	best := repeatedLag{}
	for slots := from; slots <= to; slots *= lagStep {
		if l := scoreLag(z, slots); l.score > best.score {
			best = l
		}
	}
	return best
}

// fundamentalLag returns the fraction of a lag, down to an eighth, at whose multiples the correlation is as high as at
// those of the lag, or the double or triple of the lag if only every second or third peak is high; else the lag itself.
// A lag with a score below minLagScore is returned unchanged. longest limits the result.
func fundamentalLag(z []float64, lag repeatedLag, longest float64) repeatedLag {
	if lag.score < minLagScore {
		return lag
	}
	for m := maxFraction; m >= 2; m-- {
		at := lag.slots / float64(m)
		if at < minLagSlots {
			continue
		}
		f := bestLag(z, at*(1-fractionSearch), at*(1+fractionSearch))
		if 2*f.score >= lag.score && peakRatio(z, f.slots, m) >= equalPeaks {
			return fundamentalLag(z, f, longest)
		}
	}
	for m := 3; m >= 2; m-- {
		at := lag.slots * float64(m)
		if at <= longest && peakRatio(z, lag.slots, m) < unequalPeaks {
			return bestLag(z, at*(1-fractionSearch), min(longest, at*(1+fractionSearch)))
		}
	}
	return lag
}

// peakRatio returns the ratio of two mean correlations: that at the multiples of a lag that are not multiples of m
// lags, over that at those that are. It is 0 if the latter is not positive.
func peakRatio(z []float64, slots float64, m int) float64 {
	var sum, count [2]float64
	for j := 1; j <= comparedPeaks*m && float64(j)*slots < float64(len(z)-1); j++ {
		is := 0
		if j%m == 0 {
			is = 1
		}
		sum[is] += z[int(math.Round(float64(j)*slots))]
		count[is]++
	}
	if count[1] == 0 || sum[1] <= 0 {
		return 0
	}
	return sum[0] / count[0] * count[1] / sum[1]
}

// findLag returns the lag at whose multiples a run resembles itself best. It returns false if the score is below
// minLagScore or does not exceed that of each of lagPermutations permutations of the run by lagScoreMargin, if the lag
// is shorter than minSlots slots, or if the sampler made it.
func (w wholeRun) findLag(f *lagFinder, minSlots float64) (repeatedLag, bool) {
	if len(w.columns) < 2 {
		return repeatedLag{}, false
	}
	maxLag := min(wholeRunLags, w.slots/3)
	longest := float64(maxLag) / (minPeaks + 1)
	z := w.correlation(f, maxLag, nil)
	best := fundamentalLag(z, bestLag(z, minLagSlots, longest), longest)
	if best.score < minLagScore || best.slots < minSlots || best.isSamplerComb() {
		return best, false
	}
	rng := rand.New(rand.NewPCG(1, uint64(w.slots)))
	for range lagPermutations {
		z := w.correlation(f, maxLag, shuffledBlocks(w.slots, best.slots, rng))
		if best.score < lagScoreMargin*bestLag(z, max(minLagSlots, best.slots/2), min(longest, 2*best.slots)).score {
			return best, false
		}
	}
	return best, true
}

// isSamplerComb reports whether a lag is a whole number of slots over enough multiples that the sampler must
// have caused it.
func (l repeatedLag) isSamplerComb() bool {
	return l.peaks >= samplerPeaks && math.Abs(l.slots-math.Round(l.slots))*float64(l.peaks) < samplerError
}

// shuffledBlocks returns an order of n slots in blocks of 0.5 to 1.5 units.
func shuffledBlocks(n int, unit float64, rng *rand.Rand) []int {
	var blocks [][2]int
	for a := 0; a < n; {
		b := min(a+max(1, int(unit*(0.5+rng.Float64()))), n)
		blocks = append(blocks, [2]int{a, b})
		a = b
	}
	rng.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	order := make([]int, 0, n)
	for _, b := range blocks {
		for i := b[0]; i < b[1]; i++ {
			order = append(order, i)
		}
	}
	return order
}

// inWholeRun returns the period of the code that only the whole of a run shows, in wall time; false if none exists. A
// lag of the autocorrelation is found and its cycles are followed by their phase; these must gain minCycleGain. If the
// job did not get its CPUs, periods as short as the turns of the scheduler are excluded.
func inWholeRun(set series.Set, par Params) (Period, bool) {
	columns := code(set)
	if len(columns) < 2 {
		return Period{}, false
	}
	middle := columns
	if n := set.Len(); n > wholeRunSlots {
		middle = make([]series.Column, len(columns))
		for j, c := range columns {
			middle[j] = c
			middle[j].Values = c.Values[(n-wholeRunSlots)/2:][:wholeRunSlots]
		}
	}
	least := float64(minLagSlots)
	clock, ok := set.Clock()
	if ok && par.isCrowded(clock, clock.Total(), float64(set.Len())*set.StepS) {
		least = max(least, busyMinLagS/set.StepS)
	}
	lag, ok := newWholeRun(middle).findLag(&lagFinder{}, least)
	if !ok {
		return Period{}, false
	}
	model, gain := learnPhases(columns, lag.slots, lag.peaks)
	if gain*lag.slots < minCycleGain {
		return Period{}, false
	}
	return wholeRunPeriod(set, lag, model.begins(columns, outsideShare*gain))
}

// withWholeRun returns the outcome with the period that only the whole of a run shows, if there is one.
func (o outcome) withWholeRun(set series.Set, par Params) outcome {
	if p, ok := inWholeRun(set, par); ok {
		o.periods, o.code = []Period{p}, true
		o.addCPUTime(func() series.Clock { c, _ := set.Clock(); return c })
	}
	return o
}

// wholeRunPeriod returns the period of runs of cycles, of which the beginnings are given in slots, with its
// confidence from the score of the lag; false if they are too few, cover too little or have too little
// confidence to be reported.
func wholeRunPeriod(set series.Set, lag repeatedLag, runs [][]float64) (Period, bool) {
	p, ok := periodOf(set, runs)
	if !ok {
		return p, false
	}
	p.Significance = lag.score
	p.Parts = Parts{
		Explained: min(mostExplained, 1-math.Exp2(-lag.score/halfScore)),
		Regular:   max(0, 1-p.PeriodCV),
		Support:   (1 - math.Exp(-float64(len(p.Instances))/10)) * (1 - math.Exp(-p.Coverage/0.1)),
		Agreed:    1,
		Resolved:  1,
	}
	p.Confidence = p.Parts.product()
	return p, p.Confidence >= LeastConfidenceOfSampledCode
}

// periodOf returns the period of the code of a set from the beginnings of the cycles of each run, in slots and
// fractions of them, without a confidence; false if the cycles are too few or cover too little.
func periodOf(set series.Set, runs [][]float64) (Period, bool) {
	p := Period{Column: series.CodeGroup, Kind: Equal, Axis: series.Wall}
	var lengths []float64
	covered := 0.0
	for _, begins := range runs {
		for i := 1; i < len(begins); i++ {
			first, end := int(math.Round(begins[i-1])), min(int(math.Round(begins[i])), set.Len())
			if length := begins[i] - begins[i-1]; end > first {
				lengths = append(lengths, length*set.StepS)
				covered += length
				p.Instances = append(p.Instances, Instance{First: first, Length: end - first})
			}
		}
	}
	if len(lengths) < minPeaks {
		return p, false
	}
	mean, sd := robust.Mean(lengths)
	p.PeriodS, p.PeriodLoS, p.PeriodHiS = robust.MeanInterval(lengths, 0.95)
	p.PeriodSamples, p.PeriodCV = mean/set.StepS, sd/mean
	p.Coverage = covered / float64(set.Len())
	p.Regions = regions(set, p.Instances)
	p.setLengths(lengths)
	return p, p.Coverage >= minCoverage
}
