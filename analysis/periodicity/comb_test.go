package periodicity

import (
	"math/rand/v2"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// sampledOnce returns a profile of code with one sample in each slot: of the kernel in every slot number
// divisible by teeth, otherwise of one of two pages at random.
func sampledOnce(n, teeth int) series.Set {
	rng := rand.New(rand.NewPCG(uint64(teeth), 3))
	set := series.Set{StepS: 0.005}
	for _, name := range []string{"code:kernel", "code:a", "code:b"} {
		set.Columns = append(set.Columns, series.Column{
			Name: name, Group: series.CodeGroup, Unit: "samples", Scope: series.JobScope, Values: make(series.Values, n),
		})
	}
	for i := range n {
		page := 1
		if i%teeth == 0 {
			page = 0
		} else if rng.Float64() < 0.02 {
			page = 2
		}
		set.Columns[page].Values[i] = 1
	}
	return set
}

func TestCombOfTheSampler(t *testing.T) {
	set := sampledOnce(5000, 20)
	r, err := Detect(set, Default())
	if err != nil || len(r.Periods) > 0 || len(r.Notes) == 0 || r.Notes[0].Code != note.OnlyClocks {
		t.Errorf("periods %v, notes %v, %v; want only the note %s", r.Periods, r.Notes, err, note.OnlyClocks)
	}
}

// If a counter has the same rhythm, a comb belongs to the program: a loop that sleeps until a timer.
func TestCombThatAnotherColumnConfirms(t *testing.T) {
	set := sampledOnce(5000, 20)
	rng := rand.New(rand.NewPCG(4, 4))
	faults := make(series.Values, set.Len())
	for i := range faults {
		faults[i] = float32(3*rng.Float64() + 40*float64(max(0, 6-i%20)))
	}
	set.Columns = append(set.Columns,
		series.Column{Name: "page_faults", Unit: "1", Scope: series.JobScope, Values: faults})
	r, err := Detect(set, Default())
	if err != nil || len(r.Periods) == 0 || !near(r.Periods[0].PeriodS, 0.1, 0.02) {
		t.Errorf("periods %v, notes %v, %v; want 0.1 s", r.Periods, r.Notes, err)
	}
}

func near(x, want, tolerance float64) bool { return x > want*(1-tolerance) && x < want*(1+tolerance) }
