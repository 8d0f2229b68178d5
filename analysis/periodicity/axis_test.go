package periodicity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// inTurns is a job whose millisecond of CPU time number i runs page(i), on a CPU
// that another program takes from it for turns of random length: with share 1
// never. Beside it the wall time at which every millisecond ran.
func inTurns(seed uint64, ms int, share float64, page func(i int) int) (series.Set, []float64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	at := make([]float64, ms)
	t, turn := 0.0, 0
	for i := range at {
		if turn--; turn < 0 {
			turn = 2 + rng.IntN(6)
			t += float64(turn) * 0.001 * (1/share - 1) * rng.ExpFloat64()
		}
		at[i] = t
		t += 0.001
	}
	n := int(t/0.005) + 1
	set := series.Set{StepS: 0.005}
	names := []string{"code:a", "code:b", "code:c"}
	for _, name := range names {
		set.Columns = append(set.Columns,
			series.Column{Name: name, Unit: "samples", Group: series.CodeGroup, Scope: series.JobScope,
				Values: make(series.Values, n)})
	}
	busy := series.Column{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope, Values: make(series.Values, n)}
	for i, t := range at {
		k := int(t / 0.005)
		set.Columns[page(i)].Values[k]++
		busy.Values[k] += 0.2
	}
	set.Columns = append(set.Columns, busy)
	return set, at
}

// A loop of 180 ms of which code is sampled every 10 ms, in every other slot, is found once and not as several cycles:
// bins of CPU time that are finer than the samples are empty in turns. A node with 16 CPUs was the first such machine.
func TestSparseSamplesShowOneCycle(t *testing.T) {
	const cycle, cycles = 36, 80
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 9))
		busy := series.Column{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope}
		columns := make([]series.Column, 4)
		for j := range columns {
			columns[j] = series.Column{Name: fmt.Sprint("code:", j), Unit: "samples", Group: series.CodeGroup,
				Scope: series.JobScope, Values: make(series.Values, cycle*cycles)}
		}
		busy.Values = make(series.Values, cycle*cycles)
		for i := 1; i < cycle*cycles; i += 2 {
			busy.Values[i] = 2
			page := 0
			if i%cycle > 28 {
				page = 1 + rng.IntN(3)
			}
			columns[page].Values[i] = 1
		}
		set := series.Set{StepS: 0.005, Columns: append(columns, busy)}
		r := detect(t, set)
		if len(r.Periods) != 1 || math.Abs(r.Periods[0].PeriodS-0.18) > 0.004 {
			t.Errorf("seed %d: %+v", seed, r.Periods)
		}
	}
}

func clockOf(set series.Set) series.Clock {
	clock, _ := set.Clock()
	return clock
}

// noisy executes one page most of the time and another one occasionally.
func noisy(rng *rand.Rand, page int) int {
	if rng.IntN(4) == 0 {
		return rng.IntN(3)
	}
	return page
}

// A loop of 120 ms of CPU time is found on a crowded machine, where its iterations vary in wall time, and is
// reported in wall time.
func TestCrowdedLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const cycle, cycles = 120, 80
	set, at := inTurns(1, cycle*cycles, 0.25, func(i int) int {
		return noisy(rng, map[bool]int{true: 0, false: 1}[i%cycle < 45])
	})
	r := detect(t, set)
	check(t, set, r)
	if len(r.Periods) == 0 {
		t.Fatal(r.Notes)
	}
	p, want := r.Periods[0], at[len(at)-1]/cycles
	if p.Axis != series.CPU || math.Abs(p.CPUS/0.120-1) > 0.02 || math.Abs(p.PeriodS/want-1) > 0.05 ||
		len(p.Instances) < cycles-6 {
		t.Errorf("axis %s, %v s of CPU time (.120), %v s (%v), %d times (%d)", p.Axis, p.CPUS, p.PeriodS, want,
			len(p.Instances), cycles)
	}
	if p.Confidence < 0.6 || !(p.P10S < p.MeanS && p.MeanS < p.P90S) || math.Abs(p.PeriodS/p.MeanS-1) > 1e-9 {
		t.Errorf("confidence %v, %v s in %v to %v", p.Confidence, p.MeanS, p.P10S, p.P90S)
	}
}

// For a job that is alone on the machine wall time is sufficient, except for loops so short that its slots may
// show multiples of them: both axes must show these.
func TestQuietLoop(t *testing.T) {
	for cycle, axis := range map[int]series.Axis{17: Both, 120: series.Wall} {
		rng := rand.New(rand.NewPCG(5, uint64(cycle)))
		set, _ := inTurns(2, 15000, 1, func(i int) int {
			return noisy(rng, map[bool]int{true: 0, false: 1}[i%cycle < cycle*2/5])
		})
		r := detect(t, set)
		check(t, set, r)
		if len(r.Periods) == 0 || math.Abs(1000*r.Periods[0].PeriodS/float64(cycle)-1) > 0.03 {
			t.Fatalf("a loop of %d ms: %+v %v", cycle, r.Periods, r.Notes)
		}
		if p := r.Periods[0]; p.Axis != axis || p.Confidence < Confident {
			t.Errorf("a loop of %d ms on axis %s with %v, %+v", cycle, p.Axis, p.Confidence, p.Parts)
		}
	}
}

// Nothing is found if the order of code has no rhythm, whenever the job got the CPU; a rhythm of other programs
// is not reported with confidence.
func TestCrowdedNothing(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(6, seed))
		page, left := 0, 0
		set, _ := inTurns(seed, 9000, 0.25+0.15*float64(seed), func(int) int {
			if left--; left < 0 {
				page, left = rng.IntN(3), int(60*rng.ExpFloat64())
			}
			return page
		})
		if r := detect(t, set); len(r.Periods) > 0 && r.Periods[0].Confidence >= 0.6 {
			t.Errorf("seed %d: %v s on axis %s with %v", seed, r.Periods[0].PeriodS, r.Periods[0].Axis, r.Periods[0].Confidence)
		}
	}
}

// What takes the CPU every 508 ms is no period of the job.
func TestGhost(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	set, _ := inTurns(3, 20000, 1, func(int) int { return noisy(rng, 0) })
	busy, _ := set.Column("busy_cpus")
	for i := range busy.Values {
		if i*5%508 < 60 {
			for j := range set.Columns {
				set.Columns[j].Values[i] = 0
			}
		}
	}
	r := detect(t, set)
	for _, p := range r.Periods {
		if p.Confidence >= Confident {
			t.Errorf("%v s in %s with %v", p.PeriodS, p.Column, p.Confidence)
		}
	}
}

// binsOf adds to a set of inTurns what an agent counts on the job's own clock: a bin
// for each sample.
func binsOf(set *series.Set, at []float64, page func(i int) int) {
	exact := series.Set{Axis: series.CPU, StepS: 0.001, SlotS: 0.001, WallS: append(at, at[len(at)-1]+0.001)}
	for j, name := range []string{"code:a", "code:b", "code:c", series.OtherCode} {
		c := series.Column{Name: name, Unit: "samples", Group: series.CodeGroup, Scope: series.JobScope,
			Values: make(series.Values, len(at))}
		for i := range at {
			if page(i) == j {
				c.Values[i] = 1
			}
		}
		exact.Columns = append(exact.Columns, c)
	}
	set.Also = []series.Set{exact}
}

// Bins of CPU time that were counted as such show a loop of 12 ms that the turns of
// others fold within the slots of wall time.
func TestExactBins(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const cycle = 12
	page := make([]int, 12000)
	for i := range page {
		page[i] = noisy(rng, map[bool]int{true: 0, false: 1}[i%cycle < 5])
	}
	of := func(i int) int { return page[i] }
	set, at := inTurns(4, len(page), 0.6, of)
	folded := detect(t, set)
	binsOf(&set, at, of)
	if gs := grids(set, clockOf(set)); len(gs) != len(cpuBinsS) || gs[0].set.StepS != 0.002 ||
		gs[3].set.Len() != len(page)/5 {
		t.Fatalf("%d grids", len(gs))
	}
	r := detect(t, set)
	check(t, set, r)
	if len(r.Periods) == 0 || math.Abs(r.Periods[0].CPUS/0.012-1) > 0.02 || r.Periods[0].Confidence < Confident {
		t.Errorf("%+v %v; by slots %+v", r.Periods, r.Notes, folded.Periods)
	}
	set.Also[0] = set.Also[0].Within([]series.Piece{{FromS: 0, ToS: at[len(at)/2], AtS: 0}})
	if gs := grids(set, clockOf(set)); len(gs) == 0 || gs[0].set.SlotS == 0.001 {
		t.Error("bins of half of the run were taken for all of it")
	}
}

// The analysed parts of a long profile have the bins of the same times.
func TestExactBinsOfAnExcerpt(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	page := make([]int, 120_000)
	for i := range page {
		page[i] = noisy(rng, map[bool]int{true: 0, false: 1}[i%61 < 25])
	}
	of := func(i int) int { return page[i] }
	set, at := inTurns(4, len(page), 0.4, of)
	binsOf(&set, at, of)
	const part = 4096
	e := excerpt(set, part)
	if e.Len() != part*excerptParts {
		t.Fatalf("%d samples", e.Len())
	}
	clock, _ := e.Clock()
	bins := e.Also[0]
	if used := float64(bins.Len()) * bins.StepS; math.Abs(used/clock.Total()-1) > 0.01 || len(bins.WallS) != bins.Len()+1 {
		t.Errorf("%v s of bins beside %v s of CPU time", used, clock.Total())
	}
	for i := range bins.Len() {
		if from, to := bins.Ends(i, 1); to < from || to > float64(e.Len())*e.StepS+1e-9 {
			t.Fatalf("bin %d from %v to %v", i, from, to)
		}
	}
	r := detect(t, set)
	check(t, set, r)
	if len(r.Periods) == 0 || math.Abs(r.Periods[0].CPUS/0.061-1) > 0.02 || r.Periods[0].Coverage < 0.8 {
		t.Errorf("%d, %v", len(r.Periods), r.Notes)
	}
}

// Waiting in MPI is not work and is in no grid.
func TestWaitingCode(t *testing.T) {
	set, _ := inTurns(9, 1000, 1, func(i int) int { return i % 3 })
	set.Columns[2].Waits = true
	gs := grids(set, clockOf(set))
	if len(gs) == 0 || len(gs[0].set.Columns) != 2 {
		t.Errorf("%d grids", len(gs))
	}
}
