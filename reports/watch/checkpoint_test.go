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
		by := p.LastCheckpointBy(live.State{At: at, LimitAt: &limit})
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
		by := p.LastCheckpointBy(live.State{LimitAt: &limit, CheckpointS: &own})
		if by == nil || limit.Sub(*by).Seconds() != want {
			t.Errorf("earlier ones of %g s: by %v", earlier, by)
		}
	}
}

// Without a limit or a known checkpoint no time is printed; earlier runs are queried once.
func TestNoLastCheckpoint(t *testing.T) {
	limit, asked, length := time.Now(), 0, 0.0
	p := Pacer{Earlier: func(live.Job) []history.Run { asked++; return nil },
		Checkpoint: func([]history.Run) float64 { return length }}
	if by := p.LastCheckpointBy(live.State{}); by != nil || asked != 0 {
		t.Errorf("without a limit: %v", by)
	}
	for range 3 {
		if by := p.LastCheckpointBy(live.State{LimitAt: &limit}); by != nil || asked != 1 {
			t.Errorf("without checkpoints: %v, asked %d times", by, asked)
		}
	}
	p = Pacer{Earlier: p.Earlier}
	if by := p.LastCheckpointBy(live.State{LimitAt: &limit}); by != nil {
		t.Errorf("unasked: %v", by)
	}
}
