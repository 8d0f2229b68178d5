package job

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxNodes bounds a node list; the largest clusters have a tenth of it.
const MaxNodes = 100_000

// ErrTooMany is returned for a list that is longer than MaxNodes.
var ErrTooMany = fmt.Errorf("more than %d nodes", MaxNodes)

// Ranges expands "1-3,07-09", as the kernel writes CPUs, into at most room
// numbers. The first number's width is kept.
func Ranges(s string, room int) ([]string, error) {
	var out []string
	for _, part := range strings.Split(s, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		lo, err1 := Number(from)
		hi, err2 := Number(to)
		if err1 != nil || err2 != nil || hi < lo {
			return nil, fmt.Errorf("bad range %.40q", part)
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

// Number reads digits only: Atoi would take a sign.
func Number(s string) (int, error) {
	if s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return 0, fmt.Errorf("bad number %.40q", s)
	}
	return strconv.Atoi(s)
}
