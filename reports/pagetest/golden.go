// Package pagetest has helpers for the tests of reports: golden files, pictures and pages. A test fails where
// the output of a report has changed, or contains something that a strict content policy blocks. No program
// imports it.
package pagetest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Golden fails if got differs from a file of testdata, which -update rewrites. Text that a mask removes from
// both may differ.
func Golden(t testing.TB, name string, got []byte, masks ...func([]byte) []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, mask := range masks {
		got, want = mask(got), mask(want)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from what it was; if that is right, run with -update.\ngot:\n%s", path, got)
	}
}
