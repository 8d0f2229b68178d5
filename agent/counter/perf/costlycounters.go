package perf

import (
	"slices"
	"strings"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
)

// A tracepoint costs the job time at every call: reads and writes of one byte took 266 ns instead of 162 ns
// while system calls were counted (dd, 4 million calls, four alternating runs). In the long run it may cost a
// thousandth of a CPU's time, which is 10,000 calls a second; a burst of 100,000 calls, as of a starting
// program, is allowed.
const (
	callNS      = 100
	callShare   = 1000
	callBurstNS = 10e6
)

// tracepointCost tracks the CPU time that a lane's tracepoints cost. debtNS is the cost beyond the allowed
// share; chargedNS is the time of the last charge.
type tracepointCost struct {
	calls     []uint64 // by tracepoint
	chargedNS int64
	debtNS    int64 // ns
}

// charge adds the cost of a lane's calls up to the time now. If the cost exceeds the allowance, it returns
// the column with most calls, else -1. totals[from:] are the tracepoints. The first call only notes the
// totals and returns -1.
func (p *tracepointCost) charge(now int64, totals []uint64, from int) int {
	if p.chargedNS == 0 {
		p.chargedNS, p.calls = now, append([]uint64{}, totals[from:]...)
		return -1
	}
	var maxGrowth uint64
	worst := -1
	p.debtNS -= (now - p.chargedNS) / callShare
	p.chargedNS = now
	for i, v := range totals[from:] {
		d := v - p.calls[i]
		p.debtNS += int64(d * callNS)
		if p.calls[i] = v; d > maxGrowth {
			maxGrowth, worst = d, from+i
		}
	}
	if p.debtNS = max(p.debtNS, 0); p.debtNS <= callBurstNS {
		return -1
	}
	return worst
}

// dropCostlyTracepoints closes, on all CPUs, a tracepoint that costs some CPU too much, and those after it.
// Their columns stay and stand still; Ran reports that nothing was counted.
func (c *Counters) dropCostlyTracepoints(to counter.Sink) {
	from := 0
	for from < c.keptEvents && !c.events[from].tracepoint() {
		from++
	}
	if from == c.keptEvents {
		return
	}
	worst := -1
	for _, l := range c.lanes {
		if l.group == nil {
			continue
		}
		if w := l.cost.charge(l.drainedNS, l.total[:c.keptEvents], from); w >= 0 {
			worst = w
		}
	}
	if worst < 0 {
		return
	}
	var names []string
	for _, e := range c.events[worst:c.keptEvents] {
		names = append(names, e.Kernel)
	}
	c.keptEvents = worst
	for _, l := range c.lanes {
		if l.group != nil {
			l.group.dropFrom(worst)
		}
		l.cost = tracepointCost{}
	}
	text := names[0] + " happened so often that counting it cost more than 0.1 % of a CPU; not counted from here on: " +
		strings.Join(names, ", ")
	to.Changed(profile.Epoch{Kind: "rate", TimeNS: c.k.now(), Text: text})
	c.noteOnce(note.CountShed, "%s", text)
}

// starvedNS is how long a group may wait for the PMU, in ns. While it waits, its timer writes no records and
// software events are not counted either.
const starvedNS = 3e9

// dropStarvedHardware reopens all groups without hardware events if other users hold the PMU's counters for
// longer than starvedNS: a group runs as a whole or not at all.
func (c *Counters) dropStarvedHardware(to counter.Sink) {
	starved := func(l *lane) bool { return l.group != nil && l.starvedNS > starvedNS }
	if c.noHardware || !slices.ContainsFunc(c.lanes, starved) {
		return
	}
	c.noHardware = true
	var closed []*lane
	for _, l := range c.lanes {
		if l.group != nil {
			l.group.close()
			l.group = nil
			closed = append(closed, l)
		}
	}
	c.reopen(closed)
	const text = "others hold the PMU: instructions, cycles and cache misses are not counted from here on"
	to.Changed(profile.Epoch{Kind: "rate", TimeNS: c.k.now(), Text: text})
	c.noteOnce(note.CountShed, text)
}
