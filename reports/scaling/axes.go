package scaling

import (
	"math"
	"slices"

	"jobgait/reports/plot"
)

const (
	overhead = 0.33 // decades that an interval may stretch the y axis by
	labels   = 0.05 // of the width: room for the labels of the y axis
)

// frame fixes the axes.
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
	f.X.Lo -= labels * (f.X.Hi - f.X.Lo)
	if d.logY {
		f.Y, f.YTicks = plot.LogScale(6, 0.08, ys, near(ys, ends))
	} else {
		f.Y, f.YTicks = plot.Between(5, ys, nearBy(ys, ends))
	}
	f.XTicks = d.sizeTicks(f.X, xs)
	d.chart = plot.New(f)
}

// near returns the ends of intervals, pulled in where they would shrink the
// data to a corner.
func near(ys, ends []float64) []float64 {
	lo, hi := math.Inf(1), 0.0
	for _, y := range ys {
		if y > 0 {
			lo, hi = math.Min(lo, y), math.Max(hi, y)
		}
	}
	room := math.Pow(10, overhead)
	var out []float64
	for _, e := range ends {
		if e > 0 && !math.IsInf(e, 0) {
			out = append(out, math.Min(hi*room, math.Max(lo/room, e)))
		}
	}
	return out
}

// nearBy is near on a linear axis.
func nearBy(ys, ends []float64) []float64 {
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

// ordinate puts a value on the y axis.
func (d *drawing) ordinate(v float64) float64 {
	if !d.logY {
		return v
	}
	if v <= 0 {
		return math.NaN()
	}
	return math.Log10(v)
}

// end puts the end of an interval on the y axis. What is not positive lies below
// a logarithmic one, and what is infinite beyond any.
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
