package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"-what", "machine", "-draws", "1"}, &out, &errs); code != 0 {
		t.Fatalf("exit status %d: %s", code, errs.String())
	}
	if lines := strings.Count(out.String(), "\n"); lines != 2 || strings.Contains(out.String(), "NaN") {
		t.Errorf("output:\n%s", out.String())
	}
	var again bytes.Buffer
	run([]string{"-what", "machine", "-draws", "1"}, &again, &errs)
	if again.String() != out.String() {
		t.Errorf("the same seed printed another table:\n%s%s", out.String(), again.String())
	}
	for _, args := range [][]string{{"-what", "moon"}, {"-seed", "x"}} {
		if code := run(args, &out, &errs); code != 2 {
			t.Errorf("%v: exit status %d, want 2", args, code)
		}
	}
}
