package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/live"
	"jobgait/agent/stack"
	"jobgait/analysis/run"
	"jobgait/analysis/stacks"
	"jobgait/configs"
)

// stackable is a simulated job whose stacks are counted and not read.
type stackable struct {
	*beating
	taken [][]int
	err   error
}

func newStackable(t *testing.T) *stackable {
	s := &stackable{beating: newBeating(t)}
	s.a.dir = job.RunDir(t.TempDir())
	s.a.atStall.read = func(_ context.Context, pids []int) (stacks.Record, error) {
		s.taken = append(s.taken, pids)
		g := stacks.Group{Tasks: 1, Threads: 1, Ranks: []int{3}, PIDs: pids, Nodes: []string{"n1"}, State: stacks.Sleeping,
			Frames: []stacks.GroupFrame{{Function: "read_input", Library: "app"}}}
		return stacks.Record{Groups: []stacks.Group{g}}, s.err
	}
	return s
}

// lasts simulates some seconds in which the job does one thing. After each second the stacks that were requested
// have been read.
func (s *stackable) lasts(t *testing.T, seconds int, state byte, ticks int, working bool) {
	t.Helper()
	for range seconds {
		s.is(t, state, ticks)
		s.second(working)
		if came := s.a.atStall.result; came != nil {
			got := <-came
			came <- got
		}
	}
}

// Stacks of the job's processes are taken once it is stalled, once a stall, and never before; the line is in live.json
// and the record in the run directory.
func TestStacksAreTakenAtAStall(t *testing.T) {
	s := newStackable(t)
	s.lasts(t, 40, 'R', 80, true)
	if len(s.taken) != 0 {
		t.Fatalf("stacks of a job that works: %v", s.taken)
	}
	s.lasts(t, 40, 'S', 0, false)
	if len(s.taken) != 1 || len(s.taken[0]) != 1 || s.taken[0][0] != 77 {
		t.Fatalf("stacks of a job that is stalled: %v", s.taken)
	}
	st, err := live.Read(s.place.Path())
	const want = "1 of 1 task is in read_input."
	if err != nil || st.Stalled == nil || st.Stalled.Summary != want {
		t.Errorf("%+v, %v", st.Stalled, err)
	}
	var r stacks.Record
	if err := s.a.dir.ReadJSON(stack.RecordFile, &r); err != nil || len(r.Groups) != 1 || r.AtS < 40 ||
		r.Valid(512) != nil {
		t.Errorf("%+v, %v", r, err)
	}
	s.lasts(t, 20, 'R', 80, true)
	if st, err = live.Read(s.place.Path()); err != nil || st.Stalled != nil {
		t.Errorf("%+v, %v", st.Stalled, err)
	}
	s.lasts(t, 40, 'S', 0, false)
	if len(s.taken) != 2 {
		t.Errorf("stacks of the second stall: %v", s.taken)
	}
}

// Stacks that arrive during the next stall are not those of that stall.
func TestStacksOfAnEndedStallAreDropped(t *testing.T) {
	s := newStackable(t)
	release, read := make(chan struct{}), s.a.atStall.read
	s.a.atStall.read = func(ctx context.Context, pids []int) (stacks.Record, error) {
		<-release
		return read(ctx, pids)
	}
	for _, part := range []struct {
		seconds int
		state   byte
		ticks   int
	}{{40, 'R', 80}, {40, 'S', 0}, {20, 'R', 80}, {40, 'S', 0}} {
		for range part.seconds {
			s.is(t, part.state, part.ticks)
			s.second(part.ticks > 0)
		}
	}
	came := s.a.atStall.result
	if came == nil {
		t.Fatal("no stacks are being read")
	}
	close(release)
	came <- <-came
	s.is(t, 'S', 0)
	s.second(false)
	st, err := live.Read(s.place.Path())
	if err != nil || st.Stalled == nil || st.Stalled.Summary != "" {
		t.Errorf("%+v, %v", st.Stalled, err)
	}
	if err := s.a.dir.ReadJSON(stack.RecordFile, new(stacks.Record)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("stacks of the first stall were stored: %v", err)
	}
}

// On one of several nodes, a stall counts once it has lasted for the set time: until then no stacks are taken, and the
// site's program is not started, because the tasks may wait for work on other nodes.
func TestStallOnOneOfSeveralNodesIsConfirmed(t *testing.T) {
	s := newStackable(t)
	s.a.atStall.afterS = stallConfirmation(2, configs.Agent{StackAfterS: 60})
	started := make(chan string, 1)
	s.a.onStall = &onStall{ended: make(chan error, 1), notify: func(_ context.Context, text []byte) error {
		started <- string(text)
		return nil
	}}
	s.lasts(t, 40, 'R', 80, true)
	s.lasts(t, 45, 'S', 0, false)
	st, err := live.Read(s.place.Path())
	if err != nil || st.Stalled == nil || len(s.taken) != 0 || len(started) != 0 {
		t.Fatalf("%+v, %v: %d readings, %d programs after 45 s", st.Stalled, err, len(s.taken), len(started))
	}
	s.lasts(t, 20, 'R', 80, true)
	s.lasts(t, 70, 'S', 0, false)
	if len(s.taken) != 1 {
		t.Errorf("%d readings after 70 s", len(s.taken))
	}
	if got := <-started; !strings.Contains(got, "read_input") {
		t.Errorf("the program's input has no stacks: %s", got)
	}
	if stallConfirmation(1, configs.Agent{StackAfterS: 60}) != 0 {
		t.Error("a job of one node waits for other nodes")
	}
}

// The site's program is started for a stall once its stacks were read, or could not be read.
func TestOnStallWaitsForStacks(t *testing.T) {
	for _, failed := range []error{nil, errors.New("denied")} {
		s := newStackable(t)
		s.err, s.a.log = failed, func(error) {}
		told := make(chan string, 1)
		s.a.onStall = &onStall{ended: make(chan error, 1), notify: func(_ context.Context, text []byte) error {
			told <- string(text)
			return nil
		}}
		s.lasts(t, 40, 'R', 80, true)
		s.lasts(t, 20, 'S', 0, false)
		if got := <-told; strings.Contains(got, "read_input") != (failed == nil) {
			t.Errorf("%v: %s", failed, got)
		}
	}
}

// No stacks are taken where the site or the user wants none.
func TestStacksAreSwitchedOff(t *testing.T) {
	wants := func(setting string, names run.DisclosureLevel) bool {
		r := job.Run{Names: names}
		return stacksReader("/none", r, configs.Agent{Stack: setting}) != nil
	}
	if wants("off", "") || wants("lines", run.NoNames) || wants("functions", run.Libraries) {
		t.Error("stacks are read although they are not wanted")
	}
}

// An agent that ends does not wait for stacks, and the children that read them are ended.
func TestStacksDoNotOutliveTheAgent(t *testing.T) {
	ended := make(chan error, 1)
	s := stallStacks{read: func(ctx context.Context, _ []int) (stacks.Record, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return stacks.Record{}, ctx.Err()
	}}
	s.take(1, "sleeping", []int{1})
	s.cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || s.busy() {
		t.Errorf("%v, busy: %v", err, s.busy())
	}
}
