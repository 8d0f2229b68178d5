package main

import (
	"math"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/jobevent"
	"jobgait/agent/counter/kernel"
)

// prices are the costs of sampling on a node, in CPU time.
type prices struct {
	cpus int
	// interruptNS is the assumed cost, in ns, of one record for the CPU that it interrupts.
	interruptNS float64
}

// budget is the share of each CPU, in percent, that sampling may cost, and the prices that it is planned with.
type budget struct {
	prices   prices
	limitPct float64
}

// percentOfCPUs returns the cost of the agent's CPU time cpuNS and of a number of records within wallNS, in
// percent of all CPUs.
func (p prices) percentOfCPUs(cpuNS, records, wallNS float64) float64 {
	if wallNS <= 0 || p.cpus <= 0 {
		return 0
	}
	return 100 * (cpuNS + records*p.interruptNS) / (wallNS * float64(p.cpus))
}

// timerPct returns the cost, in percent of each CPU, of a sampling timer of hz on every CPU.
func (p prices) timerPct(hz float64) float64 { return 100 * hz * p.interruptNS / 1e9 }

// The assumed cost of the agent itself before it is measured: 1.5 ms of CPU time a second and 0.5 us a record.
// (Measured on 2 CPUs in a virtual machine: 1.2 ms/s with 400 counter records and 2000 addresses a second.)
const (
	assumedOwnNS    = 1.5e6
	assumedRecordNS = 500
)

// Shares of the budget: plannedShare is distributed before anything is measured, above warningShare rates are
// lowered, and targetShare is the cost that lowering aims at.
const (
	plannedShare = 0.9
	warningShare = 0.9
	targetShare  = 0.75
)

// assumedStartNS is the CPU time for starting and for the first readings of the job (15 to 30 ms in a virtual
// machine). A run of shortRunNS should keep its budget in spite of it, so addresses begin at a lower rate,
// which is raised to the planned one after startPhaseNS.
const (
	assumedStartNS = 25e6
	shortRunNS     = 12e9
	startPhaseNS   = 30e9
)

// startAddressHz returns the rate of addresses for the start phase: roomHz, for which the budget has room, less what
// the cost of starting takes from it over a run of shortRunNS, but at least minAddressHz. It returns 0, for no lower
// rate, unless that is below three quarters of hz, the planned rate.
func (p prices) startAddressHz(roomHz, hz float64) float64 {
	start := p.percentOfCPUs(assumedStartNS, 0, shortRunNS) / p.percentOfCPUs(assumedRecordNS*float64(p.cpus),
		float64(p.cpus), 1e9)
	if first := max(minAddressHz, roomHz-start); first < 0.75*hz {
		return first
	}
	return 0
}

// counterHz returns the rate at which counter groups are sampled: wishedHz, or a half, fourth, fifth or tenth
// of it, so that they take at most 60 % of the budget. If even a tenth costs more, it returns a tenth, at least
// 1. The step of the grid follows from the rate.
func (p prices) counterHz(limitPct float64, wishedHz int) int {
	for _, n := range []int{1, 2, 4, 5, 10} {
		if hz := wishedHz / n; wishedHz%n == 0 && p.timerPct(float64(hz)) <= 0.6*limitPct {
			return hz
		}
	}
	return max(1, wishedHz/10)
}

// assumedReadNS is the agent's CPU time for one wake-up with a reading, without the interrupts of the reading,
// which cost both the agent and the interrupted CPU. A wake-up takes 50 to 90 us in a virtual machine (package
// rawcall; 140 to 290 us with Go's timers), a reading 2 to 9 us.
const assumedReadNS = 100e3

// readPct returns the cost, in percent of all CPUs, of hz readings a second of the job's own events, each with the
// given number of interrupts.
func (p prices) readPct(hz float64, interrupts int) float64 {
	return p.percentOfCPUs(hz*(assumedReadNS+float64(interrupts)*p.interruptNS), hz*float64(interrupts), 1e9)
}

// readHz returns how many times a second the job's own events may be read, if each reading causes this number
// of interrupts: as often as a fifth of the budget allows, at most jobevent.Rate, at least minReadHz.
func (p prices) readHz(limitPct float64, interrupts int) float64 {
	return max(minReadHz, min(0.2*limitPct/p.readPct(1, interrupts), jobevent.Rate(interrupts)))
}

// minReadHz is the lowest rate at which the job's own events are read.
const minReadHz = 5

// addressHz returns the rate of code addresses, per second and CPU, for which the budget has room beside
// counter timers of countersHz and readings that cost readPct.
func (p prices) addressHz(limitPct, countersHz, readPct float64) float64 {
	cpus := float64(max(1, p.cpus))
	left := plannedShare*limitPct - p.timerPct(countersHz) - readPct - 100*(assumedOwnNS/1e9+
		countersHz*cpus*assumedRecordNS/1e9)/cpus
	return max(0, left/(100*(p.interruptNS+assumedRecordNS)/1e9))
}

// overheadMeter measures the real cost of sampling. It keeps an exponential mean over some 30 s, so that a
// short burst (a program that starts a thousand others) does not reduce sampling permanently, while no minute
// exceeds the budget by much.
type overheadMeter struct {
	prices
	limitPct float64
	meanPct  float64
	// The time and the counts at the last update.
	updatedNS                      int64
	cpuNS, records, addressRecords int64
}

const (
	minUpdateNS  = 5e9  // minimum time between two updates
	meanWindowNS = 30e9 // time constant of the mean
)

// newOverheadMeter returns a meter whose mean begins at targetShare of the limit, since nothing is measured
// yet.
func newOverheadMeter(p prices, limitPct float64) overheadMeter {
	return overheadMeter{prices: p, limitPct: limitPct, meanPct: targetShare * limitPct}
}

// reset restarts the measurement at these counts and ignores everything before.
func (m *overheadMeter) reset(now, cpuNS, records, ofAddresses int64) {
	m.updatedNS, m.cpuNS, m.records, m.addressRecords = now, cpuNS, records, ofAddresses
}

// update adds the counts so far to the mean, at most every minUpdateNS. If the mean exceeds warningShare of the
// limit, savePct is by how many percentage points the cost has to fall, else 0. addressPct is the present cost
// of addresses; both are 0 if the last update was less than minUpdateNS ago. A call that returns a savePct sets
// the mean to the target, because it assumes that the caller reduces the cost.
func (m *overheadMeter) update(now, cpuNS, records, ofAddresses int64) (savePct, addressPct float64) {
	wall := float64(now - m.updatedNS)
	if wall < minUpdateNS {
		return 0, 0
	}
	timed := float64(ofAddresses - m.addressRecords)
	cost := m.percentOfCPUs(float64(cpuNS-m.cpuNS), float64(records-m.records), wall)
	addressPct = m.percentOfCPUs(timed*assumedRecordNS, timed, wall)
	m.reset(now, cpuNS, records, ofAddresses)
	m.meanPct += (cost - m.meanPct) * (1 - math.Exp(-wall/meanWindowNS))
	if m.meanPct <= warningShare*m.limitPct {
		return 0, addressPct
	}
	savePct = max(m.meanPct, cost) - targetShare*m.limitPct
	m.meanPct = targetShare * m.limitPct // assume that the reduction succeeds
	return savePct, addressPct
}

// The assumed cost of an interrupt with its record: it is 11 to 17 us in a virtual machine (measured by the
// benchmarks of selfcheck) and an estimated 1 to 2.5 us on bare metal.
const (
	assumedVirtualNS = 12_000
	assumedMetalNS   = 3_000
)

// assumedPrices returns the assumed interrupt cost for a virtual machine or bare metal, whichever the host is.
func assumedPrices(h host) prices {
	if kernel.Virtual(h.proc, h.sys) {
		return prices{interruptNS: assumedVirtualNS}
	}
	return prices{interruptNS: assumedMetalNS}
}

// kernelRelease returns the release of the running kernel, "" if unknown.
func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
