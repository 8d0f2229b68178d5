package summary

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/series"
)

// loopPlan is a program whose iterations compute and then wait.
type loopPlan struct {
	periodS float64
	seed    uint64
	// From slowAt on iterations are longer by slowBy; every stumble-th is
	// twice as long.
	slowAt, slowBy float64
	stumble        int
	// wait is the share of an iteration that waits, 0.4 if 0; lateS by how much
	// the loop begins later.
	wait, lateS float64
	// pauseEvery iterations there is a pause of pauseS.
	pauseEvery int
	pauseS     float64
}

// levels are the busy CPUs of a program in steps of stepS.
func (p loopPlan) levels(n int, stepS float64) []float64 {
	if p.wait == 0 {
		p.wait = 0.4
	}
	rng := rand.New(rand.NewPCG(p.seed, 2))
	out := make([]float64, n)
	at, k := 5+p.lateS, 0 // start-up
	for at < float64(n)*stepS {
		length := p.periodS * (1 + 0.006*rng.NormFloat64()) // a timer has none
		if p.slowBy > 0 && at >= p.slowAt {
			length *= 1 + p.slowBy
		}
		if p.stumble > 0 && k%p.stumble == p.stumble-1 {
			length *= 1.6
		}
		for i := max(0, int(at/stepS)); i < min(n, int((at+length)/stepS)); i++ {
			x := (float64(i)*stepS - at) / length
			switch {
			case x < 1-p.wait:
				out[i] = 3.6 + 0.3*math.Sin(20*x)
			default:
				out[i] = 0.4
			}
		}
		at += length
		if k++; p.pauseEvery > 0 && k%p.pauseEvery == 0 {
			at += p.pauseS
		}
	}
	return out
}

// loopSet samples a program at 200 Hz: busy CPUs, counts and columns of noise.
func loopSet(n int, p loopPlan) series.Set {
	rng := rand.New(rand.NewPCG(p.seed, 1))
	set := series.Set{StepS: 0.005}
	levels := p.levels(n, set.StepS)
	add := func(name, unit string, of func(level float64) float64) {
		v := make(series.Values, n)
		for i := range v {
			v[i] = float32(math.Max(0, of(levels[i])))
		}
		set.Columns = append(set.Columns, series.Column{Name: name, Unit: unit, Scope: "job", Values: v})
	}
	add(busyColumn, "CPUs", func(x float64) float64 { return x + 0.2*rng.NormFloat64() })
	add("page_faults", "1/s", func(x float64) float64 { return 400 - 90*x + 40*rng.NormFloat64() })
	for k := range 5 {
		add(fmt.Sprintf("noise%d", k), "1/s", func(float64) float64 { return 50 + 9*rng.NormFloat64() })
	}
	return set
}

func analysed(t *testing.T, n int, p loopPlan) NodeRecord {
	t.Helper()
	r, err := Analyse(NodeRecord{Node: "n1", Start: 1000, ElapsedS: float64(n) * 0.005}, loopSet(n, p), Default())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Patterns) == 0 {
		t.Fatalf("no pattern: %v", r.Notes)
	}
	return r
}

// brief is a drift without its lengths, to be printed.
func brief(d *Drift) Drift {
	if d == nil {
		return Drift{}
	}
	b := *d
	b.Lengths = Lengths{}
	return b
}

// A loop that becomes slower at once is found with the time and size of the step,
// whether the detector sees one period or two.
func TestDriftOfALoopThatSlowsDown(t *testing.T) {
	for _, by := range []float64{0.08, 0.2} {
		r := analysed(t, 48_000, loopPlan{periodS: 1.1, seed: 3, slowAt: 150, slowBy: by})
		d := r.Loops[0].Drift
		if d == nil || len(d.Steps) != 1 {
			t.Fatalf("slower by %v: %+v", by, brief(d))
		}
		if s := d.Steps[0]; math.Abs(s.TS-150) > 3 || math.Abs(s.EffectPct-100*by) > 1.5 {
			t.Errorf("slower by %v: step %+v", by, s)
		}
	}
}

func TestSlowIterationsAreListed(t *testing.T) {
	r := analysed(t, 48_000, loopPlan{periodS: 1.1, seed: 4, stumble: 25})
	d := r.Loops[0].Drift
	if d == nil || d.SlowCount < 5 || len(d.Slow) != maxSlow {
		t.Fatalf("%+v", brief(d))
	}
	for _, s := range d.Slow {
		if math.Abs(s.LengthS-1.76) > 0.2 {
			t.Errorf("slow iteration %+v", s)
		}
	}
}

// For busy CPUs the meaning of a low value is known: the wait is found with its length.
func TestActivityShowsTheWait(t *testing.T) {
	r := analysed(t, 24_000, loopPlan{periodS: 1.1, seed: 6})
	a := r.Loops[0].Activity
	if a == nil || a.Column != busyColumn || len(a.Low) != 1 {
		t.Fatalf("%+v", a)
	}
	if l := a.Low[0]; math.Abs(l.DurationS-0.44) > 0.05 || l.Repeatability < 0.95 || math.Abs(l.Level-0.4) > 0.1 {
		t.Errorf("%+v", l)
	}
}

// A record does not grow with the number of iterations.
func TestRecordsAreBounded(t *testing.T) {
	size := func(n int) (bytes, iterations int) {
		b, err := json.Marshal(analysed(t, n, loopPlan{periodS: 0.287, seed: 7, stumble: 40}).Loops)
		if err != nil {
			t.Fatal(err)
		}
		return len(b), n
	}
	small, _ := size(60_000)
	large, _ := size(240_000)
	if p := Default(); large > small+small/4 {
		t.Errorf("%d and %d bytes: grows with the run (%d points)", small, large, p.Lengths)
	}
	l := lengthsOf(nil, series.Set{}, 240)
	if l.Group != 1 || len(l.TS) != 0 {
		t.Errorf("%+v", l)
	}
}

// Records and summaries of earlier versions lack these fields and are read.
func TestEarlierVersionsDecode(t *testing.T) {
	old := `{"schema":"jobgait.node/0","key":{"cluster":"c","job_id":7,"restart":0},"job":{"user":"u","uid":1,"gid":1,` +
		`"nnodes":1,"node_list":"n1"},
		"node":"n1","start":100,"end":110,"elapsed_s":10,"quality":{"scope":"job","cpus":2,"sources":[]},"counters":[],
		"patterns":[{"id":"A","column":"code","period_s":0.5,"confidence":0.9,"coverage":0.9,"instances":18,"values":[1,2,` +
		`null],"p10":[],"p90":[],"regions":[]}],
		"phases":[{"kind":"loop","pattern":"A","start_s":0,"end_s":10,"share":1}],"timeline":{"start_s":0,"step_s":1,` +
		`"columns":[]},"notes":[]}`
	var a, b NodeRecord
	if err := json.Unmarshal([]byte(old), &a); err != nil {
		t.Fatal(err)
	}
	b = a
	b.Node = "n2"
	s := Merge([]NodeRecord{a, b}, []string{"n1", "n2"})
	if s.Agreement != nil || len(s.Loops) != 0 || len(s.Patterns) != 1 {
		t.Errorf("%+v", s)
	}
	if _, ok := s.Loop("A"); ok {
		t.Error("a loop from nowhere")
	}
	var back Summary
	if err := json.Unmarshal([]byte(`{"schema":"jobgait.summary/0","nodes":[{"name":"n1"}]}`), &back); err != nil ||
		back.Agreement != nil {
		t.Errorf("%v %+v", err, back)
	}
}

// crowd returns the records of n nodes with the same loop; every 37th does less in one part of it.
func crowd(n int) ([]NodeRecord, []string) {
	rng := rand.New(rand.NewPCG(9, 9))
	records, names := make([]NodeRecord, n), make([]string, n)
	for i := range records {
		names[i] = fmt.Sprintf("n%05d", i)
		r := node(names[i], 2, 1.1)
		r.Patterns[0].PeriodSamples, r.Patterns[0].Instances = 220, 400
		values := make(series.Values, 256)
		for k := range values {
			values[k] = float32(0.4 + 0.004*rng.NormFloat64())
			switch at := (k + i*11) % 256; {
			case i%37 == 5 && at >= 60 && at < 90:
				values[k] += 1.9
			case at < 150:
				values[k] += 3.2
			}
		}
		loop := Loop{Pattern: "A", Activity: &Activity{Column: busyColumn, Unit: "CPUs", Values: values}}
		for k := range 128 {
			loop.Boundaries = append(loop.Boundaries, 200+1.1*float64(k)+1.1*float64(i*11%256)/256+0.002*rng.NormFloat64())
		}
		r.Loops = []Loop{loop}
		records[i] = r
	}
	return records, names
}

func TestOddNodesAreNamed(t *testing.T) {
	records, names := crowd(16)
	records[9].Start += 0.2 // its clock, or its iterations
	s := Merge(records, names)
	a := s.Agreement
	if a == nil || a.Compared != 16 || a.Odd != 1 || len(a.List) == 0 || a.List[0].Node != "n00005" {
		t.Fatalf("%+v", a)
	}
	if x := a.List[0]; x.ForS < 0.05 || x.ForS > 0.25 || x.DiffersPct > -20 {
		t.Errorf("%+v", x)
	}
	if x := a.List[1]; !x.Late || x.Node != "n00009" || math.Abs(*x.LagS-0.2) > 0.02 {
		t.Errorf("late: %+v", x)
	}
	if s.Nodes[3].DistancePct == nil || *s.Nodes[3].DistancePct > 1 {
		t.Errorf("%+v", s.Nodes[3])
	}
	if a.Pairs != 120 || a.Agree < 100 {
		t.Errorf("%d of %d pairs agree", a.Agree, a.Pairs)
	}
}

// Of many nodes the size stays bounded, and the same nodes come out whatever the
// order of the records.
func TestAgreementOfManyNodes(t *testing.T) {
	records, names := crowd(400)
	a := Merge(records, names).Agreement
	if a == nil || a.Nodes != 400 || a.Compared != 400 || len(a.List) > maxDiffering || a.Odd == 0 {
		t.Fatalf("%+v", a)
	}
	two := Merge(records[:2], names[:2]).Agreement
	if two == nil || two.Odd != 0 {
		t.Errorf("of two nodes neither is the odd one: %+v", two)
	}
	slices.Reverse(records)
	b := Merge(records, names).Agreement
	if b.Compared == 0 || b.Odd == 0 {
		t.Errorf("%+v", b)
	}
}

// Any records of the nodes give a summary that can be encoded.
func TestAgreementOfFlatNodes(t *testing.T) {
	records, names := crowd(5)
	for i := range records {
		for k := range records[i].Loops[0].Activity.Values {
			records[i].Loops[0].Activity.Values[k] = float32(i - 2)
		}
		records[i].Patterns[0].PeriodSamples = 0
	}
	records[3].Loops[0].Activity.Values = nil
	records[4].Loops[0].Boundaries = nil
	if _, err := json.Marshal(Merge(records, names)); err != nil {
		t.Error(err)
	}
}
