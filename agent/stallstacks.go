package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job"
	"jobgait/agent/stack"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/stacks"
	"jobgait/configs"
)

// stallStacks reads the call stacks of the job's tasks on this node when a stall is confirmed, and again if the job's
// activity changes during the stall. It reads in a goroutine beside the agent's loop. It stops no thread before that.
type stallStacks struct {
	read readStacks // nil: no stacks are wanted
	// afterS is for how long the job must be stalled before the stall is confirmed, in seconds.
	afterS float64
	// otherNodes says that the job has other nodes too, whose tasks this agent does not see.
	otherNodes bool
	result     chan stacksRead // nil while none are being read
	stop       func()          // ends the reading
	began      int64           // when the last reading was started, CLOCK_MONOTONIC ns
	stale      bool            // its stall has ended
	taken      int             // how often, in this run
	next       int64           // before then no stacks are taken again, CLOCK_MONOTONIC ns
	doing      string
	line       string // what the tasks of this stall do, in one line
}

// readStacks reads the stacks of the tasks among processes; it may take seconds.
type readStacks func(context.Context, []int) (stacks.Record, error)

// stacksRead is the result of one reading of stacks.
type stacksRead struct {
	record stacks.Record
	err    error
}

const (
	// maxStackReadings is how often stacks are taken in a run, minReadingGapNS the least time between the starts of two.
	maxStackReadings = 8
	minReadingGapNS  = 60e9
	// maxStackProcesses limits the processes of the job that are searched for tasks.
	maxStackProcesses = 4 * stack.MaxProcesses
)

// stallConfirmation returns for how long a node must be stalled before its job counts as stalled, in seconds: 0 if
// that node is the job's only one. On one of several nodes the tasks may wait for work on others, which this node's
// agent does not see.
func stallConfirmation(nodes int, c configs.Agent) float64 {
	if nodes > 1 {
		return c.StackAfterS
	}
	return 0
}

// stacksReader returns a function that reads the stacks of tasks through a child (program) with the rights of the job's
// user. It returns nil if the settings disable stacks, the user restricts the disclosure of names, or a child cannot
// get the user's rights.
func stacksReader(program string, r job.Run, c configs.Agent) readStacks {
	uid, gid := r.Job.UID, r.Job.GID
	detail := stack.DetailLevel(c.Stack)
	if detail == stack.NoStacks || run.AllNames.Least(r.Names) != run.AllNames || uid < 0 || gid < 0 ||
		os.Geteuid() != 0 && uid != os.Geteuid() {
		return nil
	}
	return func(ctx context.Context, pids []int) (stacks.Record, error) {
		soon, stop := context.WithTimeout(ctx, time.Second)
		defer stop()
		account := as.ForJob(soon, uint32(uid), uint32(gid))
		collection := stack.Collection{Program: program, Account: account, PIDs: pids, Detail: detail, For: stack.CopyFor}
		tasks, notes, err := collection.Tasks(ctx, r.Node)
		if err != nil {
			return stacks.Record{}, err
		}
		record := stack.GroupTasks(tasks)
		record.Notes = append(record.Notes, notes...)
		return record, nil
	}
}

// take begins to read the stacks of these processes in another goroutine. It does nothing if stacks are not
// read, without processes, while a reading is in progress, within minReadingGapNS of the start of the last
// one, and after maxStackReadings readings. doing is the job's activity at this time.
func (s *stallStacks) take(now int64, doing string, pids []int) {
	if s.read == nil || s.result != nil || s.taken >= maxStackReadings || s.taken > 0 && now < s.next || len(pids) == 0 {
		return
	}
	s.taken++
	s.began, s.stale = now, false
	s.next, s.doing = now+minReadingGapNS, doing
	ctx, stop := context.WithTimeout(context.Background(), stack.ReadingLimit)
	s.result, s.stop = make(chan stacksRead, 1), stop
	go func(read readStacks, came chan<- stacksRead) {
		defer stop()
		record, err := read(ctx, pids)
		came <- stacksRead{record, err}
	}(s.read, s.result)
}

// busy reports whether stacks are being read.
func (s *stallStacks) busy() bool { return s.result != nil }

// takeResult returns the result of a reading that has ended, once; false if none has ended since.
func (s *stallStacks) takeResult() (stacksRead, bool) {
	select {
	case r := <-s.result:
		s.result = nil
		return r, true
	default:
		return stacksRead{}, false
	}
}

// cancel stops a reading in progress and drops its result. It waits up to finalLookupWait for the reading to end,
// because no process of jobgait should outlive the job.
func (s *stallStacks) cancel() {
	if s.result == nil {
		return
	}
	s.stop()
	select {
	case <-s.result:
	case <-time.After(finalLookupWait):
	}
	s.result = nil
}

// lineLength is how many characters the line in live.json has at most.
const lineLength = 400

// stacksAtStall starts reading call stacks when a stall is confirmed or when the job's activity changes during it,
// and stores stacks that have arrived in the run directory. Stacks that arrive after the end of their stall are
// dropped, also during the next one. stalled says whether a confirmed stall lasts, doing is the job's activity.
func (a *agent) stacksAtStall(now int64, stalled bool, doing string) {
	s := &a.atStall
	if stalled && doing != s.doing {
		s.take(now, doing, a.in.cpu.KnownPIDs(maxStackProcesses))
	}
	if !stalled {
		s.line, s.doing, s.stale = "", "", true
	}
	got, ok := s.takeResult()
	switch {
	case !ok || s.stale:
		return
	case got.err != nil:
		a.log(fmt.Errorf("read the call stacks of the stalled job: %w: the report lacks them", got.err))
		a.footerNotes = append(a.footerNotes, note.New(note.StackIncomplete,
			"the job stalled, and the call stacks of its tasks could not be read: %v", job.Cause(got.err)))
		return
	}
	record := got.record.Clean().Bounded(stack.MaxProcesses)
	record.AtS = float64(s.began-a.header.RunNS) / 1e9
	notes := record.Notes
	if s.otherNodes {
		notes = append(slices.Clone(notes), note.New(note.StackNodes, "the other nodes of the job were not read"))
	}
	s.line = stacks.Line(stacks.Merge(record), notes, lineLength)
	if a.dir == "" {
		return
	}
	if err := a.dir.WriteJSON(stack.RecordFile, record); err != nil && !errors.Is(err, unix.ENOSPC) {
		a.log(fmt.Errorf("store the call stacks of the stalled job: %w: the report lacks them", err))
	}
}
