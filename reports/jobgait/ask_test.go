package main

import (
	"strings"
	"testing"
)

// The stored runs of melt took 60 s and take 69 s since the build changed; those of ocean take 10 s and 2 s a node.
func TestAsk(t *testing.T) {
	env := storedRuns(t)
	script := fileOf(t, "run.sh", "#!/bin/sh\n#SBATCH -J melt -N1\n#SBATCH --time=10\nsrun melt\n")
	late := fileOf(t, "late.sh", "#!/bin/sh\n#SBATCH --job-name=melt --time=1:08\nsrun melt\n")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"melt"}, []string{"melt on 1 node: from ", "elapsed  00:01:09, 95 % interval 00:01:0",
			"\n#SBATCH --time=00:05:00"}},
		{[]string{"3"}, []string{"melt on 1 node", "elapsed  00:01:09"}},
		{[]string{script}, []string{"limit    00:10:00: exceeded with a chance of below 0.1 %"}},
		{[]string{late}, []string{"limit    00:01:08: exceeded with a chance of above 99.9 %"}},
		{[]string{"--nodes", "2", "melt"}, []string{"melt on 2 nodes: missing for an answer: 3 completed runs on 2 nodes"}},
		{[]string{"ocean", "--nodes", "48"}, []string{"from the scaling law", "elapsed  00:01:4"}},
		{[]string{"ocean"}, []string{"missing for an answer: 1 completed run more on", "there are 2."}},
		{[]string{"melt", "--size", "XL"}, []string{"melt: missing for an answer: a completed run"}},
		{[]string{"nothing"}, []string{"nothing: missing for an answer: a completed run of it."}},
	} {
		got := askIn(env, append([]string{"ask"}, c.args...)...)
		for _, want := range c.want {
			if out := strings.Join(strings.Fields(got.out), " "); got.status != 0 ||
				!strings.Contains(out, strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%v: no %q in %+v", c.args, want, got)
			}
		}
		if strings.Contains(got.out, "missing") && strings.Contains(got.out, "SBATCH") {
			t.Errorf("%v: something beside what is missing: %s", c.args, got.out)
		}
	}
	plain := fileOf(t, "plain.sh", "#!/bin/sh\nls\n")
	for _, args := range [][]string{{"ask", plain}, {"ask", "99999999"}, {"ask"}, {"ask", "--nodes", "-1", "melt"}} {
		if got := askIn(env, args...); got.status == 0 || strings.TrimSpace(got.complaint) == "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
}
