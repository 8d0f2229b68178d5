package job

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"jobgait/analysis/note"
)

const (
	// MaxText limits a name, in characters; the longest that a scheduler accepts are 1024.
	MaxText = 256
	maxPath = 4096 // PATH_MAX
)

// CleanPath returns a cleaned absolute path, "" if s is not absolute, too long or not printable.
func CleanPath(s string) string {
	if !strings.HasPrefix(s, "/") || len(s) >= maxPath || note.Clean(s, maxPath) != s {
		return ""
	}
	return filepath.Clean(s)
}

// ParseCount parses a number from 0 to 2^31-1; false if it is invalid.
func ParseCount(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > math.MaxInt32 {
		return 0, false
	}
	return int(n), true
}

// ParsePositive parses a number from 1 to 2^31-1, such as one of tasks or CPUs; nil if it is invalid.
func ParsePositive(s string) *int {
	n, ok := ParseCount(s)
	if !ok || n == 0 {
		return nil
	}
	return &n
}

// ParseBigCount parses a 64-bit number that is not negative; nil if it is invalid.
func ParseBigCount(s string) *int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}
