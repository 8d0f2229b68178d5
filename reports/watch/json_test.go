package watch

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/live"
	"jobgait/analysis/tracker"
)

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

// hintsIn reads lines, refusing keys that a CycleLine does not have.
func hintsIn(t *testing.T, text string) (hs []CycleLine) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	for {
		var h CycleLine
		switch err := d.Decode(&h); {
		case errors.Is(err, io.EOF):
			return hs
		case err != nil:
			t.Fatalf("%v: %q", err, text)
		}
		hs = append(hs, h)
	}
}

// All cycles that end after a stream began are printed, including the first ones, each once; of those before
// it, the last one.
func TestHintsOfEachCycle(t *testing.T) {
	for _, c := range []struct {
		name     string
		writings []int64 // cycles so far
		want     []int64
	}{
		{"begun before the first cycle", []int64{0, 3, 3, 4}, []int64{1, 2, 3, 4}},
		{"begun among them", []int64{20, 20, 23}, []int64{20, 21, 22, 23}},
		{"more at once than are listed", []int64{0, 20, 40}, []int64{16, 17, 18, 19, 20, 36, 37, 38, 39, 40}},
		{"none", []int64{0, 0}, nil},
	} {
		var told CycleLines
		var got []int64
		for _, n := range c.writings {
			for _, h := range hintsIn(t, told.Next(cyclesOf(t, n), true)) {
				got = append(got, h.Cycle)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// For a run that is over nothing is predicted: the last prediction of a killed agent does not count.
func TestHintsOfADeadRun(t *testing.T) {
	s := cyclesOf(t, 9)
	hs := hintsIn(t, new(CycleLines).Next(s, false))
	if len(hs) != 1 || hs[0].Cycle != 9 || hs[0].State != Dead || hs[0].NextBoundary != nil ||
		hs[0].BoundaryErrorS != nil {
		t.Errorf("%+v", hs)
	}
}

// Each low stretch is printed with the time of its next occurrence, and none of a run that is over or has left
// its loop.
func TestHintsOfLowStretches(t *testing.T) {
	s := cyclesOf(t, 9) // half a second into a cycle of 2 s
	s.LastBoundary = &s.Recent[len(s.Recent)-1].Boundary
	s.Low = []live.Low{{OffsetS: 0.2, DurationS: 0.1, ErrorS: 0.01, Repeatability: 0.9},
		{OffsetS: 1.5, DurationS: 0.3, Repeatability: 1}}
	hs := hintsIn(t, new(CycleLines).Next(s, true))
	if len(hs) != 1 || len(hs[0].Low) != 2 {
		t.Fatalf("%+v", hs)
	}
	for i, want := range []float64{1.5, 2.2} {
		if got := hs[0].Low[i].Begins.Sub(*s.LastBoundary).Seconds(); got < want-1e-6 || got > want+1e-6 {
			t.Errorf("stretch %d begins after %v s, want %v", i, got, want)
		}
	}
	if hs := hintsIn(t, new(CycleLines).Next(s, false)); hs[0].Low == nil || len(hs[0].Low) != 0 {
		t.Errorf("over: %+v", hs[0].Low)
	}
	s.State = tracker.LeftLoop
	if hs := hintsIn(t, new(CycleLines).Next(s, true)); len(hs[0].Low) != 0 {
		t.Errorf("left: %+v", hs[0].Low)
	}
}
