package main

import (
	"errors"
	"fmt"

	"jobgait/agent/counter/address"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
)

// brake is what was already given up to keep within the budget. Nothing is
// given back: a rate that goes up and down would be one more rhythm.
type brake struct {
	slowed bool // the slow sources are read a fourth as often
	told   bool // that there is nothing left
}

// leastHz is the lowest rate of code addresses that is worth its cost: with
// less, a period of 0.1 s has fewer than ten samples. slower is by how much the
// slow sources are slowed.
const (
	leastHz = 100
	slower  = 4
)

// keepBudget looks at what sampling has cost, and gives something up before it
// costs more than its share.
func (a *agent) keepBudget(now int64) {
	save, addresses := a.meter.look(now, a.clock.cpu(), a.records(), a.addressRecords(), a.in.rate.Hz)
	if save > 0 {
		a.slowDown(now, save, addresses)
	}
}

func (a *agent) records() (n int64) {
	for i := range a.in.sources {
		n += a.sampler.Track(i).Records()
	}
	return n
}

func (a *agent) addressRecords() int64 {
	if i := a.in.codeAt(); i >= 0 {
		return a.sampler.Track(i).Records()
	}
	return 0
}

// slowDown takes one step: fewer addresses, then the slow sources, then no
// addresses, then word that it cannot.
func (a *agent) slowDown(now int64, save, addresses float64) {
	coded := a.in.code != nil && !a.in.codeOff
	switch {
	case coded && a.in.rate.Hz > leastHz && a.fewerAddresses(now, save, addresses):
	case !a.brake.slowed && len(a.in.slow) > 0:
		a.brake.slowed = true
		a.schedule.slow(slower)
		a.lowered(now, profile.Epoch{Text: fmt.Sprintf("what is read from files is read %d times as seldom", slower)})
	case coded:
		a.in.codeOff = true
		if err := a.in.code.Stop(); err != nil {
			a.log(err)
		}
		none := 0.0
		a.lowered(now, profile.Epoch{AddressHz: &none, Text: "no code addresses any more"})
	case !a.brake.told:
		a.brake.told = true
		a.during = append(a.during, note.New(note.BudgetExceeded,
			"sampling costs more than its %g %% of each CPU, and there is nothing left to leave out", a.in.limitPct))
	}
}

// fewerAddresses lowers the rate of addresses by as much as is to be saved, but
// not below leastHz. It is false when the rate cannot be changed.
func (a *agent) fewerAddresses(now int64, save, addresses float64) bool {
	wanted := a.in.rate.Hz / 2
	if addresses > 0 {
		wanted = a.in.rate.Hz * (1 - save/addresses)
	}
	rate := address.ChooseRate(max(leastHz, int(min(wanted, 0.9*a.in.rate.Hz))), a.in.cpus, a.in.stepNS)
	if rate.Hz >= a.in.rate.Hz {
		return false
	}
	// What was sampled up to now was at the old rate.
	a.drainOne(a.in.codeAt())
	if err := a.in.code.SetRate(rate); err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			a.log(err)
		}
		return false
	}
	a.in.rate = rate
	a.lowered(now, profile.Epoch{AddressHz: &rate.Hz, Text: fmt.Sprintf("%g code addresses a second and CPU from here on", rate.Hz)})
	return true
}

// lowered stores what was given up: an epoch each time, one note in all.
func (a *agent) lowered(now int64, e profile.Epoch) {
	e.Kind = "rate"
	a.changed(e)
	for _, n := range a.during {
		if n.Code == note.BudgetLowered {
			return
		}
	}
	a.during = append(a.during, note.New(note.BudgetLowered, "%.1f s after sampling began it came near its share, %g %% of each CPU; from then on: %s",
		float64(now-a.grid.BaseNS)/1e9, a.in.limitPct, e.Text))
}
