package note

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for s, want := range map[string]string{
		"plain": "plain", "a\x1b[31mb\n": "a?[31mb", "a\nb": "a?b", "\xff\xfe": "?", "été": "été",
		"  x  ": "x", "a\u202eb": "a?b", strings.Repeat("é", 300): strings.Repeat("é", 256), "a\u00a0b": "a?b",
	} {
		if got := Clean(s, 256); got != want {
			t.Errorf("Clean(%q) = %q, want %q", s, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\u202eb\xff ", 2)
	f.Add(" \n", 0)
	f.Fuzz(func(t *testing.T, s string, max int) {
		max &= 0xff
		c := Clean(s, max)
		if Clean(c, max) != c || utf8.RuneCountInString(c) > max || strings.ContainsAny(c, "\n\x1b\x00") {
			t.Errorf("Clean(%q, %d) = %q", s, max, c)
		}
	})
}

// A message of several lines becomes one line whose parts stay apart.
func TestLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a\nb", "a; b"}, {"\na\r\n", "a"}, {"a\tb", "a?b"}, {"", ""}, {"abcdef\ng", "abcdef; "[:7]},
	} {
		if got := Line(c.in, 7); got != strings.TrimSpace(c.want) {
			t.Errorf("Line(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
