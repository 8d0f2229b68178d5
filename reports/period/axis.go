package period

import (
	"math"
	"strconv"

	"jobgait/reports/plot"
)

// span returns a scale that holds all values, with some room, and round ticks.
func span(want int, lists ...[]float64) (plot.Scale, []plot.Tick) {
	lo, hi, ok := plot.Extent(lists...)
	switch {
	case !ok:
		lo, hi = 0, 1
	case lo == hi:
		d := max(math.Abs(lo)*0.05, 1e-9)
		lo, hi = lo-d, hi+d
	}
	if lo > 0 && lo < 0.5*hi {
		lo = 0
	}
	room := 0.06 * (hi - lo)
	s := plot.Scale{Lo: lo - room, Hi: hi + room}
	if lo == 0 {
		s.Lo = 0
	}
	step := plot.NiceStep((s.Hi - s.Lo) / float64(want+1))
	var ticks []plot.Tick
	for i := math.Ceil(s.Lo / step); i*step <= s.Hi && len(ticks) < 20; i++ {
		v := i * step
		ticks = append(ticks, plot.Tick{Value: v, Label: tickLabel(v, step)})
	}
	return s, ticks
}

// tickLabel prints a tick with the decimals that its step needs.
func tickLabel(v, step float64) string {
	if math.Abs(v) >= 1e7 || step < 1e-5 {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return strconv.FormatFloat(v+0, 'f', max(0, int(math.Ceil(-math.Log10(step)-1e-9))), 64)
}
