package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek/peektest"
	"jobgait/analysis/note"
	"jobgait/analysis/stacks"
)

// scripted returns a collection whose children are started by a shell script: it executes the lines first, in which $1
// is the verb, and then the child. It reads one process at a time.
func scripted(t *testing.T, lines string, pids ...int) Collection {
	t.Helper()
	c := collection(t, pids...)
	path := filepath.Join(t.TempDir(), "agent")
	script := fmt.Appendf(nil, "#!/bin/sh\n%s\nexec '%s' \"$@\"\n", lines, c.Program)
	if err := jobtest.WriteProgram(path, script); err != nil {
		t.Fatal(err)
	}
	c.Program, c.atATime = path, 1
	return c
}

// sleepers starts n processes that sleep.
func sleepers(t *testing.T, n int) (pids []int) {
	t.Helper()
	for range n {
		pids = append(pids, start(t, "/bin/sleep", "1000"))
	}
	return pids
}

// mainThreads returns the main threads of tasks.
func mainThreads(tasks []Task) (list []Thread) {
	for _, t := range tasks {
		list = append(list, t.Stacks.Listed[0])
	}
	return list
}

// Time that is spent on unwinding the first tasks is not taken from that for copying the others.
func TestUnwindingTakesNoTimeFromCopying(t *testing.T) {
	once := filepath.Join(t.TempDir(), "once")
	c := scripted(t, fmt.Sprintf(`[ "$1" = unwind-stacks ] && mkdir '%s' 2>/dev/null && sleep 10`, once),
		sleepers(t, 2)...)
	c.For = 9 * time.Second // more than copying one process takes, and less than unwinding it
	tasks, _, err := c.Tasks(t.Context(), "n1")
	if err != nil || len(tasks) != 2 {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	for _, th := range mainThreads(tasks) {
		if th.Trouble == Late {
			t.Errorf("thread %d was not read: %s", th.TID, th.Trouble)
		}
	}
	if _, err := os.Stat(once); err != nil {
		t.Error("no unwinder was started")
	}
}

// If an unwinder fails, all tasks are returned with what is known of them, and a note says what is missing.
func TestFailedUnwinderCostsNoTask(t *testing.T) {
	c := scripted(t, `[ "$1" = unwind-stacks ] && { echo broken >&2; exit 1; }`, sleepers(t, 2)...)
	tasks, notes, err := c.Tasks(t.Context(), "n1")
	if err != nil || len(tasks) != 2 {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	for _, th := range mainThreads(tasks) {
		if th.State != "S" || th.WaitsIn == "" {
			t.Errorf("thread %d: state %q, in %q", th.TID, th.State, th.WaitsIn)
		}
	}
	missing := func(n note.Note) bool {
		return strings.Contains(n.Text, fmt.Sprintf("the stacks of %d tasks could not be read: ", 2)) &&
			strings.Contains(n.Text, "broken")
	}
	if !slices.ContainsFunc(notes, missing) {
		t.Errorf("notes %v", notes)
	}
}

// An unwinder that hangs is not followed by others.
func TestHungUnwinderIsTheOnlyOne(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	c := scripted(t, fmt.Sprintf(`[ "$1" = unwind-stacks ] && { echo started >>'%s'; exec sleep 1000; }`, log),
		sleepers(t, 2)...)
	tasks, _, err := c.Tasks(t.Context(), "n1")
	if err != nil || len(tasks) != 2 || mainThreads(tasks)[1].State != "S" {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	if b, err := os.ReadFile(log); err != nil || string(b) != "started\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// If no copier can be started, the error says why.
func TestMissingCopier(t *testing.T) {
	c := scripted(t, `echo "no memory" >&2; exit 1`, sleepers(t, 1)...)
	if tasks, _, err := c.Tasks(t.Context(), "n1"); err == nil || !strings.Contains(err.Error(), "no memory") {
		t.Errorf("%+v, %v", tasks, err)
	}
}

// Many processes that block the copier cost their own stacks and those of processes after them, but every task is
// returned.
func TestManyStuckProcessesCostNoTask(t *testing.T) {
	var pids []int
	for range 2 + maxStuck {
		pids = append(pids, peektest.Start(t, uint32(os.Getuid())).Cmd.Process.Pid)
	}
	pids = append(pids, sleepers(t, 3)...)
	c := collection(t, pids...)
	list, err := c.Read(t.Context())
	if err == nil || len(list) != len(pids) {
		t.Fatalf("%d processes of %d, %v", len(list), len(pids), err)
	}
	for i, p := range list {
		want := Stuck
		if i > maxStuck {
			want = Skipped
		}
		if p.PID != pids[i] || p.Listed[0].Trouble != want {
			t.Errorf("process %d: %+v", i, p)
		}
	}
}

// Tasks without a readable stack form two groups: one that is blocked in the kernel may be the cause of a hang, others
// are unknown.
func TestUnreadTasksAreGroupedByState(t *testing.T) {
	task := func(pid int, state string, trouble CopyProblem) Task {
		return Task{Node: "n1", Rank: pid, Stacks: ProcessStacks{PID: pid,
			Listed: []Thread{{TID: pid, State: state, Trouble: trouble}}}}
	}
	got := GroupTasks([]Task{task(1, "D", Stuck), task(2, "R", Late), task(3, "R", Late)}).Groups
	if len(got) != 2 || got[0].State != stacks.Disk || got[0].Tasks != 1 || got[1].Tasks != 2 {
		t.Errorf("%+v", got)
	}
}
