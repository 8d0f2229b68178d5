package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/job/jobtest"
	"jobgait/reports/job"
)

func TestSeff(t *testing.T) {
	env := storedRuns(t)
	if got := askIn(env, "seff", "3"); got.status != 0 ||
		!strings.HasPrefix(got.out, "Job ID: 3\nCluster: local:host\n") ||
		!strings.Contains(got.out, "\nJob Wall-clock time: 00:01:00\n") {
		t.Errorf("%+v", got)
	}
	for _, args := range [][]string{{"seff", "99999999"}, {"seff", "x"}, {"seff"}} {
		if got := askIn(env, args...); got.status != 2 || strings.Count(got.complaint, "\n") != 1 {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// A job that the history does not have is the accounting's; one that neither has is status 2.
func TestSeffOfTheAccounting(t *testing.T) {
	env := storedRuns(t)
	dir := t.TempDir()
	sacct := filepath.Join(dir, "sacct")
	script := `#!/bin/sh
case "$*" in *"-j 500 "*) echo '500|500|c1|bob|staff|COMPLETED|0:0|1|2|100|01:40|cpu=2,mem=1G,node=1|1G||||';; esac
`
	if err := jobtest.WriteProgram(sacct, []byte(script)); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(dir, "jobgait.toml")
	if err := os.WriteFile(settings, []byte("[slurm]\nsacct = \""+sacct+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env = append(env, "JOBGAIT_CONFIG="+settings)
	if got := askIn(env, "seff", "500"); got.status != 0 ||
		!strings.Contains(got.out, "User/Group: bob/staff\nState: COMPLETED (exit code 0)\nNodes: 1\nCores per node: 2\n"+
			"CPU Utilized: 00:01:40\nCPU Efficiency: 50.00% of 00:03:20 core-walltime\n") {
		t.Errorf("%+v", got)
	}
	if got := askIn(env, "seff", "501"); got.status != 2 || got.out != "" || strings.Count(got.complaint, "\n") != 1 {
		t.Errorf("%+v", got)
	}
}

// Without a history, show prints the digest in the comment of the accounting database.
func TestShowOfTheAccounting(t *testing.T) {
	dir := t.TempDir()
	d := job.Digest{Ended: "COMPLETED, exit code 0", ElapsedS: 100, Finding: "Half of the CPUs were idle.", GPUs: 2}
	comment, _, err := d.Comment()
	if err != nil {
		t.Fatal(err)
	}
	sacct, settings := filepath.Join(dir, "sacct"), filepath.Join(dir, "jobgait.toml")
	script := "#!/bin/sh\necho '500|500|c1|bob|staff|COMPLETED|0:0|1|2|100|01:40|cpu=2,mem=1G,node=1|1G||||" + comment +
		"'\n"
	if err := errors.Join(jobtest.WriteProgram(sacct, []byte(script)),
		os.WriteFile(settings, []byte("[slurm]\nsacct = \""+sacct+"\"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + dir, "JOBGAIT_CONFIG=" + settings}
	for _, verb := range []string{"show", "seff"} {
		if got := askIn(env, verb, "500"); got.status != 0 || !strings.Contains(got.out, "Half of the CPUs were idle.") {
			t.Errorf("%s: %+v", verb, got)
		}
	}
	if got := askIn(env, "show", "--json", "500"); got.status != 1 || strings.Count(got.complaint, "\n") != 1 {
		t.Errorf("%+v", got)
	}
}
