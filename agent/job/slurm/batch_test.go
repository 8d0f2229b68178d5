package slurm

import (
	"strings"
	"testing"
)

func TestReadScript(t *testing.T) {
	q, err := ReadScript(strings.NewReader(`#!/bin/bash
#SBATCH --time=1-02:03:04 --nodes=4-8
#SBATCH -n 16 # a comment
#SBATCH --mem 6G
# a comment
#SBATCH -Jocean
#SBATCH --jobgait=app=ocean,size=L

#SBATCHED --nodes=7
srun ./ocean
#SBATCH --nodes=9
`))
	if err != nil || q.Directives != 5 || q.Nodes != 4 || q.Tasks != 16 || q.Name != "ocean" || q.App != "ocean" ||
		q.Size != "L" || q.LimitS == nil || *q.LimitS != 93784 || q.MemoryBytes == nil || *q.MemoryBytes != 6<<30 {
		t.Errorf("%+v, %v", q, err)
	}
	if q, err := ReadScript(strings.NewReader("#!/bin/sh\nls\n")); err != nil || q.Directives != 0 || q.LimitS != nil {
		t.Errorf("%+v, %v", q, err)
	}
}

func TestRequestedTime(t *testing.T) {
	for text, want := range map[string]float64{"30": 1800, "1:30": 90, "2:00:00": 7200, "1-12": 129600, "1-12:30": 131400,
		"0": 0, "": 0, "x": 0, "1:2:3:4": 0, "-5": 0, "UNLIMITED": 0, "99999999999": 0} {
		got := parseRequestedTime(text)
		if (got == nil) != (want == 0) || got != nil && *got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

func FuzzReadScript(f *testing.F) {
	f.Add("#SBATCH --time=1-02:03:04 -N4 --mem=6G\nsrun x\n")
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ReadScript(strings.NewReader(text))
		if err == nil && (q.Nodes < 0 || q.Tasks < 0 || q.LimitS != nil && !(*q.LimitS > 0) ||
			strings.ContainsAny(q.Name+q.App+q.Size, "\n\x1b")) {
			t.Errorf("%+v", q)
		}
	})
}
