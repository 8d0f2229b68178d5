package job

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"jobgait/analysis/note"
)

const (
	// MaxText bounds a name, in characters; the longest that a scheduler takes are 1024.
	MaxText = 256
	maxPath = 4096 // PATH_MAX
)

// CleanPath returns an absolute path or "". A path is dropped where a name
// would be made printable: another path is not a better one.
func CleanPath(s string) string {
	if !strings.HasPrefix(s, "/") || len(s) >= maxPath || note.Clean(s, maxPath) != s {
		return ""
	}
	return filepath.Clean(s)
}

// Count reads a number that is not negative and fits 31 bits.
func Count(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > math.MaxInt32 {
		return 0, false
	}
	return int(n), true
}

// Positive parses a number of tasks or CPUs; nil if it is invalid.
func Positive(s string) *int {
	n, ok := Count(s)
	if !ok || n == 0 {
		return nil
	}
	return &n
}

// BigCount parses a number that is not negative; nil if it is invalid.
func BigCount(s string) *int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}
