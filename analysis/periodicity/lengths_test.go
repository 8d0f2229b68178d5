package periodicity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/series"
)

// loopOfCode is a run of cycles of about 20 slots in which four pages of code follow each other, whose lengths differ
// by a share, with a cycle of 1.6 times the length now and then, in which a fifth page runs as well.
func loopOfCode(r *rand.Rand, cycles int, spread float64, every int) (set series.Set, lengths []float64) {
	const slots, hits = 20., 10
	at, next := 0.0, 0.0
	var ends []float64
	for k := range cycles {
		length := slots * (1 + spread*r.NormFloat64())
		if every > 0 && k%every == every-1 {
			length *= 1.6
		}
		lengths = append(lengths, length)
		next += length
		ends = append(ends, next)
	}
	n := int(next)
	pages := make([]series.Values, 5)
	for p := range pages {
		pages[p] = make(series.Values, n)
	}
	busy := make(series.Values, n)
	k := 0
	for i := range n {
		for j := range hits {
			x := float64(i) + (float64(j)+.5)/hits
			for x >= ends[k] {
				at, k = ends[k], k+1
			}
			in := (x - at) / slots / (1 + (lengths[k]/slots-1)*.999)
			page := int(in * 4)
			if every > 0 && k%every == every-1 {
				if in = (x - at) / lengths[k]; in > .625 {
					page = 4
				} else {
					page = int(in / .625 * 4)
				}
			}
			pages[min(page, 4)][i]++
		}
		busy[i] = 1
	}
	set = series.Set{StepS: .005, Columns: []series.Column{{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope,
		Values: busy}}}
	for p, v := range pages {
		set.Columns = append(set.Columns, series.Column{Name: []string{"code:a", "code:b", "code:c", "code:d",
			series.OtherCode}[p], Unit: countUnit, Scope: series.JobScope, Group: series.CodeGroup, Values: v})
	}
	return set, lengths
}

// TestScatterOfLengths checks that the tails of the lengths of cycles are those of the program, within a third, also
// where they differ by less than a slot.
func TestScatterOfLengths(t *testing.T) {
	for seed, spread := range []float64{.02, .05, .08} {
		set, lengths := loopOfCode(rand.New(rand.NewPCG(uint64(seed), 3)), 150, spread, 0)
		r, err := Detect(set, Default())
		if err != nil || len(r.Periods) == 0 {
			t.Fatalf("spread %g: nothing found: %v %v", spread, r.Notes, err)
		}
		p := r.Periods[0]
		slices.Sort(lengths)
		want := (lengths[len(lengths)*9/10] - lengths[len(lengths)/10]) * set.StepS
		if got := p.P90S - p.P10S; math.Abs(got/want-1) > 1./3 {
			t.Errorf("spread %g: %.4f s between the tails, want %.4f", spread, got, want)
		}
	}
}

// inOnePage returns a set whose slots have all code of a set in one page, and whose bins of 1 ms of CPU time have its
// pages, as a profile has parts of a page.
func inOnePage(set series.Set) series.Set {
	const perSlot = 5
	bins := series.Set{StepS: set.StepS / perSlot, Axis: series.CPU}
	for i := range perSlot*set.Len() + 1 {
		bins.WallS = append(bins.WallS, float64(i)*bins.StepS)
	}
	whole := make(series.Values, set.Len())
	for _, c := range code(set) {
		fine := make(series.Values, perSlot*set.Len())
		for i, v := range c.Values {
			whole[i] += v
			for k := range perSlot {
				fine[perSlot*i+k] = v / perSlot
			}
		}
		c.Values = fine
		bins.Columns = append(bins.Columns, c)
	}
	out := set
	page := code(set)[0]
	page.Name, page.Values = "code:page", whole
	out.Columns = []series.Column{set.Columns[0], page}
	out.Also = []series.Set{bins}
	return out
}

// TestLengthsInOnePage checks that lengths are measured to fractions of a slot by the parts of a page, which only the
// bins of CPU time distinguish.
func TestLengthsInOnePage(t *testing.T) {
	set, lengths := loopOfCode(rand.New(rand.NewPCG(5, 3)), 120, .05, 0)
	p := Period{Column: series.CodeGroup, Kind: Equal, Axis: series.CPU, Timing: Timing{PeriodSamples: 20}}
	at := 0.0
	for _, l := range lengths {
		first, end := int(math.Round(at)), int(math.Round(at+l))
		p.Instances = append(p.Instances, Instance{First: first, Length: end - first})
		at += l
	}
	p.Instances = p.Instances[:len(p.Instances)-1] // its end lies behind the last slot
	got := p.withMeasuredLengths(inOnePage(set))
	if len(got.LengthsS) != len(p.Instances) {
		t.Fatalf("%d lengths of %d cycles were measured", len(got.LengthsS), len(p.Instances))
	}
	far := 0
	for i, l := range got.LengthsS {
		if math.Abs(l/set.StepS-lengths[i]) > .8 {
			far++
		}
	}
	if far > len(got.LengthsS)/10 || !(got.LengthErrorS > 0) || got.LengthErrorS > set.StepS/2 {
		t.Errorf("%d of %d lengths are wrong by more than .8 slots, error %.4f s", far, len(got.LengthsS), got.LengthErrorS)
	}
}

// TestLengthsBesideCoarseBins checks that bins of CPU time in which a cycle cannot be measured, as those of a job that
// mostly sleeps, do not replace the lengths by slots.
func TestLengthsBesideCoarseBins(t *testing.T) {
	const slots = 5 // in a bin, of which a cycle has four
	set, lengths := loopOfCode(rand.New(rand.NewPCG(5, 3)), 120, .05, 0)
	bins := series.Set{StepS: slots * set.StepS, Axis: series.CPU}
	for i := range set.Len()/slots + 1 {
		bins.WallS = append(bins.WallS, float64(i)*bins.StepS)
	}
	for _, c := range code(set) {
		wide := make(series.Values, set.Len()/slots)
		for i := range wide {
			for _, v := range c.Values[slots*i : slots*(i+1)] {
				wide[i] += v
			}
		}
		c.Values = wide
		bins.Columns = append(bins.Columns, c)
	}
	set.Also = []series.Set{bins}
	if n := len(beginGrids(set)); n != 2 {
		t.Fatalf("%d grids", n)
	}
	p := Period{Column: series.CodeGroup, Kind: Equal, Axis: series.CPU, Timing: Timing{PeriodSamples: 20}}
	at := 0.0
	for _, l := range lengths[:len(lengths)-1] {
		first, end := int(math.Round(at)), int(math.Round(at+l))
		p.Instances = append(p.Instances, Instance{First: first, Length: end - first})
		at += l
	}
	if got := p.withMeasuredLengths(set); len(got.LengthsS) != len(p.Instances) {
		t.Errorf("%d lengths of %d cycles were measured", len(got.LengthsS), len(p.Instances))
	}
}

// TestLongCyclesAreCycles checks that a cycle of 1.6 times the length, in which other code runs as well, is counted.
func TestLongCyclesAreCycles(t *testing.T) {
	set, lengths := loopOfCode(rand.New(rand.NewPCG(7, 3)), 160, .01, 15)
	r, err := Detect(set, Default())
	if err != nil || len(r.Periods) == 0 {
		t.Fatalf("nothing found: %v %v", r.Notes, err)
	}
	p := r.Periods[0]
	long := 0
	for _, in := range p.Instances {
		if float64(in.Length) > 1.2*p.PeriodSamples {
			long++
		}
	}
	if n := len(p.Instances); n < len(lengths)-3 || n > len(lengths) || long < 9 {
		t.Errorf("%d of %d cycles, %d of %d long ones", n, len(lengths), long, len(lengths)/15)
	}
}
