package scaling

import (
	"cmp"
	"math"
	"slices"

	"jobgait/reports/plot"
)

// sizeTicks returns labelled ticks at sizes as far as there is room: first beside changes, then at both ends,
// then at the other measured sizes and those beyond that the text mentions. With very many measured sizes it
// takes round values of the axis instead of them.
func (d *drawing) sizeTicks(x plot.Scale, spoken []float64) []plot.Tick {
	const many = 24
	var list []float64
	for _, c := range d.r.Changes {
		if c.Cut > 0 && c.Cut < len(d.p) {
			list = append(list, d.p[c.Cut], d.p[c.Cut-1])
		}
	}
	last := math.Inf(-1)
	if n := len(d.p); n > 0 {
		last = d.p[n-1]
		list = append(list, last, d.p[0])
	}
	if len(d.p) > many {
		_, round := plot.LogScale(8, 0, d.p)
		for _, t := range round {
			list = append(list, math.Pow(10, t.Value))
		}
	} else {
		list = append(list, d.p...)
	}
	for _, v := range spoken {
		if v > last {
			list = append(list, v)
		}
	}
	return fittingTicks(x, list)
}

// fittingTicks returns ticks at the values whose labels have room; earlier values take precedence.
func fittingTicks(x plot.Scale, list []float64) []plot.Tick {
	const letter = 0.011 // of the width, at 800 pixels
	ticks := []plot.Tick{}
	var taken [][2]float64
	for _, v := range list {
		t := plot.Tick{Value: math.Log10(v), Label: tickLabel(v)}
		if !(t.Value >= x.Lo && t.Value <= x.Hi) {
			continue
		}
		half := letter * float64(len(t.Label)+1) / 2
		lo, hi := x.At(t.Value)-half, x.At(t.Value)+half
		if !slices.ContainsFunc(taken, func(o [2]float64) bool { return lo < o[1] && o[0] < hi }) {
			ticks, taken = append(ticks, t), append(taken, [2]float64{lo, hi})
		}
	}
	slices.SortFunc(ticks, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	return ticks
}

// tickLabel prints a value without the rounding error of the logarithm.
func tickLabel(v float64) string {
	if v > 1e-3 && v < 1e6 {
		v = math.Round(v*1e9) / 1e9
	}
	return plot.ShortNumber(v)
}
