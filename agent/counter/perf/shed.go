package perf

import (
	"slices"
	"strings"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
)

// A tracepoint costs the job at every call: reads and writes of one byte took
// 266 ns each instead of 162 while system calls were counted (dd, 4 million of
// them, four runs in turns). What it may cost in the long run is a thousandth of
// a CPU's time, that is 10,000 calls a second; a program that starts may do
// 100,000 at once.
const (
	callNS      = 100
	callShare   = 1000
	callBurstNS = 10e6
)

// payment is what a lane's tracepoints have cost.
type payment struct {
	calls []uint64 // by tracepoint
	until int64
	debt  int64 // ns
}

// charge adds what a lane's calls cost until a time, and returns the column
// that cost most when it is too much, else -1.
func (p *payment) charge(now int64, totals []uint64, from int) int {
	if p.until == 0 {
		p.until, p.calls = now, append([]uint64{}, totals[from:]...)
		return -1
	}
	var most uint64
	worst := -1
	p.debt -= (now - p.until) / callShare
	p.until = now
	for i, v := range totals[from:] {
		d := v - p.calls[i]
		p.debt += int64(d * callNS)
		if p.calls[i] = v; d > most {
			most, worst = d, from+i
		}
	}
	if p.debt = max(p.debt, 0); p.debt <= callBurstNS {
		return -1
	}
	return worst
}

// shed gives up the tracepoints that cost some CPU too much, on all CPUs. Their
// columns stay, and stand still: Ran tells that nothing was counted.
func (c *Counters) shed(to counter.Sink) {
	from := 0
	for from < c.kept && !c.events[from].tracepoint() {
		from++
	}
	if from == c.kept {
		return
	}
	worst := -1
	for _, l := range c.lanes {
		if l.g == nil {
			continue
		}
		if w := l.paid.charge(l.seen, l.total[:c.kept], from); w >= 0 {
			worst = w
		}
	}
	if worst < 0 {
		return
	}
	var names []string
	for _, e := range c.events[worst:c.kept] {
		names = append(names, e.Kernel)
	}
	c.kept = worst
	for _, l := range c.lanes {
		if l.g != nil {
			l.g.shed(worst)
		}
		l.paid = payment{}
	}
	text := names[0] + " happened so often that counting it cost more than 0.1 % of a CPU; not counted from here on: " +
		strings.Join(names, ", ")
	to.Changed(profile.Epoch{Kind: "rate", TimeNS: c.k.now(), Text: text})
	c.remark(note.CountShed, "%s", text)
}

// starvedNS is how long a group may wait for the PMU. While it waits its timer
// gives no records, and software events are not counted either.
const starvedNS = 3e9

// unstarve gives up the hardware events, on all CPUs, when others hold the PMU
// and do not let go: a group runs as a whole or not at all.
func (c *Counters) unstarve(to counter.Sink) {
	starved := func(l *lane) bool { return l.g != nil && l.starvedNS > starvedNS }
	if c.noHardware || !slices.ContainsFunc(c.lanes, starved) {
		return
	}
	c.noHardware = true
	var closed []*lane
	for _, l := range c.lanes {
		if l.g != nil {
			l.g.close()
			l.g = nil
			closed = append(closed, l)
		}
	}
	c.reopen(closed)
	const text = "others hold the PMU: instructions, cycles and cache misses are not counted from here on"
	to.Changed(profile.Epoch{Kind: "rate", TimeNS: c.k.now(), Text: text})
	c.remark(note.CountShed, text)
}
