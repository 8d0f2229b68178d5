package main

import (
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestCoverageTable runs a small table. Of 80 intervals, 64 or fewer hold once
// in 10,000 draws at a true share of .95.
func TestCoverageTable(t *testing.T) {
	var out, errors strings.Builder
	if status := run([]string{"-tables", "coverage", "-count", "4", "-seed", "3"}, &out, &errors); status != 0 {
		t.Fatalf("status %d: %s", status, errors.String())
	}
	row := regexp.MustCompile(`(?m)^all +80  ([.0-9]+) ([.0-9]+) ([.0-9]+) `).FindStringSubmatch(out.String())
	if row == nil {
		t.Fatalf("no row of all 80 series in:\n%s", out.String())
	}
	for i, s := range row[1:] {
		if v, err := strconv.ParseFloat(s, 64); err != nil || v <= 0.8 {
			t.Errorf("%d times the largest p: a share of %s holds", 1<<i, s)
		}
	}
	var again strings.Builder
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	run([]string{"-tables", "coverage", "-count", "4", "-seed", "3"}, &again, &errors)
	if again.String() != out.String() {
		t.Error("another number of cores gives another table")
	}
}
