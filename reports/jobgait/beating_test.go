package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/live"
	"jobgait/analysis/tracker"
)

// beating is a program under `jobgait run` whose loop stops when it is told to.
type beating struct {
	box
	cmd  *exec.Cmd
	tell io.WriteCloser // closed, the loop is over
	pid  int
}

// beatS is the length of its cycle, beats how many are waited for: more than the 20
// that a watchdog asks for.
const beatS, beats = 0.2, 22

// beat says who it is, works for a twentieth of each cycle until its input ends, and
// sleeps from then on.
func beat() {
	fmt.Println(os.Getpid())
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(over)
	}()
	const every = time.Duration(beatS * 1e9)
	began := time.Now()
	for {
		select {
		case <-over:
			time.Sleep(time.Hour)
			return
		case <-time.After(every - time.Since(began)%every):
			work(every / 20)
		}
	}
}

// newBeating starts the program.
func newBeating(t *testing.T) beating {
	t.Helper()
	b := beating{box: newBox(t)}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, accountRole+"=beat")
	b.cmd = b.command("run", "--", self)
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if b.tell, err = b.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscan(bufio.NewReader(out), &b.pid); err != nil || b.pid < 2 {
		t.Fatalf("process %d: %v", b.pid, err)
	}
	t.Cleanup(func() { b.end() })
	return b
}

// end ends the program, whose report is there then.
func (b *beating) end() {
	if b.cmd.ProcessState != nil {
		return
	}
	_ = syscall.Kill(b.pid, syscall.SIGTERM)
	_ = b.cmd.Wait()
}

// state is what live.json says now, false without one.
func (b *beating) state() (live.State, bool) {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(b.work), ".local/state/jobgait/live/*/*", live.Name))
	if len(files) != 1 {
		return live.State{}, false
	}
	s, err := live.Read(files[0])
	return s, err == nil
}

// within waits for a state of it, and returns the last; false if it did not come.
func (b *beating) within(d time.Duration, want func(live.State) bool) (s live.State, ok bool) {
	for until := time.Now().Add(d); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if got, known := b.state(); known {
			if s = got; want(s) {
				return s, true
			}
		}
	}
	return s, false
}

// inLoop waits until it is known well enough to be missed.
func (b *beating) inLoop() {
	b.t.Helper()
	if s, ok := b.within(40*time.Second, func(s live.State) bool { return s.State == tracker.InCycle && s.Cycles >= beats }); !ok {
		b.t.Skipf("no rhythm is found on a machine as busy as this, or without addresses of code: %+v", s)
	}
}

// An agent that was killed leaves a live.json behind that speaks of a run: watch
// calls it dead, whatever the program does.
func TestRunOfAKilledAgentIsDead(t *testing.T) {
	b := newBeating(t)
	var s live.State
	poll(t, "live.json says who writes it", func() (ok bool) {
		s, ok = b.state()
		return ok && s.Alive()
	})
	if r := end(t, b.command("watch", "--once", b.work)); r.status.ExitStatus() != 1 {
		t.Errorf("a directory without a run: %v %q", r.status, r.out)
	}
	if r := end(t, b.command("watch", "--once")); r.status != 0 {
		t.Errorf("while it lives: %v %q %q", r.status, r.out, r.complaint)
	}
	if err := syscall.Kill(s.Agent.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	poll(t, "the agent is gone", func() bool { return !s.Alive() })
	r := end(t, b.command("watch", "--json"))
	if r.status.ExitStatus() != 1 || !strings.Contains(r.out, `"state":"dead"`) {
		t.Errorf("%v %q %q", r.status, r.out, r.complaint)
	}
}

// A program that stops dead is told as stalled while it runs, and first of all in its
// report.
func TestBeatThatStopsIsFoundHung(t *testing.T) {
	b := newBeating(t)
	b.inLoop()
	b.tell.Close()
	if s, ok := b.within(3*time.Minute, func(s live.State) bool { return s.State == tracker.Stalled }); !ok || s.Stalled == nil || s.Stalled.Doing != tracker.Sleeping {
		t.Fatalf("never stalled: %+v", s)
	}
	if r := end(t, b.command("watch", "--once", strconv.Itoa(b.pid))); r.status != 0 || !strings.Contains(r.out, "STALLED") {
		t.Errorf("watch: %v %q %q", r.status, r.out, r.complaint)
	}
	b.end()
	r := b.outcome()
	if got := r.codes(); len(got) == 0 || got[0] != "hung" {
		t.Errorf("%v, %+v", got, r.Findings)
	}
}
