package run

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestPathElement(t *testing.T) {
	for name, want := range map[string]string{
		"node-1.cluster":         "node-1.cluster",
		"a/b":                    "a_b",
		"../x":                   "_x",
		"..":                     "fallback",
		"":                       "fallback",
		"-rf":                    "rf",
		".hidden":                "hidden",
		"n1@n2\x00":              "n1_n2_",
		"knoten-ä 7":             "knoten-__7",
		"\xff\xfe":               "__",
		strings.Repeat("a", 200): strings.Repeat("a", MaxPathElement),
	} {
		if got := PathElement(name, "fallback"); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func FuzzPathElement(f *testing.F) {
	for _, s := range []string{"n1", "../..", ".-x", "\x00", "a b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := PathElement(name, "none")
		if got != filepath.Base(got) || got == "." || got == ".." || strings.HasPrefix(got, "-") ||
			len(got) > MaxPathElement {
			t.Errorf("%q becomes %q", name, got)
		}
		if PathElement(got, "none") != got {
			t.Errorf("%q changes again", got)
		}
	})
}
