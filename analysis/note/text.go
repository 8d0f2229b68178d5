package note

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text of a user fit for logs, files and reports: control
// characters, characters that turn the direction of a line and invalid UTF-8
// become '?', white space at the ends goes, and no more than max characters
// stay. What it returns it leaves as it is, so that text is clean where it does
// not change it.
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
