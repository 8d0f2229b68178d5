package scheduler

import (
	"os"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/job/local"
	"jobgait/agent/job/slurm"
	"jobgait/analysis/run"
	"jobgait/configs"
)

func env(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

// The argument decides which caller is trusted; as root nothing in the environment is trusted.
func TestHook(t *testing.T) {
	claims := env(map[string]string{"JOBGAIT_ONE_MACHINE": "1", "HOME": "/h"})
	for _, c := range []struct {
		args     []string
		root     bool
		want     job.Scheduler
		oneOf    bool // the user's own machine
		nobodies bool
	}{
		{nil, true, slurm.Scheduler{}, false, false},
		{nil, false, slurm.Scheduler{}, true, false},
		{[]string{Local}, true, local.Standalone{}, true, false},
		{[]string{Local}, false, local.Standalone{}, true, false},
		{[]string{"--help"}, true, nil, false, true},
		{[]string{Local, Local}, true, nil, false, true},
	} {
		got, getenv, err := CallerOfHook(c.args, claims, c.root)
		if got != c.want || (err != nil) != c.nobodies {
			t.Errorf("%v, root %v: %T, %v", c.args, c.root, got, err)
		}
		if err == nil && (configs.IsOneMachine(getenv) != c.oneOf || getenv("HOME") != "/h") {
			t.Errorf("%v, root %v: one machine %v", c.args, c.root, !c.oneOf)
		}
	}
}

func TestOf(t *testing.T) {
	c := configs.Default()
	want := slurm.Scheduler{Scontrol: c.Slurm.Scontrol, Sacct: c.Slurm.Sacct, Sacctmgr: c.Slurm.Sacctmgr, Conf: "/c"}
	if got := ForSettings(c, env(map[string]string{"SLURM_CONF": "/c"})); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := ForSettings(c, configs.WithOneMachine(env(nil))); got != (local.Standalone{}) {
		t.Errorf("one machine: %T", got)
	}
	if a, b := ForRun(job.Run{}), ForRun(job.Run{RootPID: 3}); a != (slurm.Scheduler{}) || b != (local.Standalone{}) {
		t.Errorf("of runs: %T, %T", a, b)
	}
}

// Runs that an older version stored belong to the same user and job as before.
func TestOfRunOfAnOlderVersion(t *testing.T) {
	for text, want := range map[string]job.Scheduler{
		`{"key":{"cluster":"local:vm","job_id":3,"restart":0,"sub":1},"job":{"user":"a","uid":1,"gid":1,"nnodes":1,` +
			`"node_list":"vm"},"node":"vm","root_pid":99}`: local.Standalone{},
		`{"key":{"cluster":"c","job_id":3,"restart":0},"job":{"user":"a","uid":1,"gid":1,"nnodes":2,"node_list":"n[1-2]"},` +
			`"node":"n1","exclusive":true}`: slurm.Scheduler{},
	} {
		dir := job.RunDir(t.TempDir())
		if err := os.WriteFile(dir.EnvPath(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := dir.ReadRun()
		if got := ForRun(r); err != nil || got != want || r.Key.JobID != 3 {
			t.Errorf("%s: %T, %+v, %v", text, got, r, err)
		}
	}
}

func TestWithin(t *testing.T) {
	key, inside := CurrentJob(env(map[string]string{"SLURM_JOB_ID": "812", "SLURM_CLUSTER_NAME": "alpha",
		"SLURM_RESTART_COUNT": "2"}))
	if want := (run.Key{Cluster: "alpha", JobID: 812, Restart: 2}); !inside || key != want {
		t.Errorf("%+v, %v", key, inside)
	}
	for _, id := range []string{"", "0", "x"} {
		if key, inside := CurrentJob(env(map[string]string{"SLURM_JOB_ID": id})); inside || key.JobID != 0 {
			t.Errorf("%q: %+v", id, key)
		}
	}
}

func TestOnFirstNode(t *testing.T) {
	for _, c := range []struct {
		node, list string
		pid        int
		want       bool
	}{
		{"n1", "", 0, true},
		{"n1", "n1", 0, true},
		{"n1", "n[1-3]", 0, true},
		{"n3", "n[3,1-2]", 0, true}, // the order is the scheduler's
		{"n1", "n[3,1-2]", 0, false},
		{"n2", "n[1-3]", 0, false},
		{"n9", "n[1-3]", 0, false},
		{"n1", "n[1-", 0, false},
		{"vm", "vm", 7, true},
	} {
		r := job.Run{Node: c.node, RootPID: c.pid, Job: run.Job{NodeList: c.list}}
		if got := OnFirstNode(r); got != c.want {
			t.Errorf("%s of %q: %v", c.node, c.list, got)
		}
	}
}
