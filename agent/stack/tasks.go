package stack

import (
	"cmp"
	"context"
	"slices"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/peek"
	"jobgait/analysis/note"
)

const (
	// CopyFor is how long copying the stacks of a node's tasks may take, without unwinding them.
	CopyFor = 2 * time.Second
	// ReadingLimit is how long reading the stacks of a node's tasks may take. It leaves time for the environments, a
	// copier that is stuck at its start, another one, and two attempts to unwind one batch of stacks; more batches may
	// exceed it.
	ReadingLimit = 60 * time.Second
	// chunk is the usual value of Collection.atATime.
	chunk = 64
)

// RecordFile is the file of a run directory in which the stacks of a stalled job are stored (stacks.Record).
const RecordFile = "stacks.json"

// Tasks reads the stacks of the tasks among the processes of a node. It returns all tasks. Those after the first
// MaxProcesses and those without an answer have one thread with the CopyProblem Skipped; notes say why, and how many
// processes are not tasks (see ChooseTasks). It returns an error only if it could not read any task.
func (c Collection) Tasks(ctx context.Context, node string) (tasks []Task, notes []note.Note, err error) {
	reader := peek.NewChild(c.Program, c.Account)
	found := ChooseTasks(reader, "/proc", node, c.PIDs)
	reader.Close()
	tasks = found.Tasks
	if found.Left > 0 {
		notes = append(notes, leftOutNote(found.Left))
	}
	if found.Silent > 0 {
		notes = append(notes, note.New(note.StackIncomplete, "the ranks of %d tasks are not known, because their memory is "+
			"locked or this machine is very busy", found.Silent))
	}
	chosen := min(len(tasks), MaxProcesses)
	missing, failed := c.readTasks(ctx, tasks[:chosen])
	for i := chosen; i < len(tasks); i++ {
		tasks[i].Stacks = skipped(tasks[i].Stacks.PID)
	}
	if failed != nil && !slices.ContainsFunc(tasks, wasTried) {
		return nil, notes, failed
	}
	if missing > 0 {
		notes = append(notes, note.New(note.StackIncomplete, "the stacks of %d tasks could not be read: %v", missing,
			job.Cause(failed)))
	}
	if n := len(tasks) - chosen; n > 0 {
		notes = append(notes, note.New(note.StackIncomplete, "%d tasks were not read, because at most %d of each node are", n,
			MaxProcesses))
	}
	return tasks, notes, nil
}

// wasTried reports whether a copier tried to read a task.
func wasTried(t Task) bool { return t.Stacks.Listed[0].Trouble != Skipped }

// readTasks sets the stacks of the tasks, chunk by chunk. Only the time of copying counts towards c.For, of which each
// chunk gets at least an eighth. It returns the number of tasks whose stacks are missing, and the first reason.
func (c Collection) readTasks(ctx context.Context, tasks []Task) (missing int, failed error) {
	all, left, unwind := c.For, c.For, true
	for part := range slices.Chunk(tasks, cmp.Or(c.atATime, chunk)) {
		c.PIDs, c.For = nil, max(left, all/8)
		for _, t := range part {
			c.PIDs = append(c.PIDs, t.Stacks.PID)
		}
		r := c.read(ctx, unwind)
		for i := range part {
			part[i].Stacks = r.of(part[i].Stacks.PID)
		}
		left -= r.copying
		unwind = !r.hung
		missing += r.missing
		failed = cmp.Or(failed, r.failed)
	}
	return missing, failed
}
