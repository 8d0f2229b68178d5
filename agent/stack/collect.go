package stack

import (
	"context"
	"fmt"
	"slices"
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
	Ending  Ending      `json:"ending,omitempty"`
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
}

// batchBytes is the approximate size of copied stacks that one unwinder gets.
const batchBytes = 24 << 20

// Read reads the stacks of the processes. A thread that could not be read has a CopyProblem; a process that is
// gone, or in which a copier was stuck, has one such thread. It returns an error if an unwinder fails, or if
// every process that was tried was stuck. The processes after 1 + maxStuck stuck ones are left out.
func (c Collection) Read(ctx context.Context) ([]ProcessStacks, error) {
	copies, err := c.copyAll(ctx)
	if len(copies) == 0 {
		return nil, err
	}
	var list []ProcessStacks
	for batch := range batches(copies) {
		stacks, err := c.unwind(ctx, batch)
		if err != nil {
			return nil, err
		}
		for i, t := range batch {
			if len(list) == 0 || list[len(list)-1].PID != t.PID {
				list = append(list, ProcessStacks{PID: t.PID, Threads: t.Threads})
			}
			p := &list[len(list)-1]
			p.Listed = append(p.Listed, Thread{TID: t.TID, State: t.State, WaitsIn: t.WaitsIn, Channel: t.Channel,
				Trouble: t.Trouble, Ending: stacks[i].Ending, HeldNS: t.HeldNS, Frames: stacks[i].Frames})
		}
	}
	return list, nil
}

// maxSilence is how long a copier may send nothing before it is killed: longer than it waits for a thread, and
// than it takes to end itself. maxStart is the same for its first message: it starts late on a busy machine.
const maxSilence, maxStart = 3 * time.Second, 8 * time.Second

// maxStuck limits the copiers started after one that was stuck in a process.
const maxStuck = 3

// copyAll copies the threads of all processes. If a copier fails or is stuck in a process, that process gets
// the CopyProblem Stuck and another copier continues with the next one, at most maxStuck times. The error is nil if
// any thread was copied or has another CopyProblem.
func (c Collection) copyAll(ctx context.Context) (copies []ThreadCopy, err error) {
	end := time.Now().Add(c.For)
	pids := c.PIDs
	for range 1 + maxStuck {
		var done int
		var part []ThreadCopy
		part, done, err = c.copyWithOneChild(ctx, pids, max(c.For/4, time.Until(end)))
		copies = append(copies, part...)
		if err == nil || done >= len(pids) {
			return copies, nil
		}
		copies = append(copies, describeStuck("/proc", pids[done]))
		if pids = pids[done+1:]; len(pids) == 0 {
			break
		}
	}
	if !slices.ContainsFunc(copies, func(t ThreadCopy) bool { return t.Trouble != Stuck }) {
		return nil, err
	}
	return copies, nil
}

// copyWithOneChild lets one copier copy processes for at most limit, and returns the copies and the number of
// completed processes. It kills a copier that is silent for maxSilence, or maxStart at first, and returns an error
// then.
func (c Collection) copyWithOneChild(ctx context.Context, pids []int, limit time.Duration) (
	copies []ThreadCopy, done int, err error,
) {
	within, stop := context.WithCancel(ctx)
	defer stop()
	quiet := time.AfterFunc(maxStart, stop)
	defer quiet.Stop()
	q := CopyQuestion{PIDs: pids, UID: c.Account.UID, ForMS: limit.Milliseconds()}
	child := as.Child{Program: c.Program, Account: c.Account}
	err = as.AskAll(within, child, as.CopyStacks, q, nil, 0, func(t ThreadCopy) error {
		quiet.Reset(maxSilence)
		if t.Done {
			done++
		} else {
			copies = append(copies, t)
		}
		return nil
	})
	return copies, done, err
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
// source lines and functions of Python. If no child succeeds, it returns the error of the last.
func (c Collection) unwind(ctx context.Context, copies []ThreadCopy) ([]ThreadStack, error) {
	var failed error
	for _, q := range []UnwindQuestion{{Detail: c.Detail, Threads: copies}, {Functions, true, copies}} {
		within, stop := context.WithTimeout(ctx, unwindWall)
		stacks, err := as.Ask[[]ThreadStack](within, as.Child{Program: c.Program, Account: c.Account}, as.UnwindStacks, q)
		stop()
		if err == nil {
			err = checkStacks(stacks, copies)
		}
		if err == nil {
			return stacks, nil
		}
		failed = err // of the last attempt, which asks for the least
	}
	return nil, fmt.Errorf("unwind the call stacks of the job: %w", failed)
}
