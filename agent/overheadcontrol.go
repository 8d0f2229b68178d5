package main

import (
	"errors"
	"fmt"

	"jobgait/agent/counter/address"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// overheadControl measures the cost of sampling and records which sampling was reduced to keep within the
// budget. Reductions are permanent, because a rate that goes up and down would add a rhythm to the data; only the
// low start rate of addresses is raised, once.
type overheadControl struct {
	meter       overheadMeter
	filesSlowed bool // the file sources are read a fourth as often, permanently
	exhausted   bool // nothing is left to reduce, and a note says so
	// plannedRate is the rate of addresses after the start phase; zero if the start phase is over or needs no
	// lower rate.
	plannedRate address.Rate
}

// minAddressHz is the lowest rate of code addresses: with less, a period of a second has fewer than 25 samples
// of each CPU. The next reduction stops them. slowFactor is by how much the intervals of the file sources grow.
const (
	minAddressHz = 25
	slowFactor   = 4
)

// beginAtLowRate lowers the rates of addresses, files and job events for the first startPhaseNS, in which the
// cost of starting weighs most: in 12 s on two CPUs these readings took 18 ms of the 120 ms of CPU time
// allowed. The header has the planned rates. It changes nothing if no lower start rate was chosen, or if the rate of
// addresses cannot be changed.
func (a *agent) beginAtLowRate() {
	if a.in.code == nil || a.in.startRate.Hz == 0 || a.in.startRate.Hz >= a.in.rate.Hz {
		return
	}
	if err := a.in.code.SetRate(a.in.startRate); err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			a.log(err)
		}
		return
	}
	a.overhead.plannedRate, a.in.rate = a.in.rate, a.in.startRate
	a.schedule.slowDown(slowFactor)
	a.sampler.Changed(profile.Epoch{TimeNS: a.grid.BaseNS, Kind: "rate", AddressHz: &a.in.startRate.Hz, Text: fmt.Sprintf(
		"%g code addresses a second and CPU for the first %g s, and files are read %d times less often: starting has its "+
			"price too",
		a.in.startRate.Hz, startPhaseNS/1e9, slowFactor)})
}

// raiseToPlannedRate raises the rate of addresses to the planned one after startPhaseNS, once, unless a
// reduction happened meanwhile.
func (a *agent) raiseToPlannedRate(now int64) {
	rate := a.overhead.plannedRate
	if rate.Hz == 0 || now-a.grid.BaseNS < startPhaseNS {
		return
	}
	a.endStartPhase()
	a.drainOne(a.in.codeIndex()) // what was sampled up to now was at the old rate
	if err := a.in.code.SetRate(rate); err != nil {
		a.log(err)
		return
	}
	a.in.rate = rate
	a.recordEpoch(profile.Epoch{Kind: "rate", AddressHz: &rate.Hz,
		Text: fmt.Sprintf("%g code addresses a second and CPU, as planned", rate.Hz)})
}

// endStartPhase restores the intervals that beginAtLowRate had lengthened, unless a reduction keeps them, and
// forgets the planned rate.
func (a *agent) endStartPhase() {
	if a.overhead.plannedRate.Hz > 0 && !a.overhead.filesSlowed {
		a.schedule.speedUp(slowFactor)
	}
	a.overhead.plannedRate = address.Rate{}
}

// keepBudget measures the cost of sampling and reduces sampling before the cost exceeds the budget. It also
// raises the rate of addresses to the planned one after the start phase. It does nothing while a detection
// runs.
func (a *agent) keepBudget(now int64) {
	if a.rhythm.detecting() {
		return // what it costs is not known yet
	}
	save, addresses := a.overhead.meter.update(now, a.clock.cpu()-a.rhythm.unpaidNS(now), a.records(len(a.in.sources)),
		a.totalAddressRecords())
	if save > 0 {
		a.endStartPhase()
		a.reduceCost(now, save, addresses)
	}
	a.raiseToPlannedRate(now)
}

// totalAddressRecords returns the number of records of code addresses delivered so far.
func (a *agent) totalAddressRecords() int64 {
	if i := a.in.codeIndex(); i >= 0 {
		return a.sampler.Track(i).Records()
	}
	return 0
}

// reduceCost makes the next reduction: a lower rate of addresses, then slower file sources, then no addresses,
// then a note that nothing is left. save and addresses are in percent of each CPU.
func (a *agent) reduceCost(now int64, save, addresses float64) {
	coded := a.in.code != nil && !a.in.codeOff
	switch {
	case coded && a.in.rate.Hz > minAddressHz && a.fewerAddresses(now, save, addresses):
	case !a.overhead.filesSlowed && len(a.in.slow) > 0:
		a.overhead.filesSlowed = true
		a.schedule.slowDown(slowFactor)
		a.recordReduction(now, note.BudgetLowered,
			profile.Epoch{Text: fmt.Sprintf("files are read %d times less often", slowFactor)})
	case coded:
		a.in.codeOff = true
		if err := a.in.code.Stop(); err != nil {
			a.log(err)
		}
		none := 0.0
		a.recordReduction(now, note.AddressesEnded, profile.Epoch{AddressHz: &none, Text: "code is no longer sampled"})
	case !a.overhead.exhausted:
		a.overhead.exhausted = true
		a.footerNotes = append(a.footerNotes, note.New(note.BudgetExceeded,
			"%.1f s after sampling began, its overhead exceeded %s of each CPU: sampling went on, nothing more could be left "+
				"out",
			a.secondsSampled(now), quantity.Chosen(a.in.limitPct)))
	}
}

// fewerAddresses lowers the sampling rate of code addresses at time now so that sampling costs less by save,
// but not below minAddressHz. addresses is the present cost of code addresses; both are in percent of each CPU.
// If addresses is 0, it halves the rate. It returns false if the rate cannot be lowered.
func (a *agent) fewerAddresses(now int64, save, addresses float64) bool {
	wanted := a.in.rate.Hz / 2
	if addresses > 0 {
		wanted = a.in.rate.Hz * (1 - save/addresses)
	}
	rate := address.ChooseRate(max(minAddressHz, int(min(wanted, 0.9*a.in.rate.Hz))), a.in.cpus, a.in.stepNS)
	if rate.Hz >= a.in.rate.Hz {
		return false
	}
	// What was sampled up to now was at the old rate.
	a.drainOne(a.in.codeIndex())
	if err := a.in.code.SetRate(rate); err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			a.log(err)
		}
		return false
	}
	a.in.rate = rate
	a.recordReduction(now, note.BudgetLowered,
		profile.Epoch{AddressHz: &rate.Hz, Text: fmt.Sprintf("%g code addresses a second and CPU from here on", rate.Hz)})
	return true
}

// recordReduction stores a reduction as an epoch of the profile and as a note. There are few, because each
// lowers the rate by at least a tenth.
func (a *agent) recordReduction(now int64, code note.Code, e profile.Epoch) {
	e.Kind = "rate"
	a.recordEpoch(e)
	a.footerNotes = append(a.footerNotes, note.New(code,
		"%.1f s after sampling began, its overhead came near %s of each CPU; from then on: %s",
		a.secondsSampled(now), quantity.Chosen(a.in.limitPct), e.Text))
}
