package tracker

import (
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// spun is a minute of a job that waits with a CPU busy, of which another program takes a part every 1.2 s. It
// works a little in every cycle of 0.7 s, or never.
func spun(works bool) DetectionRequest {
	const step, n = 0.005, 12000
	rng := rand.New(rand.NewPCG(3, 4))
	busy, waits, work, kernel := make(series.Values, n), make(series.Values, n), make(series.Values, n),
		make(series.Values, n)
	away, at := 0.0, 0.0
	for i := range n {
		t := float64(i) * step
		if t >= away+0.1 {
			away += 1.2 * (1 + 0.01*rng.NormFloat64())
		}
		if works && t >= at+0.7 {
			at += 0.7 * (1 + 0.005*rng.NormFloat64())
		}
		for range 5 { // samples
			switch {
			case t >= away && t < away+0.1:
				kernel[i] += float32(rng.IntN(2))
				continue
			case works && t >= at && t < at+0.06:
				work[i]++
			default:
				waits[i]++
			}
			busy[i] += 0.2
		}
	}
	set := series.Set{StepS: step, Columns: []series.Column{
		{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope, Values: busy},
		{Name: "code:00000000000000ab", Unit: "samples", Scope: series.JobScope, Group: series.CodeGroup, Waits: true,
			Values: waits},
		{Name: "code:00000000000000cd", Unit: "samples", Scope: series.JobScope, Group: series.CodeGroup, Values: work},
		{Name: "code:kernel", Unit: "samples", Scope: series.JobScope, Group: series.CodeGroup, Values: kernel}}}
	return DetectionRequest{set: set, merge: 1, whole: set}
}

// A job that only waits shows the rhythm of the program that uses its CPU; a job that sometimes works shows its
// own rhythm.
func TestWorking(t *testing.T) {
	if got := spun(false).Detect(); len(got) == 0 || got[0].PeriodS < 1.1 || got[0].PeriodS > 1.3 {
		t.Errorf("what others do is not seen at all: %+v", got)
	}
	if got := spun(false).WorkOnly().Detect(); len(got) != 0 {
		t.Errorf("a job that spins has a loop of %g s", got[0].PeriodS)
	}
	q := spun(true).WorkOnly()
	got := q.Detect()
	if len(got) == 0 || got[0].PeriodS < 0.66 || got[0].PeriodS > 0.74 {
		t.Fatalf("one that works every 0.7 s: %+v", got)
	}
	if from := got[0].from; len(from) != 1 || from[0] != 2 {
		t.Errorf("it is followed in columns %v", from)
	}
	if e := got[0].effort; e.column != 0 || e.usual <= 0 {
		t.Errorf("what its cycles cost is forgotten: %+v", e)
	}
}
