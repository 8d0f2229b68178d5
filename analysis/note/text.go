package note

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns a message cleaned for one line of a log (Clean). Line feeds, which joined errors have between them,
// become "; ".
func Line(message string, max int) string {
	return Clean(strings.ReplaceAll(strings.TrimSpace(message), "\n", "; "), max)
}

// Clean returns text of a user cleaned for logs, files and reports: control characters, characters that change
// the direction of a line and invalid UTF-8 become '?', white space at the ends is removed, and at most max
// characters are kept. It is idempotent: text is clean if Clean does not change it.
func Clean(s string, max int) string {
	if len(s) > 4*max { // bound the work first
		s = s[:4*max]
	}
	s = strings.ToValidUTF8(strings.TrimSpace(s), "?")
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > max {
		s = string(runes[:max])
	}
	return strings.TrimSpace(s)
}
