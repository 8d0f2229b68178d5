package seriesfile

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// exact10 are the powers of ten that float64 holds exactly: a mantissa below
// 2^53 times or divided by one of them is rounded once, as ParseFloat does.
var exact10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// number reads a decimal number as strconv.ParseFloat does. ok is false if b is
// none; what means a missing value is NaN.
func number(b []byte) (v float64, ok bool) {
	i, negative := 0, false
	if len(b) > 0 && b[0] == '-' {
		i, negative = 1, true
	}
	m, point, digits := uint64(0), -1, 0
	for ; i < len(b); i++ {
		c := b[i] - '0'
		if c > 9 {
			if b[i] != '.' || point >= 0 {
				break
			}
			point = i
			continue
		}
		m = 10*m + uint64(c)
		digits++
	}
	if i < len(b) || digits == 0 || digits > 18 || m >= 1<<53 {
		return slowNumber(b)
	}
	v = float64(m)
	if point >= 0 {
		v /= exact10[len(b)-1-point]
	}
	if negative {
		v = -v
	}
	return v, true
}

// slowNumber reads everything else: exponents, long mantissas, spaces, quotes,
// and the words for a missing value.
func slowNumber(b []byte) (float64, bool) {
	s := strings.TrimSpace(string(b))
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	switch strings.ToLower(s) {
	case "", "nan", "+nan", "-nan", "na", "null":
		return math.NaN(), true
	}
	if strings.ContainsAny(s, "xX_") { // no hexadecimal, no underscores: nobody means them
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	return v, true
}
