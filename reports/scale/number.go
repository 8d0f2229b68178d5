package scale

import (
	"math"
	"strconv"

	"jobgait/reports"
)

// figures prints v with n significant figures, and with an exponent only where
// it would have more than nine digits.
func figures(v float64, n int) string {
	switch size := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "-"
	case v == 0:
		return "0"
	case size >= 1e9 || size < 1e-4:
		return strconv.FormatFloat(v, 'g', n, 64)
	default:
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', n-1, 64), 64)
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
}

// size prints a parameter value: exactly, as it is a size that somebody chose.
func size(p float64) string {
	if math.IsNaN(p) || math.IsInf(p, 0) {
		return "-"
	}
	if a := math.Abs(p); a < 1e9 && a >= 1e-4 || a == 0 {
		return strconv.FormatFloat(math.Round(p*1e9)/1e9, 'f', -1, 64)
	}
	return strconv.FormatFloat(p, 'g', 6, 64)
}

// interval prints both ends with as many decimals as tell them apart by two
// figures.
func interval(lo, hi float64) string {
	n := 3
	if wide := hi - lo; wide > 0 {
		most := math.Max(math.Abs(lo), math.Abs(hi))
		n = min(9, max(n, int(math.Floor(math.Log10(most))-math.Floor(math.Log10(wide)))+2))
	}
	return figures(lo, n) + " .. " + figures(hi, n)
}

func percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return "-"
	}
	return figures(share*100, 3) + " %"
}

// fraction prints an exponent as the ratio that it is.
func fraction(x float64) string {
	for _, den := range []float64{1, 2, 3, 4, 5, 8, 16} {
		if num := math.Round(x * den); math.Abs(num-x*den) < 1e-9 {
			s := strconv.FormatFloat(num, 'f', -1, 64)
			if den != 1 {
				s = "(" + s + "/" + strconv.FormatFloat(den, 'f', -1, 64) + ")"
			}
			return s
		}
	}
	return figures(x, 3)
}

// count is "1 point", "5 points".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// wrap breaks text into lines of at most w columns; later lines begin with
// indent.
func wrap(s string, w int, indent string) []string {
	lines := reports.Wrap(s, w-len(indent))
	for i := range lines {
		if i > 0 {
			lines[i] = indent + lines[i]
		}
	}
	return lines
}
