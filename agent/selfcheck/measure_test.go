package selfcheck

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
)

// machine is a simulated machine: a step takes a nanosecond, other programs sometimes take the CPU, and it
// drifts; in a load of n records a second each record costs costNS. It provides the load and the clocks of a
// loop.
type machine struct {
	r       *rand.Rand
	t, used float64
	hz      float64
	costNS  float64
	noise   float64
	loaded  bool
	since   float64
	until   float64
	turn    float64 // when its speed changes next
}

func (m *machine) work(steps int) {
	d := float64(steps) * (1 + 0.02*math.Sin(m.t/3e8)) * (1 + m.noise*m.r.NormFloat64())
	if m.loaded {
		// Records that fall into it, and into the time that they take.
		for next := math.Floor(m.t/1e9*m.hz) + 1; next/m.hz*1e9 <= m.t+d; next++ {
			d += m.costNS
		}
	}
	m.t += d
	m.used += d
	if m.r.IntN(20) == 0 {
		m.t += 4e6 * m.r.Float64() // another program's time
	}
}

func (m *machine) on() error  { m.loaded, m.since = true, m.t; return nil }
func (m *machine) off() error { m.loaded, m.until = false, m.t; return nil }
func (m *machine) drain() (int64, error) {
	return int64(math.Floor(m.until/1e9*m.hz) - math.Floor(m.since/1e9*m.hz)), nil
}

func (m *machine) loop(p Params) *loop {
	l := &loop{now: func() int64 { return int64(m.t) }, cpu: func() int64 { return int64(m.used) }, work: m.work,
		chance: m.r.Float64}
	l.calibrate(p)
	return l
}

func newMachine(seed uint64, hz, costNS, noise float64) *machine {
	return &machine{r: rand.New(rand.NewPCG(seed, 1)), hz: hz, costNS: costNS, noise: noise}
}

func TestCostOfARecordIsFound(t *testing.T) {
	p := Default()
	for name, c := range map[string]struct{ cost, noise float64 }{
		"virtual":    {12_000, 0.01},
		"bare metal": {1_500, 0.002},
	} {
		held := 0
		for seed := range uint64(40) {
			m := newMachine(seed, p.Hz, c.cost, c.noise)
			ps, err := pairs(context.Background(), m.loop(p), m, p.Pairs, 0)
			if err != nil || len(ps) != p.Pairs {
				t.Fatalf("%d pairs, %v", len(ps), err)
			}
			r := Result{}
			r.cost(ps)
			if !r.CostNS.Known() || math.Abs(r.CostNS.Value/c.cost-1) > 0.25 || math.Abs(r.CPUCostNS.Value/c.cost-1) > 0.25 {
				t.Errorf("%s, seed %d: %+v and %+v, truth %v", name, seed, r.CostNS, r.CPUCostNS, c.cost)
			}
			if math.Abs(r.Hz/p.Hz-1) > 0.02 {
				t.Errorf("%s: %v Hz", name, r.Hz)
			}
			if r.CostNS.Lo <= c.cost && c.cost <= r.CostNS.Hi {
				held++
			}
		}
		if held < 34 {
			t.Errorf("%s: the truth is in %d of 40 intervals", name, held)
		}
	}
}

// Where there is nothing to find, nothing is claimed, save for the 5 % that an
// interval of 95 % allows.
func TestZeroCostIsNotClaimed(t *testing.T) {
	p := Default()
	claimed := 0
	for seed := range uint64(60) {
		m := newMachine(seed, p.Hz, 0, 0.02)
		ps, err := pairs(context.Background(), m.loop(p), m, p.Pairs, 0)
		if err != nil {
			t.Fatal(err)
		}
		r := Result{}
		r.cost(ps)
		if r.CostNS.Known() {
			claimed++
		}
	}
	if claimed > 6 {
		t.Errorf("a cost in %d of 60 machines that have none", claimed)
	}
}

// What sources cost is found as it is, at a rate that leaves most chunks without a
// record, though all chunks of a half are up to a tenth slower than those of its
// other half: by the mean of whole halves it would not be.
func TestDirectSeesThroughDrift(t *testing.T) {
	const costNS, hz = 12_000, 400.0
	p := Default()
	held, wide, narrow := 0, 0.0, 0.0
	for seed := range uint64(40) {
		m := newMachine(seed, hz, costNS, 0.005)
		l := m.loop(p)
		work := l.work
		speed := 1.0
		l.work = func(steps int) {
			if m.t > m.turn {
				m.turn, speed = m.t+15e6*m.r.Float64(), 1+0.1*m.r.Float64()
			}
			work(int(float64(steps) * speed))
		}
		ps, err := pairs(context.Background(), l, m, p.SourcePairs, p.SettleNS)
		if err != nil {
			t.Fatal(err)
		}
		var d Direct
		d.estimate(ps)
		if truth := hz * costNS / 1e7; d.Pct.Lo <= truth && truth <= d.Pct.Hi {
			held++
		}
		wide += (d.WholePct.Hi - d.WholePct.Lo) / 40
		narrow += (d.Pct.Hi - d.Pct.Lo) / 40
	}
	t.Logf("interval %.2f %% wide, by whole halves %.2f %%", narrow, wide)
	if held < 34 || narrow > 0.65*wide {
		t.Errorf("the truth is in %d of 40 intervals, which are %.2f %% wide, by whole halves %.2f %%", held, narrow, wide)
	}
}

// Between switching on and the loop a random part of the time passes.
func TestSettling(t *testing.T) {
	p := Default()
	m := newMachine(1, 100, 0, 0)
	l := m.loop(p)
	for _, part := range []float64{0, 0.5, 0.99} {
		l.chance = func() float64 { return part }
		h, err := l.half(m, true, 20e6)
		if err != nil {
			t.Fatal(err)
		}
		if passed, want := m.until-m.since-float64(h.wall), part*20e6; passed < want || passed > want+5e6 {
			t.Errorf("%.1f ms passed beside the loop, want %.1f", passed/1e6, want/1e6)
		}
	}
}

// quick is short enough for a test, on this machine.
func quick() Params {
	p := Default()
	p.Pairs, p.SourcePairs, p.HalfNS, p.SettleNS = 6, 6, 4e6, 10e6
	return p
}

func TestMeasureHere(t *testing.T) {
	p := quick()
	c, err := perf.NewCounters(perf.Open, kernel.Roots{Proc: "/proc", Sys: "/sys"}, []int{0}, 5e6)
	if err == nil {
		defer c.Close()
		p.Sources = []counter.Source{c}
	}
	r, err := Measure(context.Background(), perf.Open, p)
	if perf.IsForbidden(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.Pairs != 6 || r.Hz <= 0 || (r.Scope != "cpu" && r.Scope != "task") {
		t.Errorf("%+v", r)
	}
	if (r.Sources == nil) != (len(p.Sources) == 0) {
		t.Errorf("sources %+v", r.Sources)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	t.Log(r)
}

// Without permission for a whole CPU the own thread is measured.
func TestMeasureOwnTask(t *testing.T) {
	onlyOwn := func(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
		if pid == -1 {
			return -1, unix.EACCES
		}
		return perf.Open(a, pid, cpu, group, flags)
	}
	r, err := Measure(context.Background(), onlyOwn, quick())
	if perf.IsForbidden(err) {
		t.Skip(err)
	}
	if err != nil || r.Scope != "task" || r.Hz <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestMeasureRefuses(t *testing.T) {
	never := func(*unix.PerfEventAttr, int, int, int, int) (int, error) { return -1, unix.EACCES }
	if _, err := Measure(context.Background(), never, quick()); !perf.IsForbidden(err) {
		t.Errorf("forbidden: %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ended, perf.Open, quick()); !errors.Is(err, context.Canceled) && !perf.IsForbidden(err) {
		t.Errorf("cancelled: %v", err)
	}
	for name, change := range map[string]func(*Params){
		"pairs":  func(p *Params) { p.Pairs = 5 },
		"rate":   func(p *Params) { p.Hz = math.NaN() },
		"halves": func(p *Params) { p.HalfNS = 1 },
		"wild":   func(p *Params) { p.Wild = 1 },
		"cap":    func(p *Params) { p.Cap = 1 },
		"CPU":    func(p *Params) { p.CPU = 1000 },
	} {
		p := quick()
		change(&p)
		if _, err := Measure(context.Background(), perf.Open, p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The pinned thread is thrown away: the process may run where it could before.
func TestPinned(t *testing.T) {
	var before, inside, after unix.CPUSet
	unix.SchedGetaffinity(0, &before)
	if err := pinned(-1, func(cpu int) error {
		unix.SchedGetaffinity(0, &inside)
		if inside.Count() != 1 || !inside.IsSet(cpu) {
			t.Errorf("on CPU %d: %v", cpu, inside)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	unix.SchedGetaffinity(0, &after)
	if before != after {
		t.Error("the caller's thread was pinned")
	}
}
