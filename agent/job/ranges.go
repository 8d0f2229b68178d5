package job

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxNodes limits the length of a node list; the largest clusters have a tenth of it.
const MaxNodes = 100_000

// ErrTooMany is returned for a list that is longer than MaxNodes.
var ErrTooMany = fmt.Errorf("the list of nodes, CPUs or GPUs exceeds its limit of at most %d entries: shorten it",
	MaxNodes)

// ExpandRanges expands a list of ranges, "1-3,07-09", and returns ErrTooMany for more than room numbers. Each
// range keeps the width of its first number.
func ExpandRanges(s string, room int) ([]string, error) {
	var out []string
	for _, part := range strings.Split(s, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		lo, err1 := ParseDigits(from)
		hi, err2 := ParseDigits(to)
		if err1 != nil || err2 != nil || hi < lo {
			return nil, fmt.Errorf("invalid range %.40q: want FROM-TO or a number", part)
		}
		if hi-lo >= room-len(out) {
			return nil, ErrTooMany
		}
		for i := lo; i <= hi; i++ {
			out = append(out, fmt.Sprintf("%0*d", len(from), i))
		}
	}
	return out, nil
}

// ParseDigits parses a number of one to nine digits, without a sign.
func ParseDigits(s string) (int, error) {
	if s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return 0, fmt.Errorf("invalid number %.40q: want up to 9 digits", s)
	}
	return strconv.Atoi(s)
}
