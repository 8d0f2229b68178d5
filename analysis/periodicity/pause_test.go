package periodicity

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// pausing returns n cycles of 40 samples, some of them longer by the lengths in last and busy as given by then
// meanwhile; the pause begins after at samples.
func pausing(n, at int, last func(cycle int) int, then float32) (set series.Set, in []Instance, lengths []float64) {
	set = series.Set{StepS: 0.005, Columns: []series.Column{{Name: "busy_cpus"}}}
	for c := range n {
		length := 40 + last(c)
		in, lengths = append(in, Instance{First: len(set.Columns[0].Values), Length: length}),
			append(lengths, float64(length)*set.StepS)
		for i := range length {
			v := float32(0.9)
			if i >= at && i < at+length-40 {
				v = then
			}
			set.Columns[0].Values = append(set.Columns[0].Values, v)
		}
	}
	return set, in, lengths
}

// Recurring pauses are not a part of cycles. Cycles that other programs lengthened, only two pauses, cycles of
// twice the length, waiting for a turn and a set without the job's activity are left unchanged.
func TestAwake(t *testing.T) {
	every := func(k, samples int) func(int) int {
		return func(c int) int {
			if c%k == k-1 {
				return samples
			}
			return 0
		}
	}
	for _, c := range []struct {
		name   string
		at     int
		last   func(int) int
		then   float32
		bare   bool
		kept   int
		pauses int
	}{
		{"at the end of every 25th cycle for 3 s", 40, every(25, 600), 0, false, 200, 8},
		{"at its beginning", 0, every(25, 600), 0, false, 200, 8},
		{"in its middle: the cycle is in two parts", 20, every(25, 600), 0, false, 192, 8},
		{"busy meanwhile", 40, every(25, 600), 0.5, false, 200, 0},
		{"twice in all", 40, every(90, 600), 0, false, 200, 0},
		{"twice as long", 40, every(25, 40), 0, false, 200, 0},
		{"it waits for its turn", 40, every(25, 90), 0, false, 200, 0},
		{"nobody knows what it did", 40, every(25, 600), 0, true, 200, 0},
	} {
		set, in, lengths := pausing(200, c.at, c.last, c.then)
		if c.bare {
			set.Columns[0].Name = "x"
		}
		got, gotS := withoutPauses(set, in, lengths)
		long := 0
		for i, x := range got {
			if x.Length > 40 {
				long++
			}
			if math.Abs(gotS[i]-float64(x.Length)*set.StepS) > 1e-9 || x.First+x.Length > set.Len() {
				t.Errorf("%s: %+v of %g s", c.name, x, gotS[i])
			}
		}
		were := 0
		for _, x := range in {
			if x.Length > 40 {
				were++
			}
		}
		if len(got) != c.kept || were-long != c.pauses {
			t.Errorf("%s: %d cycles, %d pauses, want %d and %d", c.name, len(got), were-long, c.kept, c.pauses)
		}
	}
}

// A loop that waits for two seconds after every 20th cycle is reported with the length of its cycles, and one
// region between two pauses.
func TestPausingLoopIsMeasuredByItsCycles(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	names := []string{"busy_cpus", "code:a", "code:b"}
	set := series.Set{StepS: 0.005}
	for _, n := range names {
		c := series.Column{Name: n, Scope: series.JobScope, Unit: "samples", Group: series.CodeGroup}
		if n == "busy_cpus" {
			c.Unit, c.Group = "CPUs", ""
		}
		set.Columns = append(set.Columns, c)
	}
	add := func(busy, a, b float32) {
		for i, v := range []float32{busy, a, b} {
			set.Columns[i].Values = append(set.Columns[i].Values, v)
		}
	}
	clock, worked := 0, 0
	for c := range 120 {
		length := int(math.Round(50 * (1 + 0.01*r.NormFloat64())))
		begin := set.Len()
		for i := range length {
			if i < length/2 {
				add(1, 4+float32(r.IntN(2)), 0)
			} else {
				add(1, 0, 4+float32(r.IntN(2)))
			}
			for range r.IntN(5) * r.IntN(2) { // others have the CPU, so that only CPU time shows it
				add(0, 0, 0)
			}
		}
		clock, worked = clock+set.Len()-begin, worked+1
		if c%20 == 19 && c < 119 {
			for range 400 {
				add(0, 0, 0)
			}
		}
	}
	got, err := Detect(set, Default())
	if err != nil || len(got.Periods) == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	p := got.Periods[0]
	want := set.StepS * float64(clock) / float64(worked)
	if math.Abs(p.PeriodS/want-1) > 0.03 || math.Abs(p.MeanS/want-1) > 0.03 || p.PeriodCV > 0.25 || len(p.Regions) < 5 {
		t.Errorf("%.3f s of %.3f, mean %.3f, +- %.0f %%, in %d regions", p.PeriodS, want, p.MeanS, 100*p.PeriodCV,
			len(p.Regions))
	}
}
