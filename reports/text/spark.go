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

// Spark draws values as a line of characters, one per value, from lo at the bottom to hi at the top. A
// missing or infinite value is a space; a value outside lo to hi is drawn as the nearer of the two. If hi is
// not above lo, all values are drawn at the bottom.
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

// FromZero returns the range for drawing levels: it includes zero.
func FromZero(values []float64) (lo, hi float64, ok bool) {
	lo, hi, ok = plot.Extent(values)
	return math.Min(0, lo), math.Max(0, hi), ok
}

// ShapeRange returns the range for drawing the shape of an iteration. It starts at zero, unless all values lie
// in the upper half and differ by at least 2 %, where zero would hide the shape. The range is always printed
// beside the line.
func ShapeRange(values []float64) (lo, hi float64, ok bool) {
	lo, hi, ok = plot.Extent(values)
	if lo >= hi/2 && hi-lo > hi/50 {
		return lo, hi, ok
	}
	return FromZero(values)
}
