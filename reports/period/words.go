package period

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// length prints seconds with three or four figures: 35.2 ms, 1.101 s, 12:05.
func length(s float64) string {
	switch {
	case math.IsNaN(s) || math.IsInf(s, 0):
		return "-"
	case s < 0.99985:
		return figures(1000*s, 4) + " ms"
	case s < 119.95:
		return figures(s, 4) + " s"
	case s < 3600:
		return fmt.Sprintf("%d:%02d min", int(s+0.5)/60, int(s+0.5)%60)
	}
	t := int64(math.Round(s))
	return fmt.Sprintf("%d:%02d:%02d h", t/3600, t/60%60, t%60)
}

// figures prints v with n significant figures, without zeros behind the point at
// the end and without an exponent where people would not want one.
func figures(v float64, n int) string {
	if v == 0 || math.Abs(v) >= 1e9 || math.Abs(v) < 1e-6 {
		return strconv.FormatFloat(v, 'g', n, 64)
	}
	before := int(math.Floor(math.Log10(math.Abs(v)))) + 1
	s := strconv.FormatFloat(v, 'f', max(0, n-before), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// percent prints a share; nothing but all is 100 %.
func percent(share float64) string {
	p := 100 * share
	if p < 100 && p > 99.9 {
		p = 99.9
	}
	if p < 1 {
		return figures(p, 2) + " %"
	}
	return figures(p, 3) + " %"
}

func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if strings.HasSuffix(one, "ch") {
		one += "e" // stretches
	}
	return fmt.Sprintf("%d %ss", n, one)
}
