package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/job/local"
	"jobgait/analysis/run"
)

func TestWatched(t *testing.T) {
	s := newSite(t, "", fakeAgent)
	s.env["SECRET"] = "not for the agent"
	s.env["TZ"] = "UTC"
	if out := s.prolog(); out != "" {
		t.Errorf("the Prolog says %q", out)
	}
	dirs := s.dirs()
	if len(dirs) != 1 || filepath.Base(string(dirs[0])) != "c-17.r0" {
		t.Fatalf("run directories %v", dirs)
	}
	d := dirs[0]
	r, err := d.ReadRun()
	if err != nil || r.Key != (run.Key{Cluster: "c", JobID: 17}) || r.Job.User != "alice" || r.StartMono <= 0 {
		t.Errorf("run %+v, %v", r, err)
	}
	p, err := job.ReadProcess(d.PIDPath())
	if err != nil || !p.Alive() {
		t.Fatalf("agent %+v, %v: not alive when the Prolog has ended", p, err)
	}
	if _, err := d.TryLock(); err == nil {
		t.Error("the agent does not hold the lock")
	}
	jobtest.Until(t, "the agent's word", func() bool { _, err := os.Stat(d.Path("seen")); return err == nil })
	b, _ := os.ReadFile(d.Path("seen"))
	seen := string(b)
	for _, want := range []string{"args: --lock-fd 3 --run-dir " + string(d) + "\n", "0 -> /dev/null\n", "3 -> " +
		d.LockPath() + "\n", "cwd: /\n", "TZ=UTC"} {
		if !strings.Contains(seen, want) {
			t.Errorf("agent was not started with %q:\n%s", want, seen)
		}
	}
	if strings.Contains(seen, "SECRET") || strings.Contains(seen, "pipe:") || strings.Contains(seen, "SLURM_JOB_ID") {
		t.Errorf("agent was given what it must not have:\n%s", seen)
	}
	jobtest.Until(t, "agent.log", func() bool {
		b, _ := os.ReadFile(d.AgentLogPath())
		return string(b) == "said by the agent\n"
	})
	if sid, err := session(p.PID); err != nil || sid != p.PID {
		t.Errorf("agent %d is in session %d, %v", p.PID, sid, err)
	}
	oneLine(t, s.log(), "job 17", "agent", "started in c-17.r0")
	if killed, err := p.Stop(20 * time.Second); killed || err != nil {
		t.Errorf("Stop = %v, %v", killed, err)
	}
	if f, err := d.TryLock(); err != nil {
		t.Errorf("lock after the agent's end: %v", err)
	} else {
		f.Close()
	}
}

func session(pid int) (int, error) {
	sid, _, errno := syscall.RawSyscall(syscall.SYS_GETSID, uintptr(pid), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(sid), nil
}

func TestNotWatched(t *testing.T) {
	s := newSite(t, "", fakeAgent)
	s.env["SPANK_JOBGAIT"] = "off"
	if out := s.prolog(); out != "" {
		t.Errorf("the Prolog says %q", out)
	}
	if dirs := s.dirs(); len(dirs) > 0 {
		t.Errorf("run directories %v", dirs)
	}
	oneLine(t, s.log(), "job 17", "--jobgait=off")
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name, settings, agent string
		change                func(*site)
		says                  []string
	}{
		{"bad job id", "", fakeAgent, func(s *site) {
			s.env["SLURM_JOB_ID"] = "x\n1"
		}, []string{"SLURM_JOB_ID", "not a positive number"}},
		{"no spool", "", fakeAgent, func(s *site) {
			s.write("var", "a file in its way", 0o644)
		}, []string{"the spool", "not a directory"}},
		{"bad value", "[agent]\nrate_hz = 0\n", fakeAgent, func(*site) {}, []string{"etc/jobgait.toml", "agent.rate_hz"}},
		{"no agent", "", "", func(*site) {}, []string{"start ", "jobgait-agent", "no such file"}},
		{"an agent that is no program", "", "\x7fELF", func(*site) {}, []string{"start ", "exec format"}},
		{"no home on one machine", "", fakeAgent, onOneMachine, []string{"HOME"}},
		{"no run on one machine", "", fakeAgent, func(s *site) {
			s.args = []string{"local"}
		}, []string{"JOBGAIT_RUN", "which jobgait run sets"}},
		{"settings that block for ever", "", fakeAgent, func(s *site) {
			fifo := filepath.Join(s.dir, "fifo")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				s.t.Fatal(err)
			}
			s.env["JOBGAIT_CONFIG"] = fifo
		}, []string{"did not end within 2s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, c.settings, c.agent)
			c.change(s)
			oneLine(t, s.prolog(), append(c.says, "jobgait-prolog: job ")...)
		})
	}
}

// A key that this version does not know, a newer one's perhaps, is a line in the log:
// the job is watched.
func TestUnknownKey(t *testing.T) {
	s := newSite(t, "[agent]\nrate = 3\n", fakeAgent)
	if out := s.prolog(); out != "" || len(s.dirs()) != 1 {
		t.Errorf("said %q, run directories %v", out, s.dirs())
	}
	first, _, _ := strings.Cut(s.log(), "\n")
	oneLine(t, first+"\n", "job 17", "etc/jobgait.toml", `"agent.rate"`)
}

// A directory of the same key: left alone while its agent lives, else set aside.
func TestSameKeyAgain(t *testing.T) {
	s := newSite(t, "", fakeAgent)
	s.prolog()
	first, err := job.ReadProcess(s.dirs()[0].PIDPath())
	if err != nil {
		t.Fatal(err)
	}
	if out := s.prolog(); out != "" {
		t.Errorf("with a live agent the Prolog says %q", out)
	}
	if p, _ := job.ReadProcess(s.dirs()[0].PIDPath()); p != first || !first.Alive() {
		t.Errorf("agent %+v, want %+v alive", p, first)
	}
	if !strings.Contains(s.log(), "left alone") {
		t.Errorf("log:\n%s", s.log())
	}
	// Until then it has children, and they have the lock.
	jobtest.Until(t, "the agent's word", func() bool { _, err := os.Stat(s.dirs()[0].Path("seen")); return err == nil })
	if _, err := first.Stop(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	jobtest.Until(t, "the last of its children to give the lock back", func() bool { // the mv, on a loaded machine
		lock, err := s.dirs()[0].TryLock()
		if err == nil {
			lock.Close()
		}
		return err == nil
	})
	s.prolog()
	dirs := s.dirs()
	if len(dirs) != 2 || filepath.Base(string(dirs[1])) != "c-17.r0~1" {
		t.Fatalf("run directories %v", dirs)
	}
	if p, err := job.ReadProcess(dirs[0].PIDPath()); err != nil || p == first || !p.Alive() {
		t.Errorf("new agent %+v, %v", p, err)
	}
}

// onOneMachine sets the variables that jobgait run passes to the Prolog.
func onOneMachine(s *site) {
	told, err := local.Environ(job.Run{Key: run.Key{Cluster: "local:n1", JobID: 17}, Node: "n1", RootPID: 4711,
		Job: run.Job{NNodes: 1}})
	if err != nil {
		s.t.Fatal(err)
	}
	name, value, _ := strings.Cut(told[0], "=")
	s.args, s.env[name] = []string{"local"}, value
}

// Variables of jobgait run are trusted only if the caller is jobgait run: a user may set parts of the
// environment.
func TestNotFromTheEnvironment(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root's Prolog is meant")
	}
	s := newSite(t, "", fakeAgent)
	onOneMachine(s)
	s.args, s.env["JOBGAIT_ONE_MACHINE"], s.env["HOME"] = nil, "1", filepath.Join(s.dir, "home")
	if out := s.prolog(); out != "" || len(s.dirs()) != 1 {
		t.Fatalf("the Prolog says %q, run directories %v", out, s.dirs())
	}
	if r, err := s.dirs()[0].ReadRun(); err != nil || r.RootPID != 0 || r.Key.Cluster != "c" {
		t.Errorf("run %+v, %v", r, err)
	}
	if _, err := os.Lstat(s.env["HOME"]); err == nil {
		t.Error("something was made in HOME")
	}
}

// A user's own machine: the same, below the user's own directories.
func TestOneMachine(t *testing.T) {
	s := newSite(t, "", fakeAgent)
	onOneMachine(s)
	s.env["HOME"] = filepath.Join(s.dir, "home")
	s.spool = filepath.Join(s.dir, "home", ".local", "state", "jobgait")
	if out := s.prolog(); out != "" {
		t.Errorf("the Prolog says %q", out)
	}
	dirs := s.dirs()
	if len(dirs) != 1 {
		t.Fatalf("run directories %v", dirs)
	}
	if r, err := dirs[0].ReadRun(); err != nil || r.RootPID != 4711 {
		t.Errorf("run %+v, %v", r, err)
	}
}

// A panic is a line, not an exit status.
func TestPanic(t *testing.T) {
	var said strings.Builder
	runProlog(context.Background(), func(name string) string {
		if name == "SLURM_CLUSTER_NAME" {
			panic("no such\nluck")
		}
		return map[string]string{"SLURM_JOB_ID": "1", "JOBGAIT_CONFIG": os.DevNull}[name]
	}, nil, &said)
	oneLine(t, said.String(), "panic: no such; luck")
}

func TestArguments(t *testing.T) {
	var said strings.Builder
	runProlog(context.Background(), os.Getenv, []string{"--help"}, &said)
	oneLine(t, said.String(), "without arguments")
	runProlog(context.Background(), func(string) string { return "" }, nil, io.Discard)
}

// BenchmarkProlog is the wall time of the program as slurmd sees it, with an
// agent that only sleeps.
func BenchmarkProlog(b *testing.B) {
	s := newSite(b, "", "#!/bin/sh\nexec /bin/sleep 600\n")
	for id := 0; b.Loop(); id++ {
		s.env["SLURM_JOB_ID"] = strconv.Itoa(id + 1)
		if out := s.prolog(); out != "" {
			b.Fatal(out)
		}
	}
}
