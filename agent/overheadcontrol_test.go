package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"jobgait/agent/counter/address"
	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/agent/sampler"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/configs"
)

// realAgent is an agent with real timers, on a clock that the test sets.
func realAgent(t *testing.T, d *disk) (a *agent, now, cpu *int64) {
	t.Helper()
	h := host{proc: "/proc", sys: "/sys", open: perf.Open}
	c := configs.Default().Agent
	c.BudgetPct = 2
	in, err := openInputs(h, job.Run{Key: run.Key{JobID: 1 << 40}}, c, prices{interruptNS: 12e3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.close() })
	if len(in.slow) == 0 {
		in.slow = []int{len(in.sources) - 1}
	}
	a = newAgent(job.Run{}, in, func(error) {}) // readings of the present lie behind our clock
	a.writer = d
	if err := in.start(); err != nil {
		t.Fatal(err)
	}
	now, cpu = new(int64), new(int64)
	*now = rawcall.Now()
	a.clock = clock{mono: func() int64 { return *now }, real: func() int64 { return *now }, cpu: func() int64 {
		return *cpu
	}}
	a.initSampling(sampler.NewGrid(in.stepNS, *now))
	return a, now, cpu
}

// With a clock that makes the agent expensive, the address rate falls first, then slow sources are read less
// often, then no addresses are sampled; at last a note says that nothing more can be reduced. Each step is an
// epoch and a note.
func TestGivesUpInOrder(t *testing.T) {
	needPerf(t)
	d := &disk{}
	a, now, cpu := realAgent(t, d)
	began, every := a.in.rate.Hz, a.schedule.tasks[1].everyNS
	if began != 1000 {
		t.Fatalf("begins at %g Hz", began)
	}
	for range 40 {
		*now, *cpu = *now+6e9, *cpu+6e9/5 // a fifth of a CPU, whatever is reduced
		a.keepBudget(*now)
		a.writeBlocks(*now)
	}
	fallingRates(t, began, d.epochs)
	if a.in.rate.Hz != minAddressHz || !a.in.codeOff {
		t.Errorf("ends with %g Hz, switched off: %v", a.in.rate.Hz, a.in.codeOff)
	}
	if a.schedule.tasks[1].everyNS != slowFactor*every {
		t.Errorf("slow sources every %d ns, were every %d", a.schedule.tasks[1].everyNS, every)
	}
	tellsEachStep(t, a.footerNotes, d.epochs)
	// Back from an idle hour the addresses stay off.
	if err := errors.Join(a.in.stop(), a.in.start()); err != nil {
		t.Error(err)
	}
	before := a.totalAddressRecords()
	a.drain()
	if after := a.totalAddressRecords(); after != before {
		t.Errorf("%d records of addresses that were given up", after-before)
	}
}

// If starting is expensive compared with the budget, the address rate begins low and rises once, when the start
// is paid off. It stays low if something had to be reduced meanwhile.
func TestRateStartsLowAndRisesOnce(t *testing.T) {
	needPerf(t)
	for name, c := range map[string]struct {
		dear  bool
		rates []float64
	}{"as planned": {false, []float64{25, 100}}, "dear": {true, []float64{25, 0}}} {
		d := &disk{}
		a, now, cpu := realAgent(t, d)
		a.in.rate, a.in.startRate = address.ChooseRate(100, a.in.cpus, a.in.stepNS),
			address.ChooseRate(25, a.in.cpus, a.in.stepNS)
		usual := a.schedule.tasks[len(a.schedule.tasks)-1]
		a.beginAtLowRate()
		if slow := a.schedule.tasks[len(a.schedule.tasks)-1]; slow.strict || slow.everyNS != slowFactor*usual.everyNS {
			t.Errorf("%s: files are read every %d ns while starting, otherwise %d", name, slow.everyNS, usual.everyNS)
		}
		for range 12 {
			*now += 6e9
			if c.dear {
				*cpu += 6e9 / 5
			}
			a.keepBudget(*now)
			a.writeBlocks(*now)
		}
		if then, want := a.schedule.tasks[len(a.schedule.tasks)-1].everyNS, usual.everyNS; !c.dear && then != want ||
			c.dear && then != slowFactor*want {
			t.Errorf("%s: files are read every %d ns then, want %d", name, then, want)
		}
		var rates []float64
		for _, e := range d.epochs {
			if e.AddressHz != nil {
				rates = append(rates, *e.AddressHz)
			}
		}
		if !slices.Equal(rates, c.rates) {
			t.Errorf("%s: rates %v, want %v: %+v", name, rates, c.rates, d.epochs)
		}
		if has(a.footerNotes, note.AddressesEnded) != c.dear {
			t.Errorf("%s: notes %v", name, a.footerNotes)
		}
	}
}

// tellsEachStep fails unless the notes are those of the epochs, in their order and
// with what and when, and in the end word that nothing is left.
func tellsEachStep(t *testing.T, notes []note.Note, epochs []profile.Epoch) {
	t.Helper()
	if len(notes) != len(epochs)+1 || notes[len(notes)-1].Code != note.BudgetExceeded {
		t.Fatalf("%d epochs, notes %v", len(epochs), notes)
	}
	for i, e := range epochs {
		code := note.BudgetLowered
		if e.AddressHz != nil && *e.AddressHz == 0 {
			code = note.AddressesEnded
		}
		if n := notes[i]; n.Code != code || !strings.Contains(n.Text, e.Text) ||
			!strings.Contains(n.Text, " s after sampling began") {
			t.Errorf("epoch %+v, note %v", e, n)
		}
	}
}

// fallingRates fails unless the epochs lower the rate step by step, and end with
// slower files and with no addresses.
func fallingRates(t *testing.T, last float64, epochs []profile.Epoch) {
	t.Helper()
	n := len(epochs)
	if n < 4 || !strings.Contains(epochs[n-2].Text, "4 times less often") ||
		!strings.Contains(epochs[n-1].Text, "no longer sampled") {
		t.Fatalf("epochs %+v", epochs)
	}
	for i, e := range epochs {
		if e.Kind != "rate" || i > 0 && e.Slot <= epochs[i-1].Slot {
			t.Errorf("epoch %d: %+v", i, e)
		}
		if e.AddressHz == nil {
			continue
		}
		if *e.AddressHz >= last {
			t.Errorf("epoch %d: %g Hz after %g", i, *e.AddressHz, last)
		}
		last = *e.AddressHz
	}
	if last != 0 {
		t.Errorf("ends with %g Hz", last)
	}
}
