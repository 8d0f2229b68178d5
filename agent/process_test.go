package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/agent/profile"
	"jobgait/analysis/run"
)

// agentEnv makes the test binary behave as the program.
const agentEnv = "JOBGAIT_TEST_AGENT"

func jobOfUser(uid int) run.Job { return run.Job{UID: uid} }

// runDirOf stores a run in a new spool. Its id is that of no other job here.
func runDirOf(t testing.TB, r job.Run) job.RunDir {
	t.Helper()
	dir := job.RunDir(filepath.Join(t.TempDir(), "n1", "run"))
	if err := os.MkdirAll(string(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if r.Key.JobID == 0 {
		r.Key = run.Key{Cluster: "test", JobID: run.JobID(os.Getpid())}
	}
	r.Node = "n1"
	r.StartReal, r.StartMono = job.Clock()
	if err := dir.WriteRun(r); err != nil {
		t.Fatal(err)
	}
	return dir
}

func readProfile(t testing.TB, dir job.RunDir) *profile.Profile {
	t.Helper()
	p, err := profile.Read(dir.ProfilePath())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func loadProfile(t testing.TB, dir job.RunDir) profile.LoadedProfile {
	t.Helper()
	l, err := profile.Load(dir.ProfilePath())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// started is an agent in a separate process.
type started struct {
	*exec.Cmd
	dir job.RunDir
}

// startAgent starts the program on a run directory and waits until it samples.
func startAgent(t testing.TB, dir job.RunDir, env ...string) started {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "--run-dir", string(dir))
	cmd.Env = append([]string{agentEnv + "=1", "PATH=/usr/bin:/bin"}, env...)
	cmd.Stderr = io.Discard
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	waitFor(t, dir.ReadyPath())
	return started{cmd, dir}
}

// end stops it in order and returns its profile.
func (s started) end(t testing.TB) *profile.Profile {
	t.Helper()
	if err := errors.Join(s.Process.Signal(unix.SIGTERM), s.Wait()); err != nil {
		t.Fatalf("agent: %v", err)
	}
	return readProfile(t, s.dir)
}

// busy starts a process that the run's members find: it has the job's id in its
// environment, and takes a CPU.
func busy(t testing.TB, jobID string, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = []string{"SLURM_JOB_ID=" + jobID, "PATH=/usr/bin:/bin"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}
