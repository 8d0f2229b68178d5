// Package jobtest has helpers that tests of hooks share: hostile values that a user, or a broken scheduler, may
// put into the environment of a hook, and checks of what hooks log. It is for tests.
package jobtest

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// VariablesRead returns the variables with one of the prefixes that a hook reads, sorted.
func VariablesRead(getenv func(string) string, hook func(getenv func(string) string), prefixes ...string) []string {
	var names []string
	hook(func(name string) string {
		for _, p := range prefixes {
			if strings.HasPrefix(name, p) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return getenv(name)
	})
	slices.Sort(names)
	return names
}

// CheckLogLine fails the test unless said, a line for the log of the scheduler or of jobgait, is one printable line of
// at most 2200 bytes, apart from its line feed. what names the case.
func CheckLogLine(t *testing.T, what, said string) {
	t.Helper()
	text := strings.TrimSuffix(said, "\n")
	if len(text) > 2200 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("%s: said %d bytes: %.300q", what, len(said), said)
	}
}

// Hostile are values for any variable of a hook's environment, by what is wrong
// with them. None has a zero byte, which no environment can hold.
func Hostile() map[string]string {
	binary := make([]byte, 255)
	for i := range binary {
		binary[i] = byte(i + 1)
	}
	return map[string]string{
		"empty":               "",
		"blank":               " \t ",
		"line ends":           "7\nlevel=error job 8: forged\r\n",
		"every byte":          string(binary),
		"not UTF-8":           "\xff\xfe\xf0\x9f",
		"up":                  "../../../../../../etc",
		"up within":           "/tmp/../../etc/x/../..",
		"here":                ".",
		"absolute":            "/etc/jobgait-evil",
		"a megabyte":          strings.Repeat("A", 1<<20),
		"a megabyte of lines": strings.Repeat("../\n", 1<<18),
		"terminal":            "\x1b[31m\x1b]0;owned\x07\x9b2J",
		"right to left":       "\u202egnp.exe\u200b",
		"HTML":                "<script>alert(1)</script><img src=x onerror=alert(1)>\"'",
		"SQL":                 "'; drop table run; --",
		"shell":               "$(touch /evil)`touch /evil`;touch /evil|&",
		"formats":             "%n%n%s%s%x%p%!d(MISSING)%%%j",
		"negative":            "-1",
		"zero":                "0",
		"just too large":      "18446744073709551616",
		"largest":             "9223372036854775807",
		"no integer":          "1e400",
		"not a number":        "nan",
		"long node list":      "n[0-4294967295,00000001-99999999]",
		"torn node list":      "n[1-,[[2",
		"nested JSON":         strings.Repeat("[", 1<<16),
	}
}
