package main

import (
	"errors"
	"fmt"

	"jobgait/agent/counter/address"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// brake is what was already given up to keep within the budget. Nothing is
// given back: a rate that goes up and down would be one more rhythm. Addresses begin
// low and go up once.
type brake struct {
	slowed bool // the slow sources are read a fourth as often, for good
	told   bool // that there is nothing left
	// later is the rate of addresses once starting has been paid for; none where it is,
	// or has a small price beside the budget.
	later address.Rate
}

// leastHz is the lowest rate of code addresses that the brake goes down to, and that
// they begin with: with less, a period of a second has fewer than 25 samples of each
// CPU. Below there is nothing but to do without. slower is by how much the slow
// sources are slowed.
const (
	leastHz = 25
	slower  = 4
)

// beginLow samples fewer addresses, and reads files and the job's events less often,
// until starting has been paid for: in 12 s on two CPUs these readings took 18 ms of
// CPU time, of 120 allowed. The header has the rates of the long run.
func (a *agent) beginLow() {
	if a.in.code == nil || a.in.first.Hz == 0 || a.in.first.Hz >= a.in.rate.Hz {
		return
	}
	if err := a.in.code.SetRate(a.in.first); err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			a.log(err)
		}
		return
	}
	a.brake.later, a.in.rate = a.in.rate, a.in.first
	a.schedule.slow(slower)
	a.sampler.Changed(profile.Epoch{TimeNS: a.grid.BaseNS, Kind: "rate", AddressHz: &a.in.first.Hz, Text: fmt.Sprintf(
		"%g code addresses a second and CPU for the first %g s, and files are read %d times as seldom: starting has its "+
			"price too",
		a.in.first.Hz, startedNS/1e9, slower)})
}

// goUp samples as many addresses as were planned, once, unless something had to be
// given up meanwhile.
func (a *agent) goUp(now int64) {
	rate := a.brake.later
	if rate.Hz == 0 || now-a.grid.BaseNS < startedNS {
		return
	}
	a.paid()
	a.drainOne(a.in.codeAt()) // what was sampled up to now was at the old rate
	if err := a.in.code.SetRate(rate); err != nil {
		a.log(err)
		return
	}
	a.in.rate = rate
	a.changed(profile.Epoch{Kind: "rate", AddressHz: &rate.Hz,
		Text: fmt.Sprintf("%g code addresses a second and CPU, as planned", rate.Hz)})
}

// paid ends what starting had made slower, but what was slowed for good.
func (a *agent) paid() {
	if a.brake.later.Hz > 0 && !a.brake.slowed {
		a.schedule.quicken(slower)
	}
	a.brake.later = address.Rate{}
}

// keepBudget looks at what sampling has cost, and gives something up before it
// costs more than its share.
func (a *agent) keepBudget(now int64) {
	if a.rhythm.asking() {
		return // what it costs is not known yet
	}
	save, addresses := a.meter.look(now, a.clock.cpu()-a.rhythm.unpaidNS(now), a.records(), a.addressRecords())
	if save > 0 {
		a.paid()
		a.slowDown(now, save, addresses)
	}
	a.goUp(now)
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
		a.lowered(now, note.BudgetLowered,
			profile.Epoch{Text: fmt.Sprintf("what is read from files is read %d times as seldom", slower)})
	case coded:
		a.in.codeOff = true
		if err := a.in.code.Stop(); err != nil {
			a.log(err)
		}
		none := 0.0
		a.lowered(now, note.AddressesEnded, profile.Epoch{AddressHz: &none, Text: "no code addresses any more"})
	case !a.brake.told:
		a.brake.told = true
		a.during = append(a.during, note.New(note.BudgetExceeded,
			"%.1f s after sampling began it cost more than its %s of each CPU, and there was nothing left to leave out",
			a.since(now), quantity.Chosen(a.in.limitPct)))
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
	a.lowered(now, note.BudgetLowered,
		profile.Epoch{AddressHz: &rate.Hz, Text: fmt.Sprintf("%g code addresses a second and CPU from here on", rate.Hz)})
	return true
}

// lowered stores what was given up: an epoch and a note each time. There are few:
// each step takes a tenth of the rate at least.
func (a *agent) lowered(now int64, code note.Code, e profile.Epoch) {
	e.Kind = "rate"
	a.changed(e)
	a.during = append(a.during, note.New(code,
		"%.1f s after sampling began it came near its share, %s of each CPU; from then on: %s",
		a.since(now), quantity.Chosen(a.in.limitPct), e.Text))
}

// since is the time since sampling began, in seconds.
func (a *agent) since(now int64) float64 { return float64(now-a.grid.BaseNS) / 1e9 }
