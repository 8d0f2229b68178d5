package plot

import (
	"fmt"
	"math"
	"strconv"
)

// Scale is the range of data that an axis covers.
type Scale struct{ Lo, Hi float64 }

// At returns the position of v on the scale: 0 at Lo, 1 at Hi, limited to 0 to 1; 0.5 on a scale without length.
func (s Scale) At(v float64) float64 {
	if !(s.Hi > s.Lo) {
		return 0.5
	}
	return math.Min(1, math.Max(0, (v-s.Lo)/(s.Hi-s.Lo)))
}

// Tick is one mark of an axis.
type Tick struct {
	Value float64
	Label string
}

// Extent returns the smallest and the largest finite value; ok is false without a finite value.
func Extent(lists ...[]float64) (lo, hi float64, ok bool) {
	for _, values := range lists {
		for _, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			if !ok {
				lo, hi, ok = v, v, true
			}
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	return lo, hi, ok
}

// headroom is the share of a scale that is free above the largest value.
const headroom = 0.08

// FromZero returns a scale from 0 to a little above the largest value, with about want ticks at round numbers.
// Without any value above 0 the scale is 0 to 1.
func FromZero(want int, lists ...[]float64) (Scale, []Tick) {
	hi := 0.0
	for _, vs := range lists {
		for _, v := range vs {
			if v > hi && !math.IsInf(v, 1) {
				hi = v
			}
		}
	}
	if hi == 0 {
		hi = 1
	}
	s := Scale{0, hi * (1 + headroom)}
	return s, roundTicks(s, want)
}

// Between returns a scale around all values with a margin on both sides, and about want ticks at round numbers.
// It is for values whose differences matter more than their distance from zero.
func Between(want int, lists ...[]float64) (Scale, []Tick) {
	lo, hi, ok := Extent(lists...)
	if !ok || math.IsInf(hi-lo, 0) {
		lo, hi = 0, 1
	}
	if hi == lo {
		lo, hi = lo-math.Max(math.Abs(lo), 1)*0.05, hi+math.Max(math.Abs(hi), 1)*0.05
	}
	room := headroom * (hi - lo)
	s := Scale{lo - room, hi + room}
	return s, roundTicks(s, want)
}

// roundTicks returns about want ticks at round numbers.
func roundTicks(s Scale, want int) []Tick {
	step := NiceStep((s.Hi - s.Lo) / float64(max(1, want+1)))
	var ticks []Tick
	for i := math.Ceil(s.Lo / step); i*step <= s.Hi && len(ticks) < 2*want+2; i++ {
		at := i*step + 0 // -0 becomes 0
		ticks = append(ticks, Tick{at, shortNumber(at, step)})
	}
	return ticks
}

// NiceStep returns the smallest of 1, 2, 5 times a power of ten not below raw; 1 if raw is not positive and finite.
func NiceStep(raw float64) float64 {
	if !(raw > 0) || math.IsInf(raw, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*power >= raw*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// shortNumber writes a tick's value with the decimals that its step needs, and
// with a prefix k, M, G or T if the step is that large.
func shortNumber(v, step float64) string {
	for _, p := range []struct {
		from, scale float64
		name        string
	}{{1e11, 1e12, "T"}, {1e8, 1e9, "G"}, {1e5, 1e6, "M"}, {1e3, 1e3, "k"}} {
		if step >= p.from && v != 0 {
			return strconv.FormatFloat(v/p.scale, 'g', 6, 64) + p.name
		}
	}
	decimals := 0
	switch {
	case step < 1e-6:
		return strconv.FormatFloat(v, 'g', 4, 64)
	case step < 1:
		decimals = int(math.Ceil(-math.Log10(step) - 1e-9))
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// clockSteps are the distances between ticks of a time axis, in seconds.
var clockSteps = [...]float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
	3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800}

// TimeTicks returns at most want+1 ticks at round times from lo to hi seconds. Below a second they are decimal,
// above they have the form of clock times.
func TimeTicks(lo, hi float64, want int) []Tick {
	if !(hi > lo) || want < 1 {
		return nil
	}
	raw := (hi - lo) / float64(want)
	step := NiceStep(raw)
	if raw > 0.5 {
		step = clockSteps[len(clockSteps)-1] * math.Ceil(raw/clockSteps[len(clockSteps)-1])
		for _, s := range clockSteps {
			if s >= raw {
				step = s
				break
			}
		}
	}
	var ticks []Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi*(1+1e-12); i++ {
		at := i*step + 0 // -0 becomes 0
		ticks = append(ticks, Tick{at, clockLabel(at, step, hi)})
	}
	return ticks
}

// clockLabel writes t, in s, in the form that hi, the largest time of the axis, needs: ms below 1 s, s below 2 minutes,
// else hours:minutes:seconds. step, the distance of the ticks, gives the decimals.
func clockLabel(t, step, hi float64) string {
	switch {
	case hi < 1 && step < 1:
		return shortNumber(t*1000, step*1000) + " ms"
	case hi < 120:
		return shortNumber(t, step) + " s"
	}
	s := int64(math.Round(t))
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
