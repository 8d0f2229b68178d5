package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
)

// asProlog makes the test binary behave as the program itself, so that tests
// run a real process without building one.
const asProlog = "JOBGAIT_TEST_AS_PROLOG"

func TestMain(m *testing.M) {
	if os.Getenv(asProlog) == "1" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fakeAgent says how it was started, and then is there until it is stopped.
const fakeAgent = `#!/bin/sh
for dir; do :; done
{
	echo "args: $*"
	/bin/ls -l /proc/self/fd
	echo "cwd: $(/bin/pwd)"
	/usr/bin/env
} >"$dir/seen.new" 2>&1
/bin/mv "$dir/seen.new" "$dir/seen"
echo "said by the agent"
exec /bin/sleep 600
`

// site is an installation in a separate directory.
type site struct {
	t     testing.TB
	dir   string
	spool string
	env   map[string]string
	args  []string
}

// newSite installs the Prolog and an agent ("" for none).
func newSite(t testing.TB, settings, agent string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), env: map[string]string{}}
	s.spool = filepath.Join(s.dir, "var", "spool")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.write("etc/jobgait.toml", "[spool]\ndir = '"+s.spool+"'\n"+settings, 0o644)
	program := filepath.Join(s.dir, "bin", "jobgait-prolog")
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Link(self, program) != nil {
		b, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		s.write("bin/jobgait-prolog", string(b), 0o755)
	}
	if agent != "" {
		s.write("bin/jobgait-agent", agent, 0o755)
	}
	for _, v := range []string{asProlog + "=1", "SLURM_JOB_ID=17", "SLURM_CLUSTER_NAME=c", "SLURMD_NODENAME=n1",
		"SLURM_JOB_UID=1000",
		"SLURM_JOB_USER=alice", "SLURM_JOB_PARTITION=batch", "SLURM_NODELIST=n1", "SLURM_JOB_NUM_NODES=1"} {
		name, value, _ := strings.Cut(v, "=")
		s.env[name] = value
	}
	t.Cleanup(s.stopAgents)
	return s
}

func (s *site) write(path, text string, mode os.FileMode) {
	s.t.Helper()
	path = filepath.Join(s.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		s.t.Fatal(err)
	}
}

// prolog runs the program as slurmd does, until the end of its output pipe, and
// returns what it said. It must exit 0.
func (s *site) prolog() string {
	s.t.Helper()
	cmd := exec.Command(filepath.Join(s.dir, "bin", "jobgait-prolog"), s.args...)
	for name, value := range s.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("prolog: %v: %s", err, out)
	}
	// slurmd then kills the process group.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return string(out)
}

func (s *site) log() string {
	b, _ := os.ReadFile(filepath.Join(s.spool, "n1", "jobgait.log"))
	return string(b)
}

func (s *site) dirs() []job.RunDir {
	dirs, err := job.Dirs(job.NodeDir(s.spool, "n1"))
	if err != nil && !errors.Is(err, syscall.ENOTDIR) {
		s.t.Error(err)
	}
	return dirs
}

func (s *site) stopAgents() {
	for _, d := range s.dirs() {
		if p, err := job.ReadProcess(d.PIDPath()); err == nil {
			if _, err := p.Stop(time.Second); err != nil {
				s.t.Error(err)
			}
			// A process that it started may still be about to create a file; where orphans are not reaped they stay
			// in the group.
			jobtest.Poll(time.Second, func() bool { return syscall.Kill(-p.PID, syscall.SIGKILL) != nil })
		}
	}
}

// oneLine fails unless text is one line that holds all parts.
func oneLine(t *testing.T, text string, parts ...string) {
	t.Helper()
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		t.Errorf("%q is not one line", text)
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
}
