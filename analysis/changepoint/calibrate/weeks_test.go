package main

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
)

func TestWeeks(t *testing.T) {
	var b bytes.Buffer
	measure(&b, weeks(), options{runs: 60, seed: 1, length: 60, sd: 0.01}, changepoint.Default())
	for _, f := range weeks() {
		if !strings.Contains(b.String(), f.name) {
			t.Errorf("no line for %q in\n%s", f.name, b.String())
		}
		h := f.draw(rand.New(rand.NewPCG(1, 1)), 80, 0.01)
		if len(h.x) != 80 || len(h.day) != 80 || !slices.IsSorted(h.day) ||
			strings.Contains(f.name, "change") != (len(h.changes) == 1) {
			t.Errorf("%s: %d runs, %d days, %d changes", f.name, len(h.x), len(h.day), len(h.changes))
		}
	}
}
