package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// hostileText holds what no terminal and no page may see.
const hostileText = "</title></script><script>alert(1)</script>\"'><img onerror=alert(2) src=x> " +
	"\x1b[2J\u202egnp.exe\u2066\r\n\tevil\x00 {{.}} ${x}"

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", hostileText, "é\u0301漢", "\xff\xfe", strings.Repeat("x", 5000),
		"a\u2028b\U000e0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := Clean(s)
		if !utf8.ValidString(c) || utf8.RuneCountInString(c) > maxRunes || c != strings.TrimSpace(c) || Clean(c) != c {
			t.Errorf("Clean(%q) = %q", s, c)
		}
		if strings.ContainsAny(c, "\x00\x1b\n\t\r\u200b\u202e\u2066\ufeff") {
			t.Errorf("Clean(%q) = %q", s, c)
		}
		for _, l := range Wrap(c, 20) {
			if Width(l) > 20 {
				t.Errorf("line of %d columns: %q", Width(l), l)
			}
		}
	})
}
