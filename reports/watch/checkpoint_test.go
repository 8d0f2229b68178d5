package watch

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"jobgait/agent/live"
	"jobgait/analysis/history"
)

// A checkpoint that begins by then, and is no longer than those of earlier runs, ends before the limit, whatever the
// limit is.
func TestLastCheckpointFits(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 7))
	at := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	for range 200 {
		length, limit := math.Exp(6*r.Float64()), at.Add(seconds(86400*r.Float64()))
		p := Pacer{Earlier: func(live.Job) []history.Run { return nil }, Checkpoint: func([]history.Run) float64 {
			return length
		}}
		s := live.State{At: at, LimitAt: &limit}
		p.SetLastCheckpoint(&s)
		by := s.LastCheckpointBy
		if by == nil || by.Add(seconds(length)).After(limit) || by.Add(seconds(1.5*length)).Before(limit) {
			t.Fatalf("%v s before %v: by %v", length, limit, by)
		}
	}
}

// What this run has shown counts beside earlier runs: the longer one.
func TestCheckpointOfThisRun(t *testing.T) {
	limit, own := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC), 10.0
	for earlier, want := range map[float64]float64{0: 12, 5: 12, 20: 24} {
		p := Pacer{Earlier: func(live.Job) []history.Run { return nil },
			Checkpoint: func([]history.Run) float64 { return earlier }}
		s := live.State{LimitAt: &limit, CheckpointS: &own}
		p.SetLastCheckpoint(&s)
		by := s.LastCheckpointBy
		if by == nil || limit.Sub(*by).Seconds() != want {
			t.Errorf("earlier ones of %g s: by %v", earlier, by)
		}
	}
}

// Without a limit or a known checkpoint no time is given but the reason; earlier runs are queried once.
func TestNoLastCheckpoint(t *testing.T) {
	limit, asked, length, own := time.Now(), 0, 0.0, 10.0
	p := Pacer{Earlier: func(live.Job) []history.Run { asked++; return nil },
		Checkpoint: func([]history.Run) float64 { return length }}
	lacks := func(s live.State, want live.CheckpointReason) {
		t.Helper()
		p.SetLastCheckpoint(&s)
		if s.LastCheckpointBy != nil || s.NoLastCheckpoint == nil || *s.NoLastCheckpoint != want {
			t.Errorf("by %v, reason %v", s.LastCheckpointBy, s.NoLastCheckpoint)
		}
	}
	lacks(live.State{}, live.NoTimeLimit)
	lacks(live.State{CheckpointS: &own}, live.NoTimeLimit)
	if asked != 0 {
		t.Errorf("the history was queried %d times without a limit", asked)
	}
	for range 3 {
		lacks(live.State{LimitAt: &limit}, live.NoCheckpointYet)
	}
	if asked != 1 {
		t.Errorf("the history was queried %d times", asked)
	}
	p = Pacer{Earlier: p.Earlier}
	lacks(live.State{LimitAt: &limit}, live.NoCheckpointYet)
}
