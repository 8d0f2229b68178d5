package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// unknown is what is printed for a value that there is not.
const unknown = "-"

// number returns v, or 0 for what JSON cannot hold; only for times and sums that
// are always there.
func number(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// known returns a pointer to v, nil for nil and for what is not finite.
func known(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	x := *v
	return &x
}

// moment turns epoch seconds into a time; what no calendar holds becomes 1970.
func moment(epoch float64) time.Time {
	const year9999 = 253402300799
	epoch = number(epoch)
	if epoch < 0 || epoch > year9999 {
		epoch = 0
	}
	s := math.Floor(epoch)
	return time.Unix(int64(s), int64((epoch-s)*1e9)).UTC()
}

// stamp is RFC 3339 in UTC.
func stamp(epoch float64) string { return moment(epoch).Format(time.RFC3339) }

// duration prints seconds as people read them: 85 ms, 12.3 s, 51:53, 1:00:04.
func duration(s float64) string {
	switch {
	case math.IsNaN(s) || math.IsInf(s, 0) || s < 0:
		return unknown
	case s == 0:
		return "0 s"
	case s < 0.9995:
		return plain(1000*s) + " ms"
	case s < 59.95:
		return figures(s, 3) + " s"
	}
	t := int64(math.Round(s))
	if t < 3600 {
		return fmt.Sprintf("%d:%02d", t/60, t%60)
	}
	return clock(s)
}

// clock prints seconds as h:mm:ss.
func clock(s float64) string {
	t := int64(math.Round(number(s)))
	return fmt.Sprintf("%d:%02d:%02d", t/3600, t/60%60, t%60)
}

// position prints a time within a run of the given length.
func position(s, length float64) string {
	if length < 120 {
		return strconv.FormatFloat(number(s), 'f', 1, 64) + " s"
	}
	return clock(s)
}

// unitOfPeriod returns the unit in which a period is read best, and its size.
func unitOfPeriod(s float64) (string, float64) {
	switch {
	case s < 1:
		return "ms", 1e-3
	case s < 600:
		return "s", 1
	}
	return "min", 60
}

// period prints the length of an iteration with three or four figures.
func period(s float64) string {
	unit, scale := unitOfPeriod(s)
	return figures(s/scale, 3) + " " + unit
}

// interval prints a confidence interval in the unit of the value it belongs to,
// with so many decimals that its ends differ in two figures.
func interval(e Estimate) string {
	if e.Lo == nil || e.Hi == nil || e.Value == nil {
		return unknown
	}
	unit, scale := unitOfPeriod(*e.Value)
	lo, hi := *e.Lo/scale, *e.Hi/scale
	decimals := 4
	if wide := hi - lo; wide > 0 {
		decimals = min(4, max(0, int(math.Ceil(1-math.Log10(wide)))))
	}
	return fmt.Sprintf("%.*f .. %.*f %s", decimals, lo, decimals, hi, unit)
}

// figures prints v with n significant figures and no exponent.
func figures(v float64, n int) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	before := int(math.Floor(math.Log10(math.Abs(v)))) + 1
	return strconv.FormatFloat(v, 'f', min(9, max(0, n-before)), 64)
}

// plain prints v with three figures and without zeros at the end.
func plain(v float64) string {
	s := figures(v, 3)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// percent prints a share of 0..1. Nothing but all is printed as 100 %, nothing
// but nothing as 0 %.
func percent(share float64) string {
	p := share * 100
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return unknown
	case p == 0 || p >= 99.95:
		return fmt.Sprintf("%.0f %%", p)
	case math.Abs(p) < 0.01:
		return "< 0.01 %"
	case math.Abs(p) < 0.095:
		return fmt.Sprintf("%.2f %%", p)
	case math.Abs(p) < 9.95 || p >= 99.5:
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// count prints a whole number with commas.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// amount prints a total with three figures and a prefix: 1.23 G.
func amount(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return unknown
	}
	for _, p := range []struct {
		scale float64
		name  string
	}{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if math.Abs(v) >= p.scale {
			if p.scale == 1e4 {
				p.scale = 1e3
			}
			return figures(v/p.scale, 3) + " " + p.name
		}
	}
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64) // 23 faults are not 23.0
	}
	return figures(v, 3)
}

// optional prints a value that may be unknown.
func optional(v *float64, print func(float64) string) string {
	if v == nil {
		return unknown
	}
	return print(*v)
}

// plural prints "1 node", "2 nodes", "64 CPUs".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return count(int64(n)) + " " + what + "s"
}

// join joins a number and its unit; prefix and unit stand together: "1.2 GB".
func join(amount, unit string) string {
	if unit == "" {
		return amount
	}
	if unit == "bytes" || unit == "B" {
		unit = "B"
	}
	if last := amount[len(amount)-1]; last >= '0' && last <= '9' || len(unit) > 2 {
		return amount + " " + unit
	}
	return amount + unit
}
