package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"jobgait/agent/as"
)

// Thread is a thread of a process: its state, the system call it waits in, and its stack frames.
type Thread struct {
	TID     int         `json:"tid"`
	State   string      `json:"state"` // letter of /proc/PID/stat
	WaitsIn string      `json:"waits_in,omitempty"`
	Channel string      `json:"channel,omitempty"`
	Trouble CopyProblem `json:"trouble,omitempty"`
	Ending  WalkEnd     `json:"ending,omitempty"`
	HeldNS  int64       `json:"held_ns,omitempty"`
	Frames  []Frame     `json:"frames"`
}

// ProcessStacks are the stacks of the threads of one process, the main thread first.
type ProcessStacks struct {
	PID     int `json:"pid"`
	Threads int `json:"threads"` // all threads, of which at most MaxThreads are listed
	// Listed has an element for each thread that was read.
	Listed []Thread `json:"listed"`
}

// Collection says which stacks are read, in which detail and for how long.
type Collection struct {
	Program string // path of jobgait-agent, which serves the children
	Account as.Account
	PIDs    []int
	Detail  DetailLevel
	For     time.Duration // of copying
	// atATime is how many processes Tasks reads at a time: their copies are in memory together. 0 means chunk.
	atATime int
}

// batchBytes is the approximate size of copied stacks that one unwinder gets.
const batchBytes = 24 << 20

// reading is the result of one attempt to read the stacks of processes.
type reading struct {
	list    []ProcessStacks // has an element for each process, in their order
	copying time.Duration   // time spent on copying
	hung    bool            // an unwinder exceeded its time limit: it may hang in a file system
	missing int             // processes without stacks because of failed
	failed  error           // why stacks are missing, unless their CopyProblem says so
}

// of returns the stacks of a process.
func (r reading) of(pid int) ProcessStacks {
	for _, p := range r.list {
		if p.PID == pid {
			return p
		}
	}
	return skipped(pid)
}

// skipped returns the stacks of a process that was not tried.
func skipped(pid int) ProcessStacks {
	return ProcessStacks{PID: pid, Listed: []Thread{{TID: pid, Trouble: Skipped}}}
}

// Read reads the stacks of the processes. The list has an element for each of them, in their order. A process that is
// gone, in which a copier was stuck, or that was not tried has one thread, with a CopyProblem. The error says why
// processes were not tried, or why their stacks could not be unwound; the list is complete then too.
func (c Collection) Read(ctx context.Context) ([]ProcessStacks, error) {
	r := c.read(ctx, true)
	return r.list, r.failed
}

// read reads the stacks of the processes. Without unwind it reads only the state and the system call of each thread,
// which it also does after an unwinder exceeded its time limit: another one would hang in the same file system.
func (c Collection) read(ctx context.Context, unwind bool) reading {
	copies, r := c.copyAll(ctx)
	r.hung = !unwind
	for batch := range batches(copies) {
		stacks := make([]ThreadStack, len(batch))
		failed := errHung
		if !r.hung {
			var found []ThreadStack
			if found, r.hung, failed = c.unwind(ctx, batch); failed == nil {
				stacks = found
			}
		}
		for i, t := range batch {
			if len(r.list) == 0 || r.list[len(r.list)-1].PID != t.PID {
				r.list = append(r.list, ProcessStacks{PID: t.PID, Threads: t.Threads})
				if failed != nil && t.Known != 0 {
					r.missing++
					r.failed = cmp.Or(r.failed, failed)
				}
			}
			p := &r.list[len(r.list)-1]
			p.Listed = append(p.Listed, Thread{TID: t.TID, State: t.State, WaitsIn: t.WaitsIn, Channel: t.Channel,
				Trouble: t.Trouble, Ending: stacks[i].Ending, HeldNS: t.HeldNS, Frames: stacks[i].Frames})
		}
	}
	return r
}

var (
	errHung = errors.New("a child process that opens the program files of the job exceeded its time limit: " +
		"check for a file system that hangs")
	errTimeOver  = errors.New("the time limit of the reading was reached")
	errManyStuck = fmt.Errorf("%d processes block the reader of call stacks, which was not started again", 1+maxStuck)
)

// maxSilence is how long a copier may send nothing before it is killed: longer than it waits for a thread, and
// than it takes to end itself. maxStart is the same for its first message: it starts late on a busy machine.
const maxSilence, maxStart = 3 * time.Second, 8 * time.Second

// maxStuck limits the copiers started after one that was stuck in a process.
const maxStuck = 3

// copyAll copies the threads of all processes, and sets the fields of the reading that concern copying. If a copier is
// stuck in a process, that process gets the CopyProblem Stuck, and another copier continues with the next one, at most
// maxStuck times. The processes that no copier reached get the CopyProblem Skipped. There is at least one ThreadCopy
// of each process.
func (c Collection) copyAll(ctx context.Context) (copies []ThreadCopy, r reading) {
	pids := c.PIDs
	for range 1 + maxStuck {
		if len(pids) == 0 || ctx.Err() != nil {
			break
		}
		part := c.copyWithOneChild(ctx, pids, max(c.For/4, c.For-r.copying))
		r.copying += part.took
		copies = append(copies, part.copies...)
		pids = pids[min(part.done, len(pids)):]
		if !part.stuck {
			if len(pids) > 0 {
				r.failed = part.err
				pids = withoutCopied(pids, part.copies)
			}
			break
		}
		if len(pids) > 0 {
			copies = append(copies, describeStuck("/proc", pids[0], nextThread("/proc", pids[0], part.copies),
				func() { time.Sleep(betweenLooks) }))
			pids = pids[1:]
		}
	}
	r.missing = len(pids)
	switch {
	case r.missing == 0:
	case ctx.Err() != nil:
		r.failed = errTimeOver
	case r.failed == nil:
		r.failed = errManyStuck
	}
	for _, pid := range pids {
		copies = append(copies, ThreadCopy{PID: pid, TID: pid, Trouble: Skipped})
	}
	return copies, r
}

// withoutCopied removes the first process if some of its threads were copied.
func withoutCopied(pids []int, copies []ThreadCopy) []int {
	if len(pids) > 0 && len(copies) > 0 && copies[len(copies)-1].PID == pids[0] {
		return pids[1:]
	}
	return pids
}

// nextThread returns the thread of a process that a copier reads after these copies: the main thread if it has copied
// none of the process.
func nextThread(proc string, pid int, copies []ThreadCopy) int {
	if len(copies) == 0 || copies[len(copies)-1].PID != pid {
		return pid
	}
	last := copies[len(copies)-1].TID
	tids := threadsOf(proc, pid)
	if i := slices.Index(tids, last); i >= 0 && i+1 < len(tids) {
		return tids[i+1]
	}
	return last
}

// copyPart is what one copier has copied.
type copyPart struct {
	copies []ThreadCopy
	done   int           // the number of completed processes
	took   time.Duration // from its first answer to its last one
	stuck  bool          // it was silent for too long, or was killed
	err    error         // why it did not complete all processes
}

// copyWithOneChild lets one copier copy processes for at most limit. It kills a copier that is silent for maxSilence,
// or maxStart at first.
func (c Collection) copyWithOneChild(ctx context.Context, pids []int, limit time.Duration) (part copyPart) {
	within, stop := context.WithCancel(ctx)
	defer stop()
	quiet := time.AfterFunc(maxStart, stop)
	defer quiet.Stop()
	q := CopyQuestion{PIDs: pids, UID: c.Account.UID, ForMS: limit.Milliseconds()}
	child := as.Child{Program: c.Program, Account: c.Account}
	var first time.Time
	part.err = as.AskAll(within, child, as.CopyStacks, q, nil, 0, func(t ThreadCopy) error {
		quiet.Reset(maxSilence)
		if first.IsZero() {
			first = time.Now()
		}
		part.took = time.Since(first)
		if t.Done {
			part.done++
		} else {
			part.copies = append(part.copies, t)
		}
		return nil
	})
	part.stuck = ctx.Err() == nil && part.err != nil && (within.Err() != nil || wasKilled(part.err))
	return part
}

// wasKilled reports whether a signal ended a child process.
func wasKilled(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// batches returns an iterator over parts of the copies of about batchBytes each. A process is never divided.
func batches(copies []ThreadCopy) func(yield func([]ThreadCopy) bool) {
	return func(yield func([]ThreadCopy) bool) {
		for len(copies) > 0 {
			size, n := 0, 0
			for n < len(copies) && (size < batchBytes || copies[n].PID == copies[n-1].PID) {
				size += len(copies[n].Stack)
				n++
			}
			if !yield(copies[:n]) {
				return
			}
			copies = copies[n:]
		}
	}
}

// unwind lets a child unwind the copies. If it fails, as by broken debug information, a second child does so without
// source lines and functions of Python. If no child succeeds, it returns the error of the last. It starts no second
// child if the first exceeded its time limit (hung).
func (c Collection) unwind(ctx context.Context, copies []ThreadCopy) (stacks []ThreadStack, hung bool, failed error) {
	for _, q := range []UnwindQuestion{{Detail: c.Detail, Threads: copies}, {Functions, true, copies}} {
		within, stop := context.WithTimeout(ctx, unwindWall)
		stacks, failed = as.Ask[[]ThreadStack](within, as.Child{Program: c.Program, Account: c.Account}, as.UnwindStacks, q)
		hung = failed != nil && within.Err() != nil
		stop()
		if failed == nil {
			failed = checkStacks(stacks, copies)
		}
		if failed == nil || hung {
			break
		}
	}
	if failed != nil {
		return nil, hung, fmt.Errorf("unwind the call stacks of the job: %w", failed)
	}
	return stacks, false, nil
}
