package text

import (
	"math"
	"strings"

	"jobgait/reports/plot"
)

const (
	blocks = "▁▂▃▄▅▆▇█"
	ramp   = ".:-=+*#%" // eight levels in ASCII
)

// Spark draws values as one line of characters, one each, from lo at the bottom
// to hi at the top. A missing value is a space.
func Spark(values []float64, lo, hi float64, ascii bool) string {
	levels := []rune(blocks)
	if ascii {
		levels = []rune(ramp)
	}
	var b strings.Builder
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			b.WriteByte(' ')
			continue
		}
		at := 0.0
		if hi > lo {
			at = (v - lo) / (hi - lo)
		}
		i := int(math.Floor(at * float64(len(levels))))
		b.WriteRune(levels[min(len(levels)-1, max(0, i))])
	}
	return b.String()
}

// fromZero returns the range to draw levels over: from zero, or below it.
func FromZero(values []float64) (lo, hi float64, ok bool) {
	lo, hi, ok = plot.Extent(values)
	return math.Min(0, lo), math.Max(0, hi), ok
}

// shapeRange returns the range to draw the shape of an iteration over: from
// zero, unless all of it lies in the upper half and differs by 2 % at least;
// there zero would hide the shape. The range is always printed beside the line.
func ShapeRange(values []float64) (lo, hi float64, ok bool) {
	lo, hi, ok = plot.Extent(values)
	if lo >= hi/2 && hi-lo > hi/50 {
		return lo, hi, ok
	}
	return FromZero(values)
}
