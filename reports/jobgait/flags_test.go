package main

import (
	"strings"
	"testing"
)

// The error on a flag contains no names of Go functions.
func TestFlagErrorsArePlain(t *testing.T) {
	for want, args := range map[string][]string{
		`invalid argument "3d" for "--days" flag: it must be a number`: {"changes", "--days", "3d"},
		`invalid argument "1e999" for "--min-effect" flag: too large`:  {"changes", "--min-effect", "1e999"},
		`unknown flag: --bogus`: {"compare", "--bogus"},
		`invalid argument "x" for "--limit" flag: it must be a number`: {"list", "--limit", "x"},
		`flag needs an argument: --days`:                               {"changes", "--days"},
	} {
		got := ask(args...)
		if got.status != 2 || !strings.HasPrefix(got.complaint, "jobgait: "+want) ||
			strings.Contains(got.complaint, "strconv") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}
