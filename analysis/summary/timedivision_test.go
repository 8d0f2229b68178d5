package summary

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// dividedRun returns a node's record of a run of 20 s in bins of 20 ms, in which busy(t) CPUs are in use, and in which
// tasks wait for CPUs and storage for the given seconds; negative means not measured.
func dividedRun(busy func(t float64) float64, cpuWaitS, storageS float64) NodeRecord {
	const bins, stepS = 1000, 0.02
	r := NodeRecord{ElapsedS: bins * stepS, Timeline: Timeline{StepS: stepS}}
	c, sum := TimelineColumn{Name: busyColumn, Unit: "CPUs"}, 0.0
	for i := range bins {
		v := busy((float64(i) + 0.5) * stepS)
		c.Mean = append(c.Mean, float32(v))
		sum += v * stepS
	}
	r.Timeline.Columns = []TimelineColumn{c}
	count := func(name string, s float64) {
		if s >= 0 {
			r.Counters = append(r.Counters, run.Counter{Name: name, Unit: "ns", Scope: "job", Total: s * 1e9})
		}
	}
	count("task_clock", sum)
	count(run.CPUWait, cpuWaitS)
	count(run.StorageWait, storageS)
	return r
}

// TestTimeDivision takes runs whose tasks are known to compute, wait and sleep for a part of the time.
func TestTimeDivision(t *testing.T) {
	constant := func(v float64) func(float64) float64 { return func(float64) float64 { return v } }
	inTurns := func(cpus float64) func(float64) float64 { // for 0.1 s, then not for 0.1 s
		return func(at float64) float64 { return cpus * float64(1-int(at/0.1)%2) }
	}
	firstHalf := func(at float64) float64 { return float64(1 - int(at/10)) }
	for _, c := range []struct {
		name                        string
		run                         NodeRecord
		computing, wait, io, asleep float64
	}{
		{"one task computes", dividedRun(constant(1), 0, 0), 1, 0, 0, 0},
		{"one task sleeps half of the time", dividedRun(inTurns(1), 0, 0), .5, 0, 0, .5},
		{"one task beside three others", dividedRun(constant(.25), 15, 0), .25, .75, 0, 0},
		{"one task beside others, in bursts", dividedRun(inTurns(.5), 15, 0), .25, .75, 0, 0},
		{"one task writes to a disk", dividedRun(inTurns(1), 2, 6), .5, .1, .3, .1},
		{"a run that hung after half of it", dividedRun(firstHalf, 0, 0), .5, 0, 0, .5},
		{"four tasks sleep half of the time, together", dividedRun(inTurns(4), 0, 0), .5, 0, 0, .5},
		{"64 tasks compute", dividedRun(constant(61), 20, 0), 61 / 62., 1 / 62., 0, 0},
		{"four tasks on one CPU", dividedRun(constant(1), 60, 0), .25, .75, 0, 0},
		{"waiting was not measured", dividedRun(inTurns(1), -1, -1), .5, -1, -1, .5},
		{"a run that was suspended for half of it, of which storage is unknown", func() NodeRecord {
			r := dividedRun(firstHalf, 0, 0)
			r.Suspended, r.SuspendedS = []run.Interval{{StartS: 10, EndS: 20}}, 10
			return r
		}(), 1, 0, -1, 0},
	} {
		d := c.run.WithTimeDivision().Time
		if d == nil {
			t.Errorf("%s: not divided", c.name)
			continue
		}
		near := func(what string, got *float64, want float64) {
			if (got == nil) != (want < 0) || got != nil && math.Abs(*got-want) > 0.03 {
				t.Errorf("%s: %s is %v, want %g", c.name, what, got, want)
			}
		}
		near("computing", &d.Computing, c.computing)
		near("waiting for a CPU", d.CPUWait, c.wait)
		near("waiting for storage", d.Storage, c.io)
		near("asleep", &d.Asleep, c.asleep)
	}
}

// TestDividedPart takes runs of which the timeline lacks a part: the division says of which part it is, and there is
// none of less than a half.
func TestDividedPart(t *testing.T) {
	for missing, want := range map[int]float64{0: 1, 40: 1, 60: .94, 490: .51, 510: 0} {
		r := dividedRun(func(float64) float64 { return 1 }, 0, 0)
		mean := r.Timeline.Columns[0].Mean
		for i := range missing {
			mean[i] = series.Missing()
		}
		got := 0.0
		if d := r.WithTimeDivision().Time; d != nil {
			got = d.Part
		}
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%d of 1000 bins are missing: part %g, want %g", missing, got, want)
		}
	}
	if d := (NodeRecord{ElapsedS: 20}).WithTimeDivision().Time; d != nil {
		t.Errorf("without samples: %+v", d)
	}
}

// TestTimeDivisionAddsUp draws runs and merges them: the parts are 0 to 1 and add up to 1.
func TestTimeDivisionAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	for range 200 {
		var records []NodeRecord
		for range 1 + rng.IntN(3) {
			scale := math.Exp(4 * rng.NormFloat64())
			records = append(records, dividedRun(func(float64) float64 { return scale * rng.Float64() },
				40*rng.Float64()-2, 40*rng.Float64()-2).WithTimeDivision())
		}
		for _, d := range []*TimeDivision{records[0].Time, meanTimeDivision(records, len(records))} {
			sum := d.Computing + d.Asleep
			for _, v := range []*float64{d.CPUWait, d.Storage} {
				if v != nil {
					sum += *v
				}
			}
			if math.Abs(sum-1) > 1e-6 || min(d.Computing, d.Asleep) < 0 || max(d.Computing, d.Asleep) > 1+1e-9 {
				t.Fatalf("%+v adds up to %g", d, sum)
			}
		}
		if d := meanTimeDivision(records, len(records)+1); d != nil {
			t.Fatalf("with a missing node: %+v", d)
		}
	}
}

// TestWaitingWithoutLastReadings takes one task that waits for a CPU for three quarters of the time. The curve of
// waiting ends before the run, the counter does not: the rest of the waiting is at the end.
func TestWaitingWithoutLastReadings(t *testing.T) {
	r := dividedRun(func(float64) float64 { return .25 }, 15, 0)
	wait := TimelineColumn{Name: run.CPUWait, Unit: "ns/s"}
	for i := range r.Timeline.Columns[0].Mean {
		wait.Mean = append(wait.Mean, .75e9)
		if i >= 700 {
			wait.Mean[i] = series.Missing()
		}
	}
	r.Timeline.Columns = append(r.Timeline.Columns, wait)
	if d := r.WithTimeDivision().Time; d.Asleep > .01 || math.Abs(*d.CPUWait-.75) > .01 {
		t.Errorf("waited %g, asleep %g", *d.CPUWait, d.Asleep)
	}
}

// Samples in bursts of two CPUs show half of the time of one task that computes throughout; the task's own account says
// that the run never slept.
func TestRunIsNotAsleepWhileAThreadIsActive(t *testing.T) {
	bursts := func(at float64) float64 { return 2 * float64(1-int(at/0.1)%2) }
	r := dividedRun(bursts, 0, 0)
	if d := r.WithTimeDivision().Time; math.Abs(d.Asleep-.5) > .01 {
		t.Fatalf("without the account asleep is %g, want .5", d.Asleep)
	}
	r.MostActiveS = r.ElapsedS
	if d := r.WithTimeDivision().Time; d.Asleep > .01 || math.Abs(d.Computing-1) > .01 {
		t.Errorf("computing %g, asleep %g: one thread was active throughout", d.Computing, d.Asleep)
	}
	r = dividedRun(bursts, 5, 0)
	r.MostActiveS = 0.8 * r.ElapsedS
	d := r.WithTimeDivision().Time
	if sum := d.Computing + *d.CPUWait + *d.Storage + d.Asleep; math.Abs(sum-1) > 1e-6 || d.Asleep > .2+.01 {
		t.Errorf("%+v with a sum of %g", d, sum)
	}
}
