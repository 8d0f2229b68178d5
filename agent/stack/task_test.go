package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek"
)

func TestRankOfAProcess(t *testing.T) {
	for _, c := range []struct {
		name, environ string
		rank          int
		mpi, ok       bool
	}{
		{"Open MPI below srun", "SLURM_PROCID=0 SLURM_STEP_ID=1 OMPI_COMM_WORLD_RANK=7", 7, true, true},
		{"MPICH", "PMI_RANK=3", 3, true, true},
		{"PMIx", "PMIX_RANK=4 SLURM_PROCID=4 SLURM_STEP_ID=0", 4, true, true},
		{"a step", "SLURM_PROCID=5 SLURM_STEP_ID=0", 5, false, true},
		{"the batch script", "SLURM_PROCID=0", -1, false, false},
		{"no job", "HOME=/", -1, false, false},
		{"nonsense", "PMI_RANK=-3 OMPI_COMM_WORLD_RANK=x", -1, false, false},
	} {
		rank, mpi, ok := rankOf([]byte(strings.ReplaceAll(c.environ, " ", "\x00") + "\x00"))
		if rank != c.rank || mpi != c.mpi || ok != c.ok {
			t.Errorf("%s: %d, %v, %v", c.name, rank, mpi, ok)
		}
	}
}

// lateReader answers the environments of processes at the third try.
type lateReader struct {
	tries int
	of    map[int]string
}

func (l *lateReader) Ask(q peek.ProcRequest) ([]byte, error) {
	if l.tries++; l.tries%3 != 0 {
		return nil, peek.ErrTimeout
	}
	e, ok := l.of[q.PID]
	if !ok {
		return nil, os.ErrNotExist
	}
	return []byte(e), nil
}

func (l *lateReader) Restart() {}

// A reader that answers late on a busy machine costs no rank: else launchers would be taken for tasks.
func TestRanksOfALateReader(t *testing.T) {
	r := &lateReader{of: map[int]string{101: "PMI_RANK=0\x00", 102: "PMI_RANK=1\x00"}}
	of := ChooseTasks(r, t.TempDir(), "n1", []int{100, 101, 102})
	if len(of.Tasks) != 2 || of.Left != 1 || of.Tasks[0].Rank != 0 || of.Tasks[1].Rank != 1 || of.Silent != 0 {
		t.Errorf("%+v", of)
	}
}

// hungReader never answers for one process, and for no other one until it is restarted.
type hungReader struct {
	locked int
	hangs  bool
}

func (h *hungReader) Ask(q peek.ProcRequest) ([]byte, error) {
	switch {
	case q.PID == h.locked:
		h.hangs = true
		return nil, peek.ErrTimeout
	case h.hangs:
		return nil, peek.ErrBusy
	}
	return fmt.Appendf(nil, "PMI_RANK=%d\x00", q.PID-101), nil
}

func (h *hungReader) Restart() { h.hangs = false }

// A rank whose memory is locked is a task without a rank, and costs no other rank.
func TestRankThatBlocksItsReader(t *testing.T) {
	of := ChooseTasks(&hungReader{locked: 103}, t.TempDir(), "n1", []int{101, 102, 103, 104, 105})
	var ranks []int
	for _, task := range of.Tasks {
		ranks = append(ranks, task.Rank)
	}
	if fmt.Sprint(ranks) != "[0 1 3 4 -1]" || of.Left != 0 || of.Silent != 1 {
		t.Errorf("%+v", of)
	}
}

// fakeProcess is a process in a proc directory of a test.
type fakeProcess struct {
	pid, parent           int
	command, channel, env string
}

// fakeProc returns a proc directory with these processes, and a reader of their environments.
func fakeProc(t *testing.T, list ...fakeProcess) (string, EnvironReader, []int) {
	t.Helper()
	proc, of, pids := t.TempDir(), map[int]string{}, []int(nil)
	for _, p := range list {
		dir := filepath.Join(proc, fmt.Sprint(p.pid))
		if err := os.MkdirAll(filepath.Join(dir, "task", fmt.Sprint(p.pid)), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"stat": fmt.Sprintf("%d (a) b) S %d 1 1\n", p.pid, p.parent),
			"comm": p.command + "\n",
			filepath.Join("task", fmt.Sprint(p.pid), "wchan"): p.channel,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		of[p.pid] = p.env
		pids = append(pids, p.pid)
	}
	return proc, &lateReader{of: of}, pids
}

// A process that inherited the rank of an ancestor is a helper of that rank, not a task. Launchers that inherited a
// rank, and processes that only wait for a child, are neither.
func TestHelpersOfARank(t *testing.T) {
	rank := func(n int) string { return fmt.Sprintf("PMI_RANK=%d\x00", n) }
	for name, c := range map[string]struct {
		list           []fakeProcess
		tasks, helpers string
	}{
		"a helper of a rank that computes": {[]fakeProcess{{101, 1, "app", "0", rank(3)},
			{102, 101, "python3", "pipe_read", rank(3)},
			{103, 1, "app", "0", rank(4)}}, "[101 103]", "[102]"},
		"a shell without a rank between": {[]fakeProcess{{101, 1, "app", "0", rank(3)},
			{102, 101, "sh", "do_wait", "A=b\x00"},
			{103, 102, "tee", "pipe_read", rank(3)}}, "[101]", "[103]"},
		"a wrapper that waits": {[]fakeProcess{{101, 1, "bash", "do_wait", rank(0)}, {102, 101, "app", "0", rank(0)},
			{103, 102, "tee", "pipe_read", rank(0)}}, "[102]", "[103]"},
		"a wrapper that sleeps": {[]fakeProcess{{101, 1, "timeout", "sigsuspend", rank(0)}, {102, 101, "app", "0", rank(0)}},
			"[102]", "[]"},
		"a launcher of a step of one rank": {[]fakeProcess{{101, 1, "mpirun.openmpi", "do_poll", rank(0)},
			{102, 101, "app", "0", rank(0)}, {103, 101, "app", "0", rank(1)}}, "[102 103]", "[]"},
		"processes without ranks": {[]fakeProcess{{101, 1, "app", "0", ""}, {102, 101, "app", "0", ""}}, "[101 102]", "[]"},
	} {
		proc, r, pids := fakeProc(t, c.list...)
		tasks, helpers := []int{}, []int{}
		chosen := ChooseTasks(r, proc, "n1", pids)
		for _, p := range chosen.Tasks {
			if p.Helper {
				helpers = append(helpers, p.Stacks.PID)
			} else {
				tasks = append(tasks, p.Stacks.PID)
			}
		}
		if fmt.Sprint(tasks) != c.tasks || fmt.Sprint(helpers) != c.helpers || chosen.Left != len(pids)-len(chosen.Tasks) {
			t.Errorf("%s: tasks %v, helpers %v, %d left; want %s and %s", name, tasks, helpers, chosen.Left, c.tasks, c.helpers)
		}
	}
}

// What the agent itself reads of a process does not include the file syscall, which may block for ever.
func TestNoFileThatMayBlockIsRead(t *testing.T) {
	proc := t.TempDir()
	for name, text := range map[string]string{
		"100/stat":             "100 (solver) D 1",
		"100/task/100/syscall": fmt.Sprintf("%d 0x1 0x2 0x3\n", unix.SYS_WAIT4),
		"100/task/100/wchan":   "rwsem_down_read_slowpath",
		"101/task/101/wchan":   "do_wait",
		"102/task/102/wchan":   "0",
	} {
		path := filepath.Join(proc, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if call := describe(proc, 100, 100).WaitsIn; call != "wait4" {
		t.Fatalf("the thread waits in %q, want wait4", call)
	}
	want := ThreadCopy{PID: 100, TID: 100, Threads: 1, State: "D", Channel: "rwsem_down_read_slowpath", Trouble: Stuck}
	if got := describeStuck(proc, 100, 100, func() {}); !reflect.DeepEqual(got, want) {
		t.Errorf("stuck process %+v, want %+v", got, want)
	}
	changes := func() {
		if err := os.WriteFile(filepath.Join(proc, "100/stat"), []byte("100 (solver) R 1"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := describeStuck(proc, 100, 100, changes); got.State != "" || got.Channel != "" || got.Trouble != Stuck {
		t.Errorf("a process that slept uninterruptibly for a moment: %+v", got)
	}
	for pid, want := range map[int]bool{100: false, 101: true, 102: false, 103: false} {
		if got := waitsForChild(proc, pid); got != want {
			t.Errorf("process %d waits for a child: %v, want %v", pid, got, want)
		}
	}
}

// The limit of a reading leaves time for a stuck copier and for two attempts to unwind one batch of stacks.
func TestReadingLimitHoldsItsParts(t *testing.T) {
	if parts := maxEnvironWait + 2*maxStart + CopyFor + 2*unwindWall; parts > ReadingLimit {
		t.Errorf("the parts of a reading may take %v, more than its limit of %v", parts, ReadingLimit)
	}
}

// A thread other than the main one has a number below /proc, and is no process.
func TestThreadIsNoProcess(t *testing.T) {
	pid := start(t, build(t, "gcc", "deadlock.c", "-O2", "-pthread"))
	jobtest.Until(t, "the process has three threads", func() bool { return len(threadsOf("/proc", pid)) == 3 })
	for i, tid := range threadsOf("/proc", pid) {
		if got := IsProcess("/proc", tid); got != (i == 0) {
			t.Errorf("thread %d is a process: %v", i, got)
		}
	}
}
