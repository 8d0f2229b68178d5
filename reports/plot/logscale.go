package plot

import (
	"math"
	"strconv"
)

// LogScale returns a scale of decimal logarithms around all positive values, with the share free of its length
// as margin at both ends, and at most want ticks at round values. Without any positive value the scale is 1 to
// 10.
func LogScale(want int, free float64, lists ...[]float64) (Scale, []Tick) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, values := range lists {
		for _, v := range values {
			if v > 0 && !math.IsInf(v, 1) {
				lo, hi = math.Min(lo, math.Log10(v)), math.Max(hi, math.Log10(v))
			}
		}
	}
	if hi < lo {
		lo, hi = 0, 1
	}
	// All values alike: a fifth of a decade shows that they are.
	if minSpan := 0.2; hi-lo < minSpan {
		lo, hi = (lo+hi-minSpan)/2, (lo+hi+minSpan)/2
	}
	s := Scale{lo - free*(hi-lo), hi + free*(hi-lo)}
	return s, logTicks(s, want)
}

// logTicks returns ticks for a scale of decimal logarithms: the finest of these that has at most want ticks: steps of
// the numbers themselves; 1, 2, 5 a decade; 1, 3; 1; 1 in several decades.
func logTicks(s Scale, want int) []Tick {
	if s.Hi-s.Lo < 0.7 { // a factor of five: steps look even enough
		return stepTicks(s, want)
	}
	for _, parts := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		if ticks := decadeTicks(s, parts, 1); len(ticks) <= want && len(ticks) > 1 {
			return ticks
		}
	}
	for every := 2; ; every++ {
		if ticks := decadeTicks(s, []float64{1}, every); len(ticks) <= max(1, want) {
			return ticks
		}
	}
}

// decadeTicks returns ticks at the given parts of each decade whose exponent is a multiple of every.
func decadeTicks(s Scale, parts []float64, every int) []Tick {
	var ticks []Tick
	first := int(math.Floor(s.Lo/float64(every))) * every
	for d := first; float64(d) <= s.Hi; d += every {
		for _, part := range parts {
			if at := float64(d) + math.Log10(part); at >= s.Lo && at <= s.Hi {
				ticks = append(ticks, Tick{at, ShortNumber(part * math.Pow(10, float64(d)))})
			}
		}
	}
	return ticks
}

// stepTicks returns at most want ticks at multiples of a round step of the numbers themselves, for a scale of decimal
// logarithms.
func stepTicks(s Scale, want int) []Tick {
	lo, hi := math.Pow(10, s.Lo), math.Pow(10, s.Hi)
	step := NiceStep((hi - lo) / float64(max(1, want)))
	var ticks []Tick
	for i := math.Ceil(lo / step); i*step <= hi && len(ticks) < max(1, want); i++ {
		ticks = append(ticks, Tick{math.Log10(i * step), ShortNumber(i * step)})
	}
	return ticks
}

// ShortNumber writes a number for an axis: a whole number below a million unchanged, any other with four significant
// digits, from a million on with a prefix (M, G, T), from 1e15 on with an exponent.
func ShortNumber(v float64) string {
	size := math.Abs(v)
	if size == math.Trunc(size) && size < 1e6 || size == 0 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	for _, p := range []struct {
		scale float64
		name  string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}} {
		if size >= p.scale && size < 1e15 {
			return strconv.FormatFloat(v/p.scale, 'g', 4, 64) + p.name
		}
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
