package stack

import (
	"context"
	"slices"
	"time"

	"jobgait/agent/peek"
	"jobgait/analysis/note"
)

const (
	// CopyFor is how long copying the stacks of a node's tasks may take.
	CopyFor = 2 * time.Second
	// ReadingLimit is how long reading the stacks of a node's tasks may take. It leaves time for the environments, a
	// copier that is stuck at its start, another one, and two attempts to unwind one batch of stacks; more batches may
	// exceed it.
	ReadingLimit = 60 * time.Second
	// chunk is how many processes are read at a time: their copies are in memory together.
	chunk = 64
)

// RecordFile is the file of a run directory in which the stacks of a stalled job are stored (stacks.Record).
const RecordFile = "stacks.json"

// Tasks reads the stacks of the tasks among the processes of a node, of at most MaxProcesses, and returns
// a note on the processes that are not tasks (see ChooseTasks). Tasks without an answer are left out; an error is
// returned only if it occurs before any task was read.
func (c Collection) Tasks(ctx context.Context, node string) (read []Task, notes []note.Note, err error) {
	reader := peek.NewChild(c.Program, c.Account)
	tasks, left := ChooseTasks(reader, "/proc", node, c.PIDs)
	reader.Close()
	if left > 0 {
		notes = append(notes, leftOutNote(left))
	}
	end := time.Now().Add(c.For)
	for part := range slices.Chunk(tasks[:min(len(tasks), MaxProcesses)], chunk) {
		c.PIDs, c.For = nil, max(0, time.Until(end))
		for _, t := range part {
			c.PIDs = append(c.PIDs, t.Stacks.PID)
		}
		list, err := c.Read(ctx)
		if err != nil && len(read) == 0 {
			return nil, notes, err
		}
		for _, t := range part {
			i := slices.IndexFunc(list, func(p ProcessStacks) bool { return p.PID == t.Stacks.PID })
			if i >= 0 {
				t.Stacks = list[i]
				read = append(read, t)
			}
		}
	}
	return read, notes, nil
}
