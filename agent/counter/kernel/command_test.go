package kernel

import (
	"bufio"
	"fmt"
	"math"
	"os/exec"
	"testing"
	"time"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/peek"
	"jobgait/agent/rawcall"
)

// started is a shell that waits for a line and then runs a script.
func started(t *testing.T, script string) (cmd *exec.Cmd, release func()) {
	t.Helper()
	cmd = exec.Command("/bin/sh", "-c", "read line; "+script)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, func() {
		fmt.Fprintln(in)
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Error(err)
		}
	}
}

// The true values are those of wait4: for a storm of forks, and for a tree whose parents and children come and
// go between two snapshots, for which an earlier version counted 36 % too much.
func TestCommandIsCountedWhole(t *testing.T) {
	const spin = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"
	for name, script := range map[string]string{
		"storm": "i=0; while [ $i -lt 400 ]; do /bin/true; i=$((i+1)); done",
		"tree":  "for a in 1 2 3 4 5 6; do (for b in 1 2 3; do (" + spin + "; (" + spin + ")) & done; wait); done",
		"alone": "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done",
	} {
		t.Run(name, func(t *testing.T) {
			cmd, release := started(t, script+"; echo done")
			j := NewJobCPU("/proc", peek.Direct{Proc: "/proc"}, &list{cmd.Process.Pid}, rawcall.Now, 1e12)
			j.FollowChildren()
			j.SetCommand(cmd.Process.Pid)
			drain := draining(t, j)
			drain()
			done := make(chan error)
			go func() { release(); done <- cmd.Wait() }()
			wake := time.NewTicker(50 * time.Millisecond)
			defer wake.Stop()
			for waiting := true; waiting; {
				select {
				case err := <-done:
					if waiting = false; err != nil {
						t.Fatal(err)
					}
				case <-wake.C:
					drain()
				}
			}
			j.ReadAll(true)
			counted := float64(drain()) * tick / 1e9
			used := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
			t.Logf("%.3f s counted of %.3f s", counted, used)
			if off := math.Abs(counted - used); off > 0.03+0.02*used {
				t.Errorf("%.3f s of CPU time, and its parent was told %.3f s", counted, used)
			}
		})
	}
}

// The CPU time of jobgait's own Prolog before the command began is not counted for the command. A process that
// is still alive after its end is counted in addition. No process is counted twice if its parents ended with
// it.
func TestCommandAndSurvivingProcesses(t *testing.T) {
	x := tree{t, t.TempDir()}
	members := &list{10}
	now := int64(0)
	j := NewJobCPU(x.root, peek.Direct{Proc: x.root}, members, func() int64 { now += 100e9; return now }, 1e9)
	var got countertest.Sink
	check := func(what string, ticks uint64) {
		t.Helper()
		if err := j.Drain(&got); err != nil {
			t.Fatal(err)
		}
		if r, _ := got.Last(0); r.Counts[0] != ticks*tick {
			t.Fatalf("%s: %d ticks, want %d", what, r.Counts[0]/tick, ticks)
		}
	}
	x.set(5, "jobgait", 1, 900, 3)
	x.set(10, "make", 5, 0, 0)
	j.SetCommand(10)
	check("it waits", 0)
	x.set(5, "jobgait", 1, 900, 4) // the Prolog
	x.set(10, "make", 5, 20, 0)
	*members = list{10, 11, 12, 13}
	x.set(11, "cc", 10, 1, 0)
	x.set(12, "as", 11, 30, 0)
	x.set(13, "daemon", 1, 7, 0)
	check("it runs", 58)
	for _, pid := range []int{10, 11, 12} {
		x.end(pid)
	}
	*members = list{13}
	x.set(13, "daemon", 1, 9, 2)
	x.set(5, "jobgait", 1, 900, 4+100)
	check("it was waited for", 111)
	x.set(5, "jobgait", 1, 900, 4+100+50) // the Epilog
	check("what comes after it is not its own", 111)
}

// If the waiting parent was killed, the last values seen of the command are used.
func TestCommandWithoutWaitingParent(t *testing.T) {
	x := tree{t, t.TempDir()}
	j := NewJobCPU(x.root, peek.Direct{Proc: x.root}, &list{10}, func() int64 { return 1 }, 1e12)
	j.SetCommand(10) // no process has this id
	x.set(5, "jobgait", 1, 900, 3)
	x.set(10, "lmp", 5, 0, 0)
	j.SetCommand(10)
	drain := draining(t, j)
	drain()
	x.set(10, "lmp", 5, 40, 0)
	drain()
	x.end(5)
	x.end(10)
	if total := drain(); total != 40 {
		t.Errorf("%d ticks, want 40", total)
	}
}
