package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A run gets a positive number, because the number may become a job id.
func TestRunNumberIsPositive(t *testing.T) {
	for stored, want := range map[string]int64{
		"":                      1,
		"0\n":                   1,
		"41\n":                  42,
		"-1\n":                  0,
		"-5\n":                  0,
		"9223372036854775807\n": 0,
		"many\n":                0,
	} {
		path := filepath.Join(t.TempDir(), "next")
		if err := os.WriteFile(path, []byte(stored), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := nextRunNumber(path)
		if got != want || (err != nil) != (want == 0) {
			t.Errorf("after %q: %d, %v; want %d", stored, got, err, want)
		}
		text, err := os.ReadFile(path)
		if err != nil || want == 0 && string(text) != stored {
			t.Errorf("after %q the file holds %q, %v", stored, text, err)
		}
	}
}
