package address

import (
	"cmp"
	"errors"
	"slices"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/perf"
	"jobgait/agent/rawcall"
)

// Drain reads all rings and replays their records in order of time: samples of different CPUs between two
// process events may be in any order. Records newer than the begin of the drain wait for the next one, because
// otherwise a sample could precede the mapping that it is in. Drain then begins or ends a pause of tracking, clears
// the table if process events were lost or it is full, and follows CPU hotplug and the job's cgroup.
func (s *Sampler) Drain(to counter.Sink) error {
	limit := rawcall.Now()
	var first error
	for _, c := range s.cpus {
		if c.ring == nil {
			continue // offline
		}
		if err := s.readRing(c, to); err != nil && first == nil {
			first = err
		}
	}
	slices.SortStableFunc(s.events, func(a, b event) int { return cmp.Compare(a.time, b.time) })
	done := 0
	for ; done < len(s.events) && s.events[done].time < limit; done++ {
		e := s.events[done]
		s.replay(to, e.time)
		s.table.apply(e)
	}
	s.replay(to, limit)
	s.events = slices.Delete(s.events, 0, done)
	for _, c := range s.cpus {
		c.samples, c.next = slices.Delete(c.samples, 0, c.next), 0
	}
	stormed := s.updateStorm(limit, s.lostEvents) // needs to know the members
	if s.lostEvents || s.table.atCapacity() {
		s.table.forget()
		s.lostEvents = false
	}
	return errors.Join(first, stormed, s.followHotplug(to), s.followCgroup(limit))
}

// TakeSideRecords returns the number of records since the last call that no timer wrote: of mappings, forks and
// execs. The kernel writes them without an interrupt.
func (s *Sampler) TakeSideRecords() int64 {
	n := s.sideRecords
	s.sideRecords = 0
	return n
}

// readRing reads the records of one CPU's ring and appends samples to c.samples and process events to s.events. It
// reports the number of samples, and of lost or malformed records, to the sink. It sets lostEvents if process events
// may be among the lost records.
func (s *Sampler) readRing(c *cpu, to counter.Sink) error {
	var drained, lost int64
	err := c.ring.Drain(func(h perf.Header, body []byte) {
		if h.Type == unix.PERF_RECORD_SAMPLE {
			drained++
			if x, err := parseSample(h, body); err == nil {
				c.samples = append(c.samples, x)
			} else {
				lost++
			}
			return
		}
		s.sideRecords++
		s.storm.count(recordPID(body))
		lost += perf.LostRecords(h, body)
		// The other kinds of loss are of samples only.
		s.lostEvents = s.lostEvents || h.Type == unix.PERF_RECORD_LOST
		if e, ok, err := parseEvent(h, body); err != nil {
			lost++
			s.lostEvents = true
		} else if ok {
			s.events = append(s.events, e)
		}
	})
	if err != nil {
		lost++
		s.lostEvents = true
	}
	to.Drained(drained)
	to.Lost(lost)
	return err
}

// replay removes the samples before a time from the queues, counts them in the table and passes those of the
// job's processes to the sink as hits.
func (s *Sampler) replay(to counter.Sink, before int64) {
	for _, c := range s.cpus {
		for c.next < len(c.samples) && c.samples[c.next].time < before {
			x := c.samples[c.next]
			c.next++
			if page, ok := s.table.hit(x); ok {
				// Mappings begin at pages: an address has the same place in the page of the file.
				to.Hit(x.time, page, uint8(x.ip>>4))
			}
		}
	}
}
