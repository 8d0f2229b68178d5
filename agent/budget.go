package main

import (
	"math"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/jobevent"
	"jobgait/agent/counter/kernel"
)

// prices are what sampling costs the CPUs of a node.
type prices struct {
	cpus int
	// interruptNS is what one record is taken to cost the CPU that it interrupts.
	interruptNS float64
}

// pct is what CPU time of our own and a number of records cost, in percent of
// every CPU.
func (p prices) pct(cpuNS, records, wallNS float64) float64 {
	if wallNS <= 0 || p.cpus <= 0 {
		return 0
	}
	return 100 * (cpuNS + records*p.interruptNS) / (wallNS * float64(p.cpus))
}

// timerPct is what a timer of a rate on every CPU costs.
func (p prices) timerPct(hz float64) float64 { return 100 * hz * p.interruptNS / 1e9 }

// What the agent itself is taken to need until it has measured it: 1.5 ms a
// second and half a microsecond a record (measured on 2 CPUs in a virtual
// machine: 1.2 ms/s with 400 counter records and 2000 addresses a second).
const (
	ownNS       = 1.5e6
	ownRecordNS = 500
)

// planned is the part of the budget that is given out before anything is
// measured; warning is where rates are lowered, and target what is then aimed
// at.
const (
	planned = 0.9
	warning = 0.9
	target  = 0.75
)

// What starting costs, and what the first looks at the job do: 15 to 30 ms of CPU
// time in a virtual machine. A run of shortNS is to keep within its budget with that,
// so addresses begin at what is left beside it and go up once, to what is left in the
// long run, when startedNS have passed.
const (
	startNS   = 25e6
	shortNS   = 12e9
	startedNS = 30e9
)

// firstHz is the rate of addresses to begin with, where there is room for roomHz and
// hz are sampled in the long run; 0 where that is about the same.
func (p prices) firstHz(roomHz, hz float64) float64 {
	start := p.pct(startNS, 0, shortNS) / p.pct(ownRecordNS*float64(p.cpus), float64(p.cpus), 1e9)
	if first := max(leastHz, roomHz-start); first < 0.75*hz {
		return first
	}
	return 0
}

// counterHz is how often the counters' groups may be sampled: the rate wished,
// or a half, fourth, tenth.. of it, so that they take 60 % of the budget at the
// most. The grid goes with it.
func (p prices) counterHz(limitPct float64, wishedHz int) int {
	for _, n := range []int{1, 2, 4, 5, 10} {
		if hz := wishedHz / n; wishedHz%n == 0 && p.timerPct(float64(hz)) <= 0.6*limitPct {
			return hz
		}
	}
	return max(1, wishedHz/10)
}

// readNS is our own CPU time of one wake-up with a reading, beside its
// interrupts: each of them is waited for, so that it costs both sides. To wake
// takes 50 to 90 us in a virtual machine, the more the busier it is (package
// rawcall; 140 to 290 with timers of Go's), and a reading 2 to 9.
const readNS = 100e3

// readPct returns what readings of the job's own events cost, each with the given number of interrupts.
func (p prices) readPct(hz float64, interrupts int) float64 {
	return p.pct(hz*(readNS+float64(interrupts)*p.interruptNS), hz*float64(interrupts), 1e9)
}

// readHz is how often they may be read: up to 50 times a second, where a fifth of
// the budget has room for it.
func (p prices) readHz(limitPct float64, interrupts int) float64 {
	return max(leastReadHz, min(0.2*limitPct/p.readPct(1, interrupts), jobevent.Rate(interrupts)))
}

// leastReadHz is the slowest reading of the job's events.
const leastReadHz = 5

// addressHz is what is left for code addresses beside timers of countersHz and
// readings.
func (p prices) addressHz(limitPct, countersHz, readPct float64) float64 {
	cpus := float64(max(1, p.cpus))
	left := planned*limitPct - p.timerPct(countersHz) - readPct - 100*(ownNS/1e9+countersHz*cpus*ownRecordNS/1e9)/cpus
	return max(0, left/(100*(p.interruptNS+ownRecordNS)/1e9))
}

// meter watches the real cost. It keeps a mean in which what was a minute ago
// counts little, so that a moment's burst (a program that starts a thousand
// others) costs no samples for the rest of a day, and yet no minute exceeds the
// share by much.
type meter struct {
	prices
	limitPct float64
	mean     float64
	// At the last look.
	at                          int64
	cpuNS, records, ofAddresses int64
}

const (
	lookNS = 5e9  // between two looks, at least
	meanNS = 30e9 // of the mean
)

// newMeter begins in the middle: nothing is known yet.
func newMeter(p prices, limitPct float64) meter {
	return meter{prices: p, limitPct: limitPct, mean: target * limitPct}
}

// reset restarts the measurement at these counts and ignores everything before.
func (m *meter) reset(now, cpuNS, records, ofAddresses int64) {
	m.at, m.cpuNS, m.records, m.ofAddresses = now, cpuNS, records, ofAddresses
}

// look takes the counts so far. When the mean comes near the share it returns by
// how many percent points the cost has to fall, and what addresses cost now.
func (m *meter) look(now, cpuNS, records, ofAddresses int64) (savePct, addressPct float64) {
	wall := float64(now - m.at)
	if wall < lookNS {
		return 0, 0
	}
	timed := float64(ofAddresses - m.ofAddresses)
	cost := m.pct(float64(cpuNS-m.cpuNS), float64(records-m.records), wall)
	addressPct = m.pct(timed*ownRecordNS, timed, wall)
	m.reset(now, cpuNS, records, ofAddresses)
	m.mean += (cost - m.mean) * (1 - math.Exp(-wall/meanNS))
	if m.mean <= warning*m.limitPct {
		return 0, addressPct
	}
	savePct = max(m.mean, cost) - target*m.limitPct
	m.mean = target * m.limitPct // that it will be
	return savePct, addressPct
}

// What an interrupt with its record is taken to cost: 11 to 17 us in a virtual
// machine (the benchmarks of selfcheck measure it), 1 to 2.5 us by estimate on bare metal.
const (
	assumedVirtualNS = 12_000
	assumedMetalNS   = 3_000
)

// nodePrices are those of a machine of this kind.
func nodePrices(h host) prices {
	if kernel.Virtual(h.proc, h.sys) {
		return prices{interruptNS: assumedVirtualNS}
	}
	return prices{interruptNS: assumedMetalNS}
}

// release is the kernel's.
func release() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
