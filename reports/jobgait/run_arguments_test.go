package main

import (
	"strings"
	"testing"
)

// TestRunsWithOtherArguments runs one program with two arguments: runs with the second are
// not slower runs of the first.
func TestRunsWithOtherArguments(t *testing.T) {
	b := newBox(t)
	const loop = "i=0; while [ $i -lt $0 ]; do i=$((i+1)); done"
	solve := func(cycles string, runs int) string {
		for range runs {
			r := end(t, b.command("run", "--app=solver", "--", "sh", "-c", loop, cycles))
			if r.status != 0 {
				t.Fatalf("%s%s", r.out, r.complaint)
			}
		}
		return end(t, b.command("show", "--last")).out
	}
	solve("30000", 4)
	text := solve("90000", 1)
	if !strings.Contains(text, "none with these arguments (4 with others)") {
		t.Errorf("no word of other arguments in\n%s", text)
	}
	text = solve("90000", 3)
	if !strings.Contains(text, "3 with the same arguments (4 with others)") || strings.Contains(text, "slower") {
		t.Errorf("three runs with the same arguments:\n%s", text)
	}
	if r := end(t, b.command("changes", "--last")); strings.Contains(r.out, "slower") {
		t.Errorf("a change of speed:\n%s", r.out)
	}
}
