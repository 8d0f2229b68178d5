package stack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"jobgait/agent/as"
)

// Thread is a thread of a process, what it does and where.
type Thread struct {
	TID     int     `json:"tid"`
	State   string  `json:"state"` // letter of /proc/PID/stat
	WaitsIn string  `json:"waits_in,omitempty"`
	Channel string  `json:"channel,omitempty"`
	Trouble Trouble `json:"trouble,omitempty"`
	Ending  Ending  `json:"ending,omitempty"`
	HeldNS  int64   `json:"held_ns,omitempty"`
	Frames  []Frame `json:"frames"`
}

// ProcessStacks are the threads of one process, the main thread first.
type ProcessStacks struct {
	PID     int `json:"pid"`
	Threads int `json:"threads"` // that it has: more than are listed, where it has more than MaxThreads
	// Listed has an element for each thread that was looked at.
	Listed []Thread `json:"listed"`
}

// Collection says what is read, and by whom.
type Collection struct {
	Program string // that serves the children: jobgait-agent
	Account as.Account
	PIDs    []int
	Detail  Detail
	For     time.Duration // of copying
}

// batchBytes is how much of copied stacks one unwinder gets.
const batchBytes = 24 << 20

// Read reads the stacks of processes. A process of which nothing could be read has a thread with its Trouble.
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

// silence is how long a copier may say nothing: longer than it waits for a thread, and than it takes to end itself.
const silence = 3 * time.Second

// maxStuck is how many copiers are started after one that is stuck in a process.
const maxStuck = 3

// copyAll copies the threads of all processes. A copier that is stuck in one of them ends itself; another one goes on
// with the next process.
func (c Collection) copyAll(ctx context.Context) (copies []ThreadCopy, err error) {
	end := time.Now().Add(c.For)
	pids := c.PIDs
	for range 1 + maxStuck {
		var done int
		var part []ThreadCopy
		part, done, err = c.copySome(ctx, pids, max(c.For/4, time.Until(end)))
		copies = append(copies, part...)
		if err == nil || done >= len(pids) {
			return copies, nil
		}
		copies = append(copies, ThreadCopy{PID: pids[done], TID: pids[done], Trouble: Stuck})
		if pids = pids[done+1:]; len(pids) == 0 {
			break
		}
	}
	if !slices.ContainsFunc(copies, func(t ThreadCopy) bool { return t.Trouble != Stuck }) {
		return nil, err
	}
	return copies, nil
}

// copySome has one copier copy processes, and returns how many it has done.
func (c Collection) copySome(ctx context.Context, pids []int, limit time.Duration) (
	copies []ThreadCopy, done int, err error,
) {
	within, stop := context.WithCancel(ctx)
	defer stop()
	quiet := time.AfterFunc(silence, stop)
	defer quiet.Stop()
	q := CopyQuestion{PIDs: pids, UID: c.Account.UID, ForMS: limit.Milliseconds()}
	child := as.Child{Program: c.Program, Account: c.Account}
	err = as.AskAll(within, child, as.CopyStacks, q, nil, 0, func(t ThreadCopy) error {
		quiet.Reset(silence)
		if t.Done {
			done++
		} else {
			copies = append(copies, t)
		}
		return nil
	})
	return copies, done, err
}

// batches cuts copies into parts of about batchBytes. A process is never divided.
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

// unwind has copies walked by a child. Where a file's debug information breaks it, a second one reads no lines.
func (c Collection) unwind(ctx context.Context, copies []ThreadCopy) ([]ThreadStack, error) {
	var failed error
	for _, detail := range slices.Compact([]Detail{c.Detail, Functions}) {
		within, stop := context.WithTimeout(ctx, unwindWall)
		stacks, err := as.Ask[[]ThreadStack](within, as.Child{Program: c.Program, Account: c.Account}, as.UnwindStacks,
			UnwindQuestion{Detail: detail, Threads: copies})
		stop()
		if err == nil {
			err = check(stacks, copies)
		}
		if err == nil {
			return stacks, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, fmt.Errorf("read stacks: %w", failed)
}
