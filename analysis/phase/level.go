package phase

import (
	"math"

	"jobgait/analysis/series"
)

// Bins describes a run's bins, with the phases and periods that averages need to avoid beats between bins and
// loops.
type Bins struct {
	StartS, StepS float64
	Phases        []Phase
	Periods       map[string]float64 // of the patterns, by their ids
}

// PhaseAt returns the phase that covers time t, in seconds; false if none exists.
func (b Bins) PhaseAt(t float64) (Phase, bool) {
	for _, p := range b.Phases {
		if t >= p.StartS && t < p.EndS {
			return p, true
		}
	}
	return Phase{}, false
}

// Levels returns the mean of values over n equal stretches from lo to hi.
//
// Where a stretch is longer than a quarter of the loop's period, its plain mean would show beats between the
// two that look like a pattern. There the mean is taken over whole iterations around the stretch, kept within
// the phase. No mean reaches over the border of a phase: what it would blur is what a reader looks for.
func (b Bins) Levels(values series.Values, lo, hi float64, n int) []float64 {
	area := newArea(b, values)
	out := make([]float64, n)
	step := (hi - lo) / float64(n)
	for i := range out {
		out[i] = area.mean(b.window(lo+float64(i)*step, lo+float64(i+1)*step))
	}
	return out
}

// minWindowBins is the least number of bins over which a mean is taken if a bin is not small beside the period:
// each of the two bins at its ends is then only a twelfth of it, and what they contain beyond whole iterations
// is not visible.
const minWindowBins = 12

// window returns the stretch over which Levels takes the mean for the stretch from..to. In a loop whose period is at
// most four times the stretch, it is a whole number of periods around the middle, moved into the phase, or the whole
// phase if that is shorter. In other phases it is the stretch, cut at the phase's borders.
func (b Bins) window(from, to float64) (lo, hi float64) {
	mid := (from + to) / 2
	p, ok := b.PhaseAt(mid)
	if !ok {
		return from, to
	}
	period := 0.0
	if p.Kind == Loop {
		period = b.Periods[p.Pattern]
	}
	if period <= 0 || to-from < period/4 {
		return math.Max(from, p.StartS), math.Min(to, p.EndS)
	}
	width := to - from
	if b.StepS > period/minWindowBins {
		width = math.Max(width, minWindowBins*b.StepS)
	}
	w := math.Max(1, math.Ceil(width/period-1e-9)) * period
	if w >= math.Max(0, p.EndS-p.StartS) {
		return p.StartS, p.EndS
	}
	lo = math.Min(math.Max(mid-w/2, p.StartS), p.EndS-w)
	return lo, lo + w
}

// MinMax returns for each bin the smallest and the largest value over the window that Levels would use for it; minima
// and maxima are the extremes of the single bins. Within a missing bin the result is NaN. If a bin is shorter than an
// iteration but not small beside it, the range of single bins would show beats.
func (b Bins) MinMax(minima, maxima series.Values) (lo, hi []float64) {
	lo, hi = make([]float64, len(minima)), make([]float64, len(minima))
	for i := range minima {
		lo[i], hi[i] = float64(minima[i]), float64(maxima[i])
		from, to := b.window(b.StartS+float64(i)*b.StepS, b.StartS+float64(i+1)*b.StepS)
		first, last := int(math.Ceil((from-b.StartS)/b.StepS-1e-6)), int(math.Floor((to-b.StartS)/b.StepS+1e-6))
		for k := max(0, first); k < min(len(minima), last); k++ {
			if !math.IsNaN(float64(minima[i])) && !math.IsNaN(float64(minima[k])) {
				lo[i], hi[i] = math.Min(lo[i], float64(minima[k])), math.Max(hi[i], float64(maxima[k]))
			}
		}
	}
	return lo, hi
}

// area is the running integral of values, for means over any stretch.
type area struct {
	start, step float64
	sum, there  []float64 // up to the end of each bin: value x time, and time with a value
}

// newArea returns the running integral of values.
func newArea(b Bins, values series.Values) area {
	a := area{b.StartS, b.StepS, make([]float64, len(values)+1), make([]float64, len(values)+1)}
	for i, v := range values {
		a.sum[i+1], a.there[i+1] = a.sum[i], a.there[i]
		if x := float64(v); !math.IsNaN(x) && !math.IsInf(x, 0) {
			a.sum[i+1] += x
			a.there[i+1]++
		}
	}
	return a
}

// mean returns the mean from lo to hi, NaN if there is no value in between.
func (a area) mean(lo, hi float64) float64 {
	s0, n0 := a.at(lo)
	s1, n1 := a.at(hi)
	if n1-n0 < 1e-6 {
		return math.NaN()
	}
	return (s1 - s0) / (n1 - n0)
}

// at returns the integral of the known values from the start to time t, in values times bins, and the number of bins up
// to t that have a value. t is in seconds; times outside of the series count as its ends.
func (a area) at(t float64) (sum, there float64) {
	last := len(a.sum) - 1
	if !(a.step > 0) || last < 1 {
		return 0, 0
	}
	x := math.Min(float64(last), math.Max(0, (t-a.start)/a.step))
	i := min(int(x), last-1)
	f := x - float64(i)
	return a.sum[i] + f*(a.sum[i+1]-a.sum[i]), a.there[i] + f*(a.there[i+1]-a.there[i])
}
