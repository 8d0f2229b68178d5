package testcluster

import (
	"bytes"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// job is one submitted job of a test.
type job struct {
	c    *cluster
	user account
	id   int64
	dir  string // where it was submitted, its work directory
	// since is when it was submitted, an upper bound of how long it took.
	since time.Time
}

// sbatch submits a script by standard input, from dir.
func (c *cluster) sbatch(t *testing.T, u account, dir, script string, args ...string) job {
	t.Helper()
	since := time.Now()
	cmd := c.as(u, dir, "sbatch", append([]string{"--parsable"}, args...)...)
	cmd.Stdin = strings.NewReader("#!/bin/bash\n" + script + "\n")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("sbatch %s: %v\n%s", strings.Join(args, " "), err, &complaint)
	}
	id, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		t.Fatalf("sbatch: %v", err)
	}
	return job{c: c, user: u, id: id, dir: dir, since: since}
}

// jobID is how srun -v and salloc name the job that they made.
var jobID = regexp.MustCompile(`(?:srun: jobid |Granted job allocation )(\d+)`)

// interactive runs srun or salloc to its end and returns the job it made.
func (c *cluster) interactive(t *testing.T, u account, dir, name string, args ...string) (job, *exec.Cmd) {
	t.Helper()
	since := time.Now()
	cmd := c.as(u, dir, name, append([]string{"-v"}, args...)...)
	out, _ := cmd.CombinedOutput() // the state is the caller's to judge
	m := jobID.FindSubmatch(out)
	if m == nil {
		t.Fatalf("%s %s: no job id in\n%s", name, strings.Join(args, " "), out)
	}
	id, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return job{c: c, user: u, id: id, dir: dir, since: since}, cmd
}

// wait waits for the end of the job and its Epilogs, and returns its state.
func (j job) wait(t *testing.T) string {
	t.Helper()
	var now queued
	poll(t, func() string {
		var err error
		if now, err = j.c.queue.find(j.id); err != nil {
			return err.Error()
		}
		if !now.over() {
			return "job " + strconv.FormatInt(j.id, 10) + " is " + now.state
		}
		return ""
	})
	return now.state
}

// waitState waits until the job is in a state.
func (j job) waitState(t *testing.T, state string) {
	t.Helper()
	poll(t, func() string {
		now, err := j.c.queue.find(j.id)
		switch {
		case err != nil:
			return err.Error()
		case now.state != state:
			return "job " + strconv.FormatInt(j.id, 10) + " is " + now.state + ", not " + state
		}
		return ""
	})
}

// mustEnd waits for the job and fails the test if it ended otherwise.
func (j job) mustEnd(t *testing.T, state string) {
	t.Helper()
	if got := j.wait(t); got != state {
		t.Fatalf("job %d ended %s, want %s", j.id, got, state)
	}
}

// name is the report's name without extension.
func (j job) name() string { return "jobgait-" + strconv.FormatInt(j.id, 10) }
