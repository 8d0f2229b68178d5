package history

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Largest texts that a column keeps, in bytes. Job names, paths and labels are
// chosen by users; nothing they choose may make the history grow.
const (
	maxName = 256
	maxText = 4096
	maxList = 64 << 10 // a node list; 10,000 nodes without a common prefix
)

// clean makes text that a user chose fit to be printed by any program that
// reads the database: the sqlite3 tool writes to an administrator's terminal
// what it finds. Control characters (escape sequences, newlines, NUL, which
// ends a text in SQL functions), characters that turn the direction of writing
// and bytes that are not UTF-8 become U+FFFD. The stored summary keeps the text
// as it was.
func clean(s string, limit int) string {
	s = strings.TrimSpace(s)
	if len(s) > limit {
		s = s[:limit]
		for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
		if r, n := utf8.DecodeLastRuneInString(s); r == utf8.RuneError && n == 1 {
			s = s[:len(s)-1] // the first byte of a rune that was cut
		}
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return unicode.ReplacementChar
		}
		return r
	}, s))
}
