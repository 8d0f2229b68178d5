package quantity

import (
	"fmt"
	"math"
	"strconv"
)

const percent = " %"

// OfLogs is a difference of natural logarithms as a relative difference in percent.
func OfLogs(d float64) float64 { return 100 * math.Expm1(d) }

// Percent prints a value in percent: 0.35 %, 12.3 %, 135 %.
func Percent(p float64) string {
	if !Known(p) {
		return Missing
	}
	return bare(p) + percent
}

// Signed is Percent with its sign: +12.3 %.
func Signed(p float64) string {
	if p >= 0.005 {
		return "+" + Percent(p)
	}
	return Percent(p)
}

// SignedTo is Signed with a number of decimals, for values that differ by less than Signed
// shows: +12.345 %.
func SignedTo(p float64, decimals int) string {
	if !Known(p) {
		return Missing
	}
	return fmt.Sprintf("%+.*f", decimals, p) + percent
}

// PercentRange prints an interval: 11.8 .. 12.9 %.
func PercentRange(lo, hi float64) string { return bare(lo) + " .. " + Percent(hi) }

// PercentTo is PercentRange in a sentence: 11.8 to 12.9 %.
func PercentTo(lo, hi float64) string { return bare(lo) + " to " + Percent(hi) }

// Share prints a share of 0..1 in percent. Nothing but all is 100 %, nothing but
// nothing 0 %.
func Share(share float64) string {
	switch p := 100 * share; {
	case p > 0 && p < 0.01:
		return "< 0.01" + percent
	case p > 99.9 && p < 100:
		return "99.9" + percent
	case p == 100:
		return "100" + percent
	default:
		return Percent(p)
	}
}

// Chosen prints a number of percent that somebody set, a level or a threshold:
// 95 %, 2 %, 99.9 %.
func Chosen(p float64) string {
	if !Known(p) {
		return Missing
	}
	return Exact(p) + percent
}

func bare(p float64) string {
	switch size := math.Abs(p); {
	case !Known(p):
		return Missing
	case size < 0.005:
		return "0" // never -0.00
	case size < 0.995:
		return strconv.FormatFloat(p, 'f', 2, 64)
	case size < 99.95:
		return strconv.FormatFloat(p, 'f', 1, 64)
	}
	return commas(strconv.FormatFloat(p, 'f', 0, 64))
}

// ParsedPercent prints a percentage with two decimals and without a blank, as programs print it whose output is
// parsed: "37.50%".
func ParsedPercent(p float64) string { return fmt.Sprintf("%.2f%%", p) }
