package quantity

import (
	"fmt"
	"math"
	"strconv"
)

// Duration prints seconds for readers: 85 ms, 12.3 s, 51:53, 1:00:04; Missing for negative or unknown ones.
func Duration(s float64) string {
	switch {
	case !Known(s) || s < 0:
		return Missing
	case s == 0:
		return "0 s"
	case s < 0.9995:
		return Plain(1000*s, 3) + " ms"
	case s < 59.95:
		return Figures(s, 3) + " s"
	}
	if t := int64(math.Round(s)); t < 3600 {
		return fmt.Sprintf("%d:%02d", t/60, t%60)
	}
	return Clock(s)
}

// Clock prints seconds as h:mm:ss.
func Clock(s float64) string {
	if !Known(s) {
		return Missing
	}
	t := int64(math.Round(s))
	return fmt.Sprintf("%d:%02d:%02d", t/3600, t/60%60, t%60)
}

// Position prints a time, in seconds, within a run of the given length in seconds: "12.3 s" in runs shorter than two
// minutes, else as h:mm:ss.
func Position(s, length float64) string {
	const short = 120 // seconds, up to which tenths are printed
	if length >= short || !Known(s) {
		return Clock(s)
	}
	return strconv.FormatFloat(s, 'f', 1, 64) + " s"
}

// Period prints the length of a cycle, in seconds, with three figures: 85.0 ms, 6.20 s, 12.3 min.
func Period(s float64) string {
	if !Known(s) {
		return Missing
	}
	unit, scale := unitOfPeriod(s)
	return Figures(s/scale, 3) + " " + unit
}

// PeriodRange prints an interval of a period, in seconds, in the period's unit, with enough decimals for its
// ends to differ in two figures.
func PeriodRange(lo, hi, period float64) string { return periodRange(lo, "..", hi, period) }

// PeriodTo prints an interval of a period for a sentence: 6.19 to 6.21 s.
func PeriodTo(lo, hi, period float64) string { return periodRange(lo, "to", hi, period) }

// periodRange prints an interval of a period with the given word between its ends.
func periodRange(lo float64, to string, hi, period float64) string {
	if !Known(lo) || !Known(hi) {
		return Missing
	}
	unit, scale := unitOfPeriod(period)
	lo, hi = lo/scale, hi/scale
	decimals := 4
	if wide := hi - lo; wide > 0 {
		decimals = min(4, max(0, int(math.Ceil(1-math.Log10(wide)))))
	}
	return fmt.Sprintf("%.*f %s %.*f %s", decimals, lo, to, decimals, hi, unit)
}

// unitOfPeriod returns the unit in which a period is printed, and its size in seconds.
func unitOfPeriod(s float64) (string, float64) {
	switch {
	case s < 1:
		return "ms", 1e-3
	case s < 600:
		return "s", 1
	}
	return "min", 60
}
