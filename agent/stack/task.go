package stack

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/peek"
	"jobgait/agent/rawcall"
)

// Task is a process that does a job's work, on one node.
type Task struct {
	Node string `json:"node"`
	// Rank is the process's rank in the job, -1 if it has none.
	Rank int `json:"rank"`
	// Helper says that another task with the same rank is an ancestor of the process, which inherited the rank. Its
	// threads count as other threads of the rank.
	Helper bool          `json:"helper,omitempty"`
	Stacks ProcessStacks `json:"stacks"`
}

const maxEnviron = 1 << 20

// rankOf returns a process's rank from its environment, and whether an MPI launcher has set it; -1 and not ok
// if the environment has none.
func rankOf(environ []byte) (rank int, mpi, ok bool) {
	getenv := func(name string) string { return job.Variables(environ, name+"=")[name] }
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"} {
		if n, err := strconv.Atoi(getenv(name)); err == nil && n >= 0 {
			return n, true, true
		}
	}
	if rank, ok = scheduler.TaskOf(getenv); !ok {
		rank = -1
	}
	return rank, false, ok
}

// EnvironReader reads the environments of processes. A process whose memory is locked never answers, and keeps the
// reader from sending other requests until it is restarted.
type EnvironReader interface {
	peek.Reader
	Restart()
}

// Chosen is the tasks of a job among its processes.
type Chosen struct {
	Tasks []Task
	// Left is the number of processes that are not tasks.
	Left int
	// Silent is the number of tasks, the last ones, whose environment could not be read. They have no rank.
	Silent int
}

// ChooseTasks returns the tasks among the processes, helpers behind others. If some processes have MPI ranks, those
// without are launchers; else those with a rank of a step are the tasks, else all. A process that only starts listed
// ones and waits for them is not a task (see withoutStarters). One whose environment cannot be read is a task.
func ChooseTasks(r EnvironReader, proc, node string, pids []int) (c Chosen) {
	var mpi, steps, plain, silent []Task
	until := time.Now().Add(maxEnvironWait)
	for _, pid := range pids {
		patient := peek.PatientReader{Reader: r, Until: time.Now().Add(min(maxEnvironWait/4, time.Until(until)))}
		environ, err := patient.Ask(peek.ProcRequest{File: peek.Environ, PID: pid, Max: maxEnviron})
		t := Task{Node: node, Rank: -1, Stacks: ProcessStacks{PID: pid}}
		if errors.Is(err, peek.ErrTimeout) || errors.Is(err, peek.ErrBusy) {
			silent = append(silent, t)
			if time.Now().Before(until) {
				r.Restart()
			}
			continue
		}
		// With another error the process has ended or belongs to another user; without an environment it has no rank.
		var ofMPI, ok bool
		t.Rank, ofMPI, ok = rankOf(environ)
		switch {
		case ofMPI:
			mpi = append(mpi, t)
		case ok:
			steps = append(steps, t)
		default:
			plain = append(plain, t)
		}
	}
	for _, list := range [][]Task{mpi, steps, plain} {
		if len(list) > 0 {
			c.Tasks = markHelpers(proc, withoutStarters(proc, list))
			break
		}
	}
	c.Tasks, c.Silent = append(c.Tasks, silent...), len(silent)
	c.Left = len(pids) - len(c.Tasks)
	return c
}

// maxEnvironWait limits the wait for the environments of all processes, a quarter of it that for one: on a busy machine
// the reader starts and answers late.
const maxEnvironWait = 16 * time.Second

// Descendants returns a process and all that descend from it, in ascending order.
func Descendants(proc string, root int) []int {
	children := map[int][]int{}
	for _, pid := range processes(proc) {
		if parent := parentOf(proc, pid); parent > 0 {
			children[parent] = append(children[parent], pid)
		}
	}
	found := []int{root}
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// processes returns all pids below proc.
func processes(proc string) (pids []int) {
	entries, err := filepath.Glob(filepath.Join(proc, "[0-9]*"))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(filepath.Base(e)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// IsProcess reports whether a process has this number. It returns false for the number of any thread but the
// main one.
func IsProcess(proc string, pid int) bool {
	b, err := rawcall.ReadRecord(filepath.Join(proc, strconv.Itoa(pid), "status"), nil, maxProcFile)
	return err == nil && parseStatus(b).main == pid
}

// Owner returns the user and real group of a process; ok is false if it is gone. The user is NoUser if the
// process's user ids differ.
func Owner(proc string, pid int) (uid, gid uint32, ok bool) {
	b, err := rawcall.ReadRecord(filepath.Join(proc, strconv.Itoa(pid), "status"), nil, maxProcFile)
	if err != nil {
		return 0, 0, false
	}
	s := parseStatus(b)
	return s.uid, s.gid, s.ok
}
