package main

import (
	"strings"
	"testing"
)

func TestExport(t *testing.T) {
	file := scalingInput(t, "a.csv", "series,nodes,step_s\na,2,5\na,4,6\na,2,7\nb,2,1\nb,8,2\n")
	c := scalingVerb("export", "--extra-p", "text", "--series", "a", file)
	if want := "PARAMETER nodes\nPOINTS ( 2 ) ( 4 )\nMETRIC step_s\nREGION a\nDATA 5 7\nDATA 6\n"; c.status != 0 ||
		c.out != want {
		t.Errorf("%d %s\n%s\nwant\n%s", c.status, c.err, c.out, want)
	}
	// Extra-P requires all points of every series: the error is reported when the file is written, not when Extra-P
	// reads it.
	if c := scalingVerb("export", "--extra-p", "json", file); c.status != 1 || !strings.Contains(c.err, "--series") {
		t.Errorf("%d %q", c.status, c.err)
	}
}
