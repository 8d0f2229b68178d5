package periodicity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// job simulates the address samples of one busy CPU: in every slot some samples fall on pages with the given
// shares.
type job struct {
	rng *rand.Rand
	set series.Set
}

const pages = 5

func newJob(seed uint64) *job {
	j := &job{rng: rand.New(rand.NewPCG(seed, 1)), set: series.Set{StepS: 0.005}}
	for p := range pages {
		j.set.Columns = append(j.set.Columns, series.Column{
			Name: fmt.Sprintf("code:%016x", p), Unit: "samples", Scope: series.JobScope, Group: "code",
		})
	}
	return j
}

// slot adds one slot of k samples spread by share.
func (j *job) slot(k int, share [pages]float64) {
	var count [pages]float32
	for range k {
		count[j.page(share)]++
	}
	for p := range pages {
		j.set.Columns[p].Values = append(j.set.Columns[p].Values, count[p])
	}
}

// page draws a page by share.
func (j *job) page(share [pages]float64) int {
	total := 0.0
	for _, s := range share {
		total += s
	}
	u, p := j.rng.Float64()*total, 0
	for p < pages-1 && u >= share[p] {
		u -= share[p]
		p++
	}
	return p
}

// iterations adds n of the given mean length, each longer or shorter by a
// normal share jitter: a fifth in page 1, the rest in page 0 and some in 2. The
// k samples of a slot fall anywhere in it.
func (j *job) iterations(n int, length, jitter float64, k int) {
	begin, end := 0.0, length
	for t := 0.0; n > 0; t++ {
		for p := range pages {
			j.set.Columns[p].Values = append(j.set.Columns[p].Values, 0)
		}
		for i := range k {
			at := t + (float64(i)+j.rng.Float64())/float64(k)
			if at >= end {
				n--
				begin, end = end, end+length*(1+jitter*j.rng.NormFloat64())
			}
			share := [pages]float64{0.6, 0.1, 0.25, 0, 0.05}
			switch phase := (at - begin) / (end - begin); {
			case phase < 0.2:
				share = [pages]float64{0.1, 0.8, 0.05, 0.05, 0}
			case phase < 0.6:
				share = [pages]float64{0.8, 0.1, 0.05, 0, 0.05}
			}
			v := j.set.Columns[j.page(share)].Values
			v[len(v)-1]++
		}
	}
}

func (j *job) other(n, k int) {
	for range n {
		j.slot(k, [pages]float64{0, 0, 0.1, 0.9, 0})
	}
}

func detect(t *testing.T, s series.Set) Result {
	t.Helper()
	r, err := Detect(s, Default())
	if err != nil {
		t.Fatal(err)
	}
	check(t, s, r)
	return r
}

// check tests what holds for every result: instances in order, disjoint and inside the profile, shares within
// 0..1, and a note when nothing is found.
func check(t *testing.T, s series.Set, r Result) {
	t.Helper()
	if len(r.Periods) == 0 && len(r.Notes) == 0 {
		t.Fatal("no period and no reason")
	}
	if len(r.Periods) > 0 && r.Periods[0].Axis != series.Wall && r.Periods[0].Confidence < minConfidence {
		t.Fatalf("reported with %v", r.Periods[0].Confidence)
	}
	for _, p := range r.Periods {
		end, count := 0, 0
		for _, in := range p.Instances {
			if in.First < end || in.Length < 1 || in.First+in.Length > s.Len() {
				t.Fatalf("instance %+v after %d, profile of %d", in, end, s.Len())
			}
			end = in.First + in.Length
		}
		for _, g := range p.Regions {
			count += g.Count
		}
		if count != len(p.Instances) {
			t.Fatalf("regions hold %d of %d instances", count, len(p.Instances))
		}
		if !(p.PeriodLoS <= p.PeriodS && p.PeriodS <= p.PeriodHiS) || p.Confidence < 0 || p.Confidence > 1 ||
			p.Coverage < 0 ||
			p.Coverage > 1 {
			t.Fatalf("figures out of range: %+v", p)
		}
		if q := p.Parts; math.Abs(q.product()-p.Confidence) > 1e-12 ||
			min(q.Explained, q.Regular, q.Support, q.Agreed, q.Resolved) < 0 ||
			max(q.Explained, q.Regular, q.Support, q.Agreed, q.Resolved) > 1 {
			t.Fatalf("confidence %v of %+v", p.Confidence, q)
		}
	}
}

// Five samples per slot, periods of 30 to 180 slots, 4 % of jitter, as in a run of some seconds on one core: the
// period is the true one and not a multiple.
func TestDetectCounts(t *testing.T) {
	for seed, length := range []float64{30, 44.6, 75, 180} {
		j := newJob(uint64(seed))
		j.other(150, 5)
		j.iterations(int(2000/length), length, 0.04, 5)
		r := detect(t, j.set)
		if len(r.Periods) == 0 {
			t.Errorf("length %g: nothing found: %v", length, r.Notes)
			continue
		}
		p := r.Periods[0]
		if e := math.Abs(p.PeriodSamples/length - 1); e > 0.03 || p.Column != "code" {
			t.Errorf("length %g: found %.2f in %s", length, p.PeriodSamples, p.Column)
		}
		if p.Coverage < 0.8 || p.Regions[0].StartS < 0.6 {
			t.Errorf("length %g: covers %.2f from %.2f s", length, p.Coverage, p.Regions[0].StartS)
		}
	}
}

// With six samples in a period several cycles are followed at a time, and a note says that they are few.
func TestDetectShortPeriod(t *testing.T) {
	j := newJob(9)
	j.iterations(300, 6.3, 0.02, 10)
	r := detect(t, j.set)
	if len(r.Periods) == 0 || math.Abs(r.Periods[0].PeriodSamples/6.3-1) > 0.03 {
		t.Fatalf("%d periods, %+v", len(r.Periods), r.Notes)
	}
	if !has(r.Notes, note.FewSamples) {
		t.Errorf("no warning of few samples: %v", r.Notes)
	}
}

// A loop too short for the samples is found as a multiple, and a note says so.
func TestDetectMultipleNoted(t *testing.T) {
	l := newLoop(12)
	for i := range 12000 {
		l.x = append(l.x, float32(math.Cos(2*math.Pi*float64(i)/2.4)))
	}
	r := detect(t, l.set(0.05))
	if len(r.Periods) == 0 || !has(r.Notes, note.FewSamples) {
		t.Errorf("%d periods, %+v: no warning of few samples", len(r.Periods), r.Notes)
	}
}

// A checkpoint between two halves of the loop ends a region, not the pattern.
func TestDetectRegions(t *testing.T) {
	j := newJob(3)
	j.iterations(20, 50, 0.02, 10)
	j.other(400, 10)
	j.iterations(20, 50, 0.02, 10)
	r := detect(t, j.set)
	if len(r.Periods) != 1 || len(r.Periods[0].Regions) != 2 {
		t.Fatalf("%d periods: %+v", len(r.Periods), r.Notes)
	}
	g := r.Periods[0].Regions
	if math.Abs(g[0].EndS-5) > 0.25 || math.Abs(g[1].StartS-7) > 0.25 {
		t.Errorf("regions end and begin at %.2f and %.2f s, not 5 and 7", g[0].EndS, g[1].StartS)
	}
}

// Missing slots keep the grid.
func TestDetectMissing(t *testing.T) {
	j := newJob(4)
	j.iterations(45, 44, 0.02, 8)
	for i := range j.set.Len() {
		if i%37 == 0 || i > 900 && i < 960 {
			for _, c := range j.set.Columns {
				c.Values[i] = series.Missing()
			}
		}
	}
	r := detect(t, j.set)
	if len(r.Periods) == 0 || math.Abs(r.Periods[0].PeriodSamples/44-1) > 0.02 {
		t.Fatalf("%+v", r.Notes)
	}
}

func TestDetectIsDeterministic(t *testing.T) {
	j := newJob(5)
	j.iterations(30, 60, 0.05, 5)
	if a, b := detect(t, j.set), detect(t, j.set); !reflect.DeepEqual(a, b) {
		t.Error("two results of one profile differ")
	}
}

// What has no period gets none, and a reason.
func TestDetectNothing(t *testing.T) {
	const n = 1600
	ar, walk := 0.0, 0.0
	for _, c := range []struct {
		name string
		slot func(j *job, i int)
	}{
		{"busy loop", func(j *job, i int) { j.slot(5, [pages]float64{1, 0, 0, 0, 0}) }},
		{"mixed loop", func(j *job, i int) { j.slot(5, [pages]float64{5, 2, 1, 1, 1}) }},
		{"sleep", func(j *job, i int) {
			if j.rng.Float64() < 0.004 {
				j.slot(1, [pages]float64{1, 1, 0, 0, 0})
			} else {
				j.slot(0, [pages]float64{1})
			}
		}},
		// 997 Hz on a 5 ms grid: 4 samples instead of 5 every 67th slot.
		{"comb", func(j *job, i int) {
			j.slot(int(float64(i+1)*4.985)-int(float64(i)*4.985), [pages]float64{1})
		}},
		{"red", func(j *job, i int) {
			ar = 0.97*ar + 0.24*j.rng.NormFloat64()
			j.slot(5, [pages]float64{1, math.Exp(ar), 1, 1, 1})
		}},
		{"walk", func(j *job, i int) {
			walk += 0.05 * j.rng.NormFloat64()
			j.slot(5, [pages]float64{1, math.Exp(walk), 1, 1, 1})
		}},
		{"trend", func(j *job, i int) { j.slot(5, [pages]float64{1, float64(i) / n, 0, 0, 0}) }},
		{"bursts", func(j *job, i int) {
			if ar--; ar < -11 && j.rng.Float64() < 1.0/60 {
				ar = 12
			}
			if ar > 0 {
				j.slot(5, [pages]float64{0, 0, 0, 1, 0})
			} else {
				j.slot(5, [pages]float64{1, 1, 0, 0, 0})
			}
		}},
	} {
		for seed := range uint64(3) {
			j := newJob(100 + seed)
			ar, walk = 0, 0
			for i := range n {
				c.slot(j, i)
			}
			if r := detect(t, j.set); len(r.Periods) > 0 {
				t.Errorf("%s, draw %d: found %.1f samples, %d instances", c.name, seed, r.Periods[0].PeriodSamples,
					len(r.Periods[0].Instances))
			}
		}
	}
}

func TestDetectRefusals(t *testing.T) {
	flat := make(series.Values, 500)
	missing := make(series.Values, 500)
	noise := make(series.Values, 500)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range flat {
		flat[i], missing[i], noise[i] = 3, series.Missing(), float32(rng.NormFloat64())
	}
	col := func(scope series.Scope, v series.Values) series.Set {
		return series.Set{StepS: 0.005, Columns: []series.Column{{Name: "x", Scope: scope, Values: v}}}
	}
	for _, c := range []struct {
		name string
		set  series.Set
		want []note.Code
		text string
	}{
		{"empty", series.Set{StepS: 0.005}, []note.Code{note.TooShort}, "0 samples"},
		{"short", col(series.JobScope, flat[:20]), []note.Code{note.TooShort}, "20 samples: at least 48"},
		{"flat", col(series.JobScope, flat), []note.Code{note.NoVariance}, "every column is flat"},
		{"missing", col(series.JobScope, missing), []note.Code{note.NoVariance}, "every column is flat"},
		{"node only", col(series.NodeScope, noise), []note.Code{note.NoVariance}, "no column of the job"},
		{"noise", col(series.JobScope, noise),
			[]note.Code{note.NoValley, note.NotTracked, note.NotSignificant, note.LowCoverage}, "no period"},
	} {
		r := detect(t, c.set)
		if len(r.Notes) != 1 || !oneOf(r.Notes[0].Code, c.want) || !strings.Contains(r.Notes[0].Text, c.text) {
			t.Errorf("%s: %+v, want %v", c.name, r.Notes, c.want)
		}
	}
	if _, err := Detect(series.Set{StepS: 0, Columns: []series.Column{{Values: flat}}}, Default()); err == nil {
		t.Error("a step of 0 is no error")
	}
	if _, err := Detect(series.Set{StepS: 1, Columns: []series.Column{{Values: flat}, {Values: flat[:9]}}},
		Default()); err == nil {
		t.Error("columns of different length are no error")
	}
}

// Columns of the node are searched only if the caller permits it, and /proc columns never below half a second.
func TestDetectScope(t *testing.T) {
	j := newJob(6)
	j.iterations(40, 44, 0.02, 20)
	c := series.Column{Name: "x", Unit: "1/s", Scope: series.NodeScope, Values: j.set.Columns[1].Values}
	s := series.Set{StepS: 0.005, Columns: []series.Column{c}}
	if r := detect(t, s); len(r.Periods) > 0 {
		t.Error("a column of the node gave a period unasked")
	}
	par := Default()
	par.NodeScope = true
	if r, _ := Detect(s, par); len(r.Periods) != 1 || r.Periods[0].Column != "x" {
		t.Errorf("with permission: %+v", r.Notes)
	}
	s.Columns[0].Scope, s.Columns[0].Name = series.JobScope, "proc_read"
	for _, p := range detect(t, s).Periods {
		if p.PeriodS < procMinLagS {
			t.Errorf("/proc column gave %g s", p.PeriodS)
		}
	}
}

func has(notes []note.Note, code note.Code) bool {
	for _, n := range notes {
		if n.Code == code {
			return true
		}
	}
	return false
}

func oneOf(c note.Code, codes []note.Code) bool {
	for _, x := range codes {
		if x == c {
			return true
		}
	}
	return false
}

// For any numbers there is a result and no panic.
func FuzzDetect(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0, 255, 7}, uint8(40))
	f.Add([]byte{0}, uint8(60))
	f.Add([]byte{9, 9, 200, 9, 9, 9, 1}, uint8(13))
	f.Fuzz(func(t *testing.T, b []byte, repeat uint8) {
		if len(b) == 0 || len(b) > 64 {
			return
		}
		var v, w series.Values
		for range int(repeat) + 1 {
			for _, x := range b {
				y := float32(x)
				switch x {
				case 255:
					y = series.Missing()
				case 254:
					y = float32(math.Inf(1))
				case 253:
					y = 1e30
				}
				v, w = append(v, y), append(w, y*y)
			}
		}
		s := series.Set{StepS: 0.005, Columns: []series.Column{
			{Name: "code:a", Unit: "samples", Group: "code", Scope: series.JobScope, Values: v},
			{Name: "code:b", Unit: "samples", Group: "code", Scope: series.JobScope, Values: w},
			{Name: "ipc", Unit: "1", Scope: series.JobScope, Values: v},
		}}
		par := Default()
		par.surrogates = 5
		r, err := Detect(s, par)
		if err != nil {
			t.Fatal(err)
		}
		check(t, s, r)
	})
}
