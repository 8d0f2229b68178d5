package quantity

import (
	"fmt"
	"math"
	"strconv"
)

const percent = " %"

// PercentOfLogs converts a difference of natural logarithms to a relative difference in percent.
func PercentOfLogs(d float64) float64 { return 100 * math.Expm1(d) }

// Percent prints a value in percent: 0.35 %, 12.3 %, 135 %.
func Percent(p float64) string {
	if !Known(p) {
		return Missing
	}
	return bare(p) + percent
}

// Signed prints a value in percent with its sign: +12.3 %. A value that is printed as 0 has none.
func Signed(p float64) string {
	if p >= 0.005 {
		return "+" + Percent(p)
	}
	return Percent(p)
}

// SignedTo prints a value in percent with its sign and the given number of decimals: +12.345 %.
func SignedTo(p float64, decimals int) string {
	if !Known(p) {
		return Missing
	}
	return fmt.Sprintf("%+.*f", decimals, p) + percent
}

// PercentRange prints an interval in percent: 11.8 .. 12.9 %.
func PercentRange(lo, hi float64) string { return bare(lo) + " .. " + Percent(hi) }

// PercentTo prints an interval in percent for a sentence: 11.8 to 12.9 %.
func PercentTo(lo, hi float64) string { return bare(lo) + " to " + Percent(hi) }

// Share prints a share of 0..1 in percent. It prints 100 % only for 1, and 0 % only for 0.
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

// WholePercent prints a whole number of percent: 61 %.
func WholePercent(n int) string { return strconv.Itoa(n) + percent }

// Chosen prints a percentage that a user or the program sets, a level or a threshold: 95 %, 2 %, 99.9 %.
func Chosen(p float64) string {
	if !Known(p) {
		return Missing
	}
	return Exact(p) + percent
}

// bare prints a value in percent without the character %: with two decimals below 1, one below 100 and none from there
// on. A size below 0.005 is "0".
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
