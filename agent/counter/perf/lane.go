package perf

import (
	"errors"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/analysis/note"
)

// lane is a CPU with all that was counted on it, also by groups that are gone.
type lane struct {
	cpu   int
	g     *group   // nil while the CPU is offline
	total []uint64 // by column, scaled for multiplexing
	began int64    // when the group was enabled, until that was handed over
	// alive is when the group was last seen to run, ran the times up to which Ran was called.
	alive, ran Sample
	starvedNS  uint64 // for how long it was to count, and did not
	paid       payment
	seen       int64 // when it was last drained
}

// open opens a lane's group with its ring, disabled.
func (c *Counters) open(l *lane) error {
	core := c.machine.core(l.cpu)
	if c.noHardware {
		core = -1
	}
	g, err := openGroup(c.k, l.cpu, c.periodNS, members(c.events[:c.kept], c.machine, core))
	if err != nil {
		return err
	}
	if err := g.mapRing(c.pages); err != nil {
		g.close()
		return err
	}
	l.g, l.ran, l.starvedNS = g, Sample{}, 0
	return nil
}

// pass is one drain of one lane.
type pass struct {
	*lane
	number   int
	to       counter.Sink
	periodNS int64
	asked    reading
	// given is set when it is too late for the requested reading.
	given, multiplexed bool
	drained            int64
}

// drain hands over what a lane has. An offline CPU counts nothing, and its
// totals stand: the sum over all CPUs goes on.
func (c *Counters) drain(i int, l *lane, to counter.Sink) error {
	if l.g == nil {
		to.Read(i, c.k.now(), l.total)
		return nil
	}
	asked, err := l.g.read()
	if err != nil {
		// follow opens it again. No slot is complete before all lanes have a reading: without this one nothing would
		// be written.
		err = errors.Join(err, l.g.close())
		l.g = nil
		to.Read(i, c.k.now(), l.total)
		return err
	}
	l.seen = asked.TimeNS
	c.baseline(i, l, to)
	p := pass{lane: l, number: i, to: to, periodNS: c.periodNS, asked: asked}
	err = l.g.ring.Drain(p.take)
	p.give()
	to.Drained(p.drained)
	c.account(l, asked.Sample, p.multiplexed)
	return err
}

// take processes a record. The requested reading belongs before the first record whose group had been enabled
// for longer.
func (p *pass) take(h Header, body []byte) {
	p.drained++
	if h.Type != unix.PERF_RECORD_SAMPLE {
		p.to.Lost(Lost(h, body))
		return
	}
	s, err := parseSample(body, p.g.counts)
	if err != nil {
		p.to.Lost(1)
		return
	}
	if s.Enabled > p.asked.Enabled {
		p.give()
	}
	p.multiplexed = p.g.add(s, p.total) || p.multiplexed
	p.to.Record(p.number, s.TimeNS, p.total)
}

// give passes the requested reading on, once, and only if the timer has gone quiet.
func (p *pass) give() {
	if p.given {
		return
	}
	p.given = true
	if s := p.g.dated(p.asked); s.TimeNS-p.g.last.TimeNS > p.periodNS*3/2 {
		p.multiplexed = p.g.add(s, p.total) || p.multiplexed
		p.to.Read(p.number, s.TimeNS, p.total)
	}
}

// baseline hands over the counts at the moment of enabling: before it nothing
// was counted.
func (c *Counters) baseline(i int, l *lane, to counter.Sink) {
	if l.began == 0 {
		return
	}
	to.Read(i, l.began, l.total)
	l.g.last.TimeNS, l.began = l.began, 0
}

// account adds up for how long the columns of a lane were to count, and did.
func (c *Counters) account(l *lane, s Sample, multiplexed bool) {
	enabled, running := s.Enabled-l.ran.Enabled, s.Running-l.ran.Running
	l.ran.Enabled, l.ran.Running = s.Enabled, s.Running
	if l.starvedNS += enabled; running > 0 {
		l.starvedNS = 0
	}
	for i := range c.enabled {
		c.enabled[i] += enabled
	}
	for _, m := range l.g.members {
		c.running[m.column] += running
	}
	if multiplexed {
		c.remark(note.Multiplexed, "the counters shared the PMU with others; counts are scaled")
	}
}
