package perf

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/analysis/note"
)

// lane is one CPU with its group and the totals counted on it, also by earlier groups.
type lane struct {
	cpu       int
	group     *group   // nil while the CPU is offline
	total     []uint64 // by column, scaled for multiplexing
	enabledNS int64    // when the group was enabled, 0 once that was passed to the sink
	// lastAlive has the times at the last check that the group runs, lastRun those up to which run times were
	// added.
	lastAlive, lastRun Sample
	starvedNS          uint64 // for how long it was enabled and did not count
	cost               tracepointCost
	drainedNS          int64 // time of the last drain
}

// open opens a lane's group, disabled, and maps its ring.
func (c *Counters) open(l *lane) error {
	core := c.machine.coreOf(l.cpu)
	if c.noHardware {
		core = -1
	}
	g, err := openGroup(c.k, l.cpu, c.periodNS, members(c.events[:c.keptEvents], c.machine, core))
	if err != nil {
		return err
	}
	if err := g.mapRing(c.pages); err != nil {
		g.close()
		return err
	}
	l.group, l.lastRun, l.starvedNS = g, Sample{}, 0
	return nil
}

// pass is the state of one drain of one lane.
type pass struct {
	*lane
	number    int
	to        counter.Sink
	periodNS  int64
	requested reading
	// given is set once the requested reading was passed on or is too late.
	given, multiplexed bool
	drained            int64
}

// drainLane passes a lane's records and, if needed, a reading to the sink. For an offline CPU it passes the
// unchanged totals, so that the sum over all CPUs continues. If the group cannot be read, it does so too,
// closes the group and returns the error.
func (c *Counters) drainLane(i int, l *lane, to counter.Sink) error {
	if l.group == nil {
		to.Read(i, c.k.now(), l.total)
		return nil
	}
	asked, err := l.group.read()
	if err != nil {
		// follow opens it again. No slot is complete before all lanes have a reading: without this one nothing would
		// be written.
		err = errors.Join(fmt.Errorf("%w: its counts are missing until they are opened again", err), l.group.close())
		l.group = nil
		to.Read(i, c.k.now(), l.total)
		return err
	}
	l.drainedNS = asked.TimeNS
	c.baseline(i, l, to)
	p := pass{lane: l, number: i, to: to, periodNS: c.periodNS, requested: asked}
	err = l.group.ring.Drain(p.takeRecord)
	p.giveReading()
	to.Drained(p.drained)
	c.addRunTimes(l, asked.Sample, p.multiplexed)
	return err
}

// takeRecord accumulates one record and passes it to the sink. The requested reading is passed before the first
// record whose group had been enabled for longer.
func (p *pass) takeRecord(h Header, body []byte) {
	p.drained++
	if h.Type != unix.PERF_RECORD_SAMPLE {
		p.to.Lost(LostRecords(h, body))
		return
	}
	s, err := parseSample(body, p.group.counts)
	if err != nil {
		p.to.Lost(1)
		return
	}
	if s.Enabled > p.requested.Enabled {
		p.giveReading()
	}
	p.multiplexed = p.group.accumulate(s, p.total) || p.multiplexed
	p.to.Record(p.number, s.TimeNS, p.total)
}

// giveReading passes the requested reading to the sink, at most once, and only if the timer wrote no record for
// one and a half periods.
func (p *pass) giveReading() {
	if p.given {
		return
	}
	p.given = true
	if s := p.group.placeReading(p.requested); s.TimeNS-p.group.last.TimeNS > p.periodNS*3/2 {
		p.multiplexed = p.group.accumulate(s, p.total) || p.multiplexed
		p.to.Read(p.number, s.TimeNS, p.total)
	}
}

// baseline passes the counts at the moment of enabling, before which nothing was counted, to the sink.
func (c *Counters) baseline(i int, l *lane, to counter.Sink) {
	if l.enabledNS == 0 {
		return
	}
	to.Read(i, l.enabledNS, l.total)
	l.group.last.TimeNS, l.enabledNS = l.enabledNS, 0
}

// addRunTimes adds, for each column, for how long a lane's events were enabled and for how long they really
// counted.
func (c *Counters) addRunTimes(l *lane, s Sample, multiplexed bool) {
	enabled, running := s.Enabled-l.lastRun.Enabled, s.Running-l.lastRun.Running
	l.lastRun.Enabled, l.lastRun.Running = s.Enabled, s.Running
	if l.starvedNS += enabled; running > 0 {
		l.starvedNS = 0
	}
	for i := range c.enabled {
		c.enabled[i] += enabled
	}
	for _, m := range l.group.members {
		c.running[m.column] += running
	}
	if multiplexed {
		c.noteOnce(note.Multiplexed, "other programs used hardware counters too: the counts are scaled to the whole time")
	}
}
