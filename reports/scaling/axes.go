package scaling

import (
	"math"
	"slices"

	"jobgait/reports/plot"
)

const (
	maxStretchDecades = 0.33 // decades by which an interval may extend the y axis
	axisLabelRoom     = 0.05 // part of the width for the labels of the y axis
)

// frame makes the empty chart with its axes. They contain all measurements, predictions and wanted sizes and, up to a
// limit, the intervals of the predictions.
func (d *drawing) frame() {
	xs := slices.Clone(d.p)
	var ys []float64
	for _, o := range d.obs {
		ys = append(ys, o.Value)
	}
	for _, q := range d.r.Predictions {
		xs, ys = append(xs, q.P), append(ys, q.Value)
	}
	for _, n := range d.r.Next {
		xs = append(xs, n.P)
	}
	var ends []float64
	for _, q := range d.r.Predictions {
		ends = append(ends, q.Lo, q.Hi)
	}
	f := plot.Frame{Name: "scaling of " + nameOf(d.r), Class: "scaling", Height: chartHeight}
	f.X, _ = plot.LogScale(8, 0.03, xs)
	f.X.Lo -= axisLabelRoom * (f.X.Hi - f.X.Lo)
	if d.logY {
		f.Y, f.YTicks = plot.LogScale(6, 0.08, ys, limitedEnds(ys, ends))
	} else {
		f.Y, f.YTicks = plot.Between(5, ys, limitedEndsLinear(ys, ends))
	}
	f.XTicks = d.sizeTicks(f.X, xs)
	d.chart = plot.New(f)
}

// limitedEnds returns the ends of intervals, limited to a factor of 10^maxStretchDecades beyond the values ys, so that
// the data still fill most of a logarithmic axis. It leaves out ends that are infinite or not positive.
func limitedEnds(ys, ends []float64) []float64 {
	lo, hi := math.Inf(1), 0.0
	for _, y := range ys {
		if y > 0 {
			lo, hi = math.Min(lo, y), math.Max(hi, y)
		}
	}
	room := math.Pow(10, maxStretchDecades)
	var out []float64
	for _, e := range ends {
		if e > 0 && !math.IsInf(e, 0) {
			out = append(out, math.Min(hi*room, math.Max(lo/room, e)))
		}
	}
	return out
}

// limitedEndsLinear returns the ends of intervals, limited to a third of the range of ys beyond it, for a linear axis.
func limitedEndsLinear(ys, ends []float64) []float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, y := range ys {
		lo, hi = math.Min(lo, y), math.Max(hi, y)
	}
	room := (hi - lo) / 3
	var out []float64
	for _, e := range ends {
		out = append(out, math.Min(hi+room, math.Max(lo-room, e)))
	}
	return out
}

// ordinate returns the position of a value on the y axis: the value, or its logarithm on a logarithmic axis; NaN for a
// value there that is not positive.
func (d *drawing) ordinate(v float64) float64 {
	if !d.logY {
		return v
	}
	if v <= 0 {
		return math.NaN()
	}
	return math.Log10(v)
}

// end returns the position of the end of an interval on the y axis. Values that are not positive lie below a
// logarithmic axis, infinite ones beyond any axis.
func (d *drawing) end(v float64) float64 {
	const beyond = 1e300
	switch {
	case math.IsInf(v, 0):
		return math.Copysign(beyond, v)
	case d.logY && v <= 0:
		return -beyond
	}
	return d.ordinate(v)
}
