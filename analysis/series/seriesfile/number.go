package seriesfile

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
)

// number reads a number as strconv.ParseFloat does. Spaces and quotes around it are left
// out, and words for a missing value are NaN. ok is false if b is none.
func number(b []byte) (v float64, ok bool) {
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		s := strings.TrimSpace(string(b))
		if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
			s = strings.TrimSpace(s[1 : len(s)-1])
		}
		switch strings.ToLower(s) {
		case "", "+nan", "-nan", "na", "null":
			return math.NaN(), true
		}
		v, err = strconv.ParseFloat(s, 64)
	}
	if err != nil && !errors.Is(err, strconv.ErrRange) || bytes.IndexByte(b, '_') >= 0 {
		return 0, false
	}
	return v, true
}
