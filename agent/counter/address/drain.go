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

// Drain empties all rings, then replays them in the order of time as far as it
// matters: between two events of processes the order of CPUs does not. The rings
// are emptied one after the other; what came after the first waits for the next
// drain, or a sample would come before the mapping that it is in.
func (s *Sampler) Drain(to counter.Sink) error {
	limit := rawcall.Now()
	var first error
	for _, c := range s.cpus {
		if c.ring == nil {
			continue // offline
		}
		if err := s.empty(c, to); err != nil && first == nil {
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
	if s.blind || s.table.full() {
		s.table.forget()
		s.blind = false
	}
	return errors.Join(first, s.follow(to))
}

// Passing returns how many records the last drain took beside those of timers. The kernel writes them without
// an interrupt.
func (s *Sampler) Passing() int64 {
	n := s.passing
	s.passing = 0
	return n
}

// empty decodes one ring.
func (s *Sampler) empty(c *cpu, to counter.Sink) error {
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
		s.passing++
		lost += perf.Lost(h, body)
		// The other kinds of loss are of samples only.
		s.blind = s.blind || h.Type == unix.PERF_RECORD_LOST
		if e, ok, err := parseEvent(h, body); err != nil {
			lost++
			s.blind = true
		} else if ok {
			s.events = append(s.events, e)
		}
	})
	if err != nil {
		lost++
		s.blind = true
	}
	to.Drained(drained)
	to.Lost(lost)
	return err
}

// replay hands over the samples before a time.
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
