package summary

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// loopS is a period that differs from those of clocks.
const loopS = 0.2637

// stoppedLoop is a loop of 0.26 s on a CPU that it leaves for a fifth of each iteration,
// 60 s of it, stopped for some time.
func stoppedLoop(stops ...run.Interval) series.Set {
	rng := rand.New(rand.NewPCG(13, 1))
	values := make(series.Values, 12000)
	work := 0.0
	for i := range values {
		at := float64(i) * 0.005
		stopped := false
		for _, s := range stops {
			stopped = stopped || at >= s.StartS && at < s.EndS
		}
		if stopped {
			continue
		}
		if at := math.Mod(work, loopS); at < 0.8*loopS {
			values[i] = float32(0.6 + 0.8*rng.Float64() + at)
		}
		work += 0.005
	}
	other := make(series.Values, len(values))
	for i := range other {
		other[i] = float32(rng.Float64())
	}
	return series.Set{StepS: 0.005, Columns: []series.Column{
		{Name: busyColumn, Unit: "CPUs", Scope: series.JobScope, Values: values},
		{Name: "page_faults", Unit: "faults/s", Scope: series.JobScope, Values: other}}}
}

func ranWith(t *testing.T, set series.Set, known ...run.Interval) NodeRecord {
	t.Helper()
	r := NodeRecord{Node: "n1", ElapsedS: 60, Quality: run.Quality{Scope: "job", RateHz: 200, Samples: 12000},
		Suspended: known}
	r, err := Analyse(r, set, Default())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A job that was stopped has the rhythm of one that was not: bounds that are up to
// 0.8 s wide on both sides lead to the moments themselves.
func TestSuspensionsAreLeftOut(t *testing.T) {
	stops := []run.Interval{{StartS: 30.1, EndS: 42.1}, {StartS: 54, EndS: 60}}
	r := ranWith(t, stoppedLoop(stops...), run.Interval{StartS: 29.4, EndS: 42.9}, run.Interval{StartS: 53.3, EndS: 60})
	even := ranWith(t, stoppedLoop())
	if len(r.Patterns) == 0 || len(even.Patterns) == 0 {
		t.Fatalf("no pattern: %v, %v", r.Notes, even.Notes)
	}
	a, b := r.Patterns[0], even.Patterns[0]
	if math.Abs(a.PeriodS-b.PeriodS) > 0.001 || a.Coverage < 0.95 || a.Instances < 150 || a.Instances > 160 {
		t.Errorf("period %v, coverage %v, %d instances; undisturbed %v, %v", a.PeriodS, a.Coverage, a.Instances, b.PeriodS,
			b.Coverage)
	}
	for i, want := range stops {
		if len(r.Suspended) != 2 || math.Abs(r.Suspended[i].StartS-want.StartS) > 0.06 ||
			math.Abs(r.Suspended[i].EndS-want.EndS) > 0.06 {
			t.Fatalf("suspended %v, want %v", r.Suspended, stops)
		}
	}
	if math.Abs(r.SuspendedS-18) > 0.15 || !noted(r.Notes, note.Suspended) || noted(even.Notes, note.Suspended) {
		t.Errorf("%v s, notes %v", r.SuspendedS, r.Notes)
	}
	if d := r.Loops[0].Drift; d == nil || d.SlowCount != 0 || len(d.Steps) != 0 {
		t.Errorf("drift %+v", d)
	}
	if got, want := r.busyCPUs(), even.busyCPUs(); got == nil || math.Abs(*got / *want - 1) > 0.02 {
		t.Errorf("%v CPUs, undisturbed %v", *got, *want)
	}
	ofTheRun(t, r)
}

// ofTheRun fails unless the times of a record are those of the run.
func ofTheRun(t *testing.T, r NodeRecord) {
	t.Helper()
	count := 0
	for _, g := range r.Patterns[0].Regions {
		count += g.Count
		for _, s := range r.Suspended {
			if g.StartS < s.EndS-0.1 && g.EndS > s.StartS+0.1 {
				t.Errorf("region %+v reaches into %v", g, s)
			}
		}
	}
	if count != r.Patterns[0].Instances {
		t.Errorf("%d instances in regions, %d in all", count, r.Patterns[0].Instances)
	}
	at, stopped, share := 0.0, 0.0, 0.0
	for _, p := range r.Phases {
		if math.Abs(p.StartS-at) > 0.0051 {
			t.Errorf("a phase begins at %v, the one before it ends at %v", p.StartS, at)
		}
		if at = p.EndS; p.Kind == phase.Suspended {
			stopped += p.EndS - p.StartS
		}
		share += p.Share
	}
	if math.Abs(at-60) > 0.0051 || math.Abs(stopped-r.SuspendedS) > 0.1 || math.Abs(share-1) > 0.001 {
		t.Errorf("phases end at %v, %v s are suspensions, shares are %v: %+v", at, stopped, share, r.Phases)
	}
	for _, s := range r.Loops[0].Boundaries {
		for _, i := range r.Suspended {
			if s > i.StartS+0.1 && s < i.EndS-0.1 {
				t.Errorf("an iteration begins at %v, in %v", s, i)
			}
		}
	}
}

// Without the reported bounds the same samples belong to a job that did nothing for 12 s; so the test above
// needs the bounds.
func TestUnreportedStopIsNoSuspension(t *testing.T) {
	r := ranWith(t, stoppedLoop(run.Interval{StartS: 30.1, EndS: 42.1}))
	if r.SuspendedS != 0 || noted(r.Notes, note.Suspended) ||
		*r.busyCPUs() > 0.85*(*ranWith(t, stoppedLoop()).busyCPUs()) {
		t.Errorf("%v s, %v", r.SuspendedS, r.Notes)
	}
	for _, p := range r.Phases {
		if p.Kind == phase.Suspended {
			t.Errorf("%+v", p)
		}
	}
}

// The same run on the job's own clock loses the time of its suspensions too.
func TestSuspensionsOnAnotherAxis(t *testing.T) {
	set := stoppedLoop(run.Interval{StartS: 30, EndS: 40})
	also := series.Set{Axis: series.CPU, StepS: 1, Columns: []series.Column{{Values: series.Values{1, 2, 3, 4}}},
		WallS: []float64{20, 25, 30, 45, 50}}
	set.Also = []series.Set{also}
	out, c, found := withoutSuspensions(set, []run.Interval{{StartS: 28, EndS: 42}})
	if len(found) != 1 {
		t.Fatal(found)
	}
	lost := float64(c.list[0].n) * set.StepS
	got := out.Also[0]
	if got.Len() != 3 || got.Columns[0].Values[2] != 4 || math.Abs(got.WallS[2]-(45-lost)) > 2*set.StepS ||
		math.Abs(got.WallS[3]-(50-lost)) > 2*set.StepS {
		t.Errorf("%v at %v, %v s lost", got.Columns[0].Values, got.WallS, lost)
	}
}

// Bounds from a forged file are checked.
func TestBoundsOfSuspensions(t *testing.T) {
	set := stoppedLoop(run.Interval{StartS: 30, EndS: 40})
	for _, known := range [][]run.Interval{
		{{StartS: -5, EndS: -1}}, {{StartS: -5, EndS: 100}}, {{StartS: 70, EndS: 90}}, {{StartS: 40, EndS: 30}},
		{{StartS: 0, EndS: 60}, {StartS: 0, EndS: 60}, {StartS: 10, EndS: 50}},
		{{StartS: 30, EndS: 35}, {StartS: 34, EndS: 41}}, {{StartS: math.NaN(), EndS: 3}}, {{StartS: -1e300, EndS: 1e300}},
	} {
		out, c, found := withoutSuspensions(set, known)
		removed := 0
		for _, x := range c.list {
			removed += x.n
		}
		for _, column := range out.Columns {
			if len(column.Values)+removed != set.Len() {
				t.Fatalf("%v: %d samples and %d left out of %d", known, len(column.Values), removed, set.Len())
			}
		}
		if len(found) != len(c.list) {
			t.Errorf("%v: %v, %v", known, found, c.list)
		}
	}
}

// A time without suspensions and that of the run lead to each other.
func TestTimesOfTheRun(t *testing.T) {
	c := cuts{startS: 1, stepS: 0.5, list: []cut{{2, 10}, {5, 4}}}
	for _, x := range []struct{ at, begin, end float64 }{
		{1, 1, 1}, {1.5, 1.5, 1.5}, {2, 2, 2}, {2.5, 7.5, 2.5}, {3, 8, 8}, {3.5, 8.5, 8.5}, {4, 11, 9}, {4.5, 11.5, 11.5},
	} {
		if b, e := c.begin(x.at), c.end(x.at); b != x.begin || e != x.end {
			t.Errorf("%v: begins at %v, ends at %v; want %v, %v", x.at, b, e, x.begin, x.end)
		}
	}
	got := c.regions([]periodicity.Region{{StartS: 1, EndS: 4.5, Count: 3}},
		[]periodicity.Instance{{First: 0, Length: 2}, {First: 3, Length: 2}, {First: 6, Length: 1}})
	want := []periodicity.Region{{StartS: 1, EndS: 2, Count: 1}, {StartS: 7.5, EndS: 8.5, Count: 1},
		{StartS: 11, EndS: 11.5, Count: 1}}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
}
