package job

import (
	"path/filepath"
	"strings"

	"jobgait/analysis/note"
)

const (
	maxText = 256  // characters of a name; Slurm's own job names end at 1024
	maxPath = 4096 // PATH_MAX
)

// cleanPath returns an absolute path or "". A path is dropped where a name
// would be made printable: another path is not a better one.
func cleanPath(s string) string {
	if !strings.HasPrefix(s, "/") || len(s) >= maxPath || note.Clean(s, maxPath) != s {
		return ""
	}
	return filepath.Clean(s)
}

// element makes one path element of a name: letters, digits, '.', '_' and '-',
// not starting with a dot or a dash, never empty.
func element(s string) string {
	if len(s) > 128 {
		s = s[:128]
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, s)
	if s = strings.TrimLeft(s, ".-"); s == "" {
		return "node"
	}
	return s
}
