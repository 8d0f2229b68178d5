package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/live"
	"jobgait/analysis/history"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/analysis/tracker"
	"jobgait/reports/watch"
)

// running is a home with a run that live.json describes as in its loop: 100 cycles of 2 s, which began 20 s
// after the run, with its limit after half an hour. This test writes the file.
type running struct {
	t     *testing.T
	home  string
	place *live.Location
	state live.State
}

func newRunning(t *testing.T) running {
	t.Helper()
	home := t.TempDir()
	state := filepath.Join(home, ".local/state/jobgait")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	place, err := live.MakeLocation(filepath.Join(state, "live"), os.Getuid(), "run")
	if err != nil {
		t.Fatal(err)
	}
	self, err := job.Self()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().UTC().Truncate(time.Second)
	after := func(s float64) *time.Time { x := at.Add(time.Duration((s - 221) * float64(time.Second))); return &x }
	period, lo, hi, off := 2.0, 1.99, 2.01, 0.02
	return running{t, home, place,
		live.State{Schema: live.Schema, JobID: 7, Node: "n1", At: at, ElapsedS: 221, State: tracker.InCycle,
			PeriodS: &period, CILo: &lo, CIHi: &hi, Cycles: 100, FirstCycle: after(20), LastBoundary: after(220),
			NextBoundary: after(222), BoundaryErrorS: &off,
			RecentS: []float64{2}, Recent: []live.EndedCycle{{N: 100, Boundary: *after(220), LengthS: 2, Residual: 0.1}},
			Agent: self, LimitAt: after(1800),
			Job: live.Job{Cluster: "local:host", Name: "melt-8", Executable: "melt", NNodes: 1}}}
}

func (r running) write() {
	r.t.Helper()
	if err := r.place.Write(r.state); err != nil {
		r.t.Fatal(err)
	}
}

// made stores earlier runs, each with the given number of cycles of 2 s and one minute outside of them.
func (r running) made(name string, cycles ...int) {
	r.t.Helper()
	db, err := history.Open(r.t.Context(), filepath.Join(r.home, ".local/share/jobgait/history.db"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for i, n := range cycles {
		start, elapsed := float64(time.Now().Unix()-int64(86400*(i+1))), 60+2*float64(n)
		s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "local:host", JobID: run.JobID(100 + i)},
			Job:   run.Job{Name: name, Executable: "melt", User: userName(), UID: os.Getuid(), NNodes: 1},
			Start: start, End: start + elapsed, ElapsedS: elapsed, Exit: &run.Exit{}, Quality: run.Quality{Scope: "task"},
			Patterns: []pattern.Pattern{{ID: "A", Timing: periodicity.Timing{PeriodS: 2, Coverage: 0.9, Confidence: 0.9},
				Instances: n}}}
		if err := db.Put(r.t.Context(), s, history.Ingest{}); err != nil {
			r.t.Fatal(err)
		}
	}
}

// watch is the answer of `jobgait watch --once` with more flags.
func (r running) watch(flags ...string) answer {
	return askIn([]string{"HOME=" + r.home}, append([]string{"watch", "--once"}, flags...)...)
}

// Without earlier runs that agree no end is predicted, and with them their end; an earlier time limit is
// reported.
func TestWatchPredictsTheEnd(t *testing.T) {
	for _, c := range []struct {
		name   string
		app    string
		cycles []int
		flags  []string
		usual  int64 // 0 for no pace
		runs   int
		endsS  float64 // since the run began
		limit  bool
	}{
		{"no history", "", nil, nil, 0, 0, 0, false},
		{"two runs", "melt-4", []int{500, 500}, nil, 0, 0, 0, false},
		{"three runs", "melt-4", []int{500, 500, 500}, nil, 500, 3, 1060, false},
		{"three runs that are longer than the limit", "melt-4", []int{1000, 1000, 1000}, nil, 1000, 3, 2060, true},
		{"three that differ", "melt-4", []int{500, 500, 600}, nil, 0, 0, 0, false},
		{"others", "other", []int{500, 500, 500}, nil, 0, 0, 0, false},
		{"the user's word", "", nil, []string{"--cycles", "500"}, 500, 0, 1010, false},
		{"the user's word and their rest", "melt-4", []int{500, 500, 500}, []string{"--cycles", "300"}, 300, 0, 660, false},
		{"fewer than there were", "", nil, []string{"--cycles", "50"}, 0, 0, 0, false},
	} {
		r := newRunning(t)
		r.write()
		r.made(c.app, c.cycles...)
		got := r.watch(append(c.flags, "--json")...)
		var s live.State
		if err := json.Unmarshal([]byte(got.out), &s); err != nil || got.status != 0 {
			t.Fatalf("%s: %v %+v", c.name, err, got)
		}
		if s.Pace == nil {
			if c.usual != 0 {
				t.Errorf("%s: no pace", c.name)
			}
			continue
		}
		ends := s.Pace.EndsAt.Sub(s.At).Seconds() + s.ElapsedS
		if s.Pace.CyclesUsual != c.usual || s.Pace.Runs != c.runs || ends < c.endsS-0.01 || ends > c.endsS+0.01 ||
			s.Pace.LimitFirst != c.limit ||
			s.Pace.LimitAt == nil || s.Pace.EndsLo.After(s.Pace.EndsAt) || s.Pace.EndsHi.Before(s.Pace.EndsAt) {
			t.Errorf("%s: %+v after %v s", c.name, s.Pace, ends)
		}
		if text := r.watch(c.flags...); !strings.Contains(text.out, "\nit ends at ") ||
			strings.Contains(text.out, "\nITS TIME LIMIT COMES FIRST") != c.limit {
			t.Errorf("%s: %q", c.name, text.out)
		}
	}
}

// A stream has the last cycle and then each that ends, none twice, with what comes next;
// when its reader goes it ends.
func TestStreamHasALineForEachCycle(t *testing.T) {
	r := newRunning(t)
	r.write()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		status := runJobgait(ctx, []string{"HOME=" + r.home}, []string{"jobgait", "watch", "--stream"}, out, io.Discard)
		out.Close()
		ended <- status
	}()
	lines := bufio.NewScanner(in)
	next := func() (h watch.CycleLine) {
		t.Helper()
		if !lines.Scan() {
			t.Fatal("no line")
		}
		if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		return h
	}
	first := next()
	if first.Schema != watch.CycleSchema || first.Cycle != 100 || first.LengthS != 2 || first.Residual != 0.1 ||
		!first.Boundary.Equal(*r.state.LastBoundary) ||
		first.NextBoundary == nil || !first.NextBoundary.Equal(*r.state.NextBoundary) || *first.BoundaryErrorS != 0.02 {
		t.Errorf("%+v", first)
	}
	for n := range int64(3) {
		r.state.Recent = append(r.state.Recent,
			live.EndedCycle{N: 101 + n, Boundary: r.state.At, LengthS: 2.5, Residual: 0.2})
	}
	r.state.Cycles = 103
	r.write()
	for n := range int64(3) {
		if h := next(); h.Cycle != 101+n || h.LengthS != 2.5 {
			t.Errorf("%+v", h)
		}
	}
	r.state.State = tracker.Ended
	r.write()
	if lines.Scan() {
		t.Errorf("one more: %s", lines.Text())
	}
	if status := <-ended; status != 1 {
		t.Errorf("status %d", status)
	}
}

// cyclesOf is a run after n cycles of 2 s, of which the last five are listed, half a
// second into the next one. Its agent is this process.
func cyclesOf(t *testing.T, n int64) live.State {
	t.Helper()
	self, err := job.Self()
	if err != nil {
		t.Fatal(err)
	}
	ends := func(k int64) time.Time { return time.Date(2026, 5, 1, 12, 0, int(2*k), 0, time.UTC) }
	period, off, next := 2.0, 0.01, ends(n+1)
	s := live.State{Schema: live.Schema, At: ends(n).Add(500 * time.Millisecond), State: tracker.InCycle, PeriodS: &period,
		NextBoundary:   &next,
		BoundaryErrorS: &off, Cycles: n, Agent: self}
	for k := max(1, n-4); k <= n; k++ {
		s.Recent = append(s.Recent, live.EndedCycle{N: k, Boundary: ends(k), LengthS: 2, Residual: 0.125})
	}
	return s
}

// What an agent wrote just before it ended is not lost, and its run is not called Dead.
func TestFinalLiveStateIsRead(t *testing.T) {
	before, after := cyclesOf(t, 20), cyclesOf(t, 23)
	after.State = tracker.Ended
	before.Agent, after.Agent = job.Process{}, job.Process{} // gone
	removed := errors.New("removed")
	for _, c := range []struct {
		name     string
		readings []live.State
		want     live.State
		alive    bool
	}{
		{"it lives", []live.State{cyclesOf(t, 20)}, cyclesOf(t, 20), true},
		{"it ended in between", []live.State{before, after}, after, false},
		{"it was killed", []live.State{before, before}, before, false},
		{"it ended and its file was swept", []live.State{before}, before, false},
	} {
		n := 0
		s, alive, err := readState(func() (live.State, error) {
			if n++; n > len(c.readings) {
				return live.State{}, removed
			}
			return c.readings[n-1], nil
		})
		if err != nil || alive != c.alive || s.State != c.want.State || s.Cycles != c.want.Cycles {
			t.Errorf("%s: %+v, %v, %v", c.name, s, alive, err)
		}
	}
	if _, alive, err := readState(func() (live.State, error) { return live.State{}, removed }); alive ||
		!errors.Is(err, removed) {
		t.Errorf("no file: %v, %v", alive, err)
	}
}
