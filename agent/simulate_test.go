package main

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"jobgait/agent/counter"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/job"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
	"jobgait/agent/sampler"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// source is a simulated counter: two lanes with a record in each step, or one that is read on request.
type source struct {
	now     *int64
	step    int64 // 0: no timer
	every   int64
	last    int64
	counts  [2][]uint64
	drains  int
	stopped bool
	loop    int64 // steps in a cycle of two pages, 0 for none
}

func (s *source) Columns() []profile.Column {
	c := make([]profile.Column, len(s.counts[0]))
	for i := range c {
		c[i] = profile.Column{Name: string(rune('a' + i)), Unit: "1", Scope: "node", Gauge: s.step == 0 && i == 1}
	}
	return c
}
func (s *source) Lanes() int {
	if s.step > 0 {
		return 2
	}
	return 1
}
func (s *source) PeriodNS() int64              { return s.step }
func (s *source) EveryNS() int64               { return s.every }
func (s *source) Start() error                 { s.last = *s.now; return nil }
func (s *source) Stop() error                  { s.stopped = true; return nil }
func (s *source) Close() error                 { return nil }
func (s *source) Sources() []run.CounterSource { return nil }
func (s *source) Notes() []note.Note           { return nil }

func (s *source) Drain(to counter.Sink) error {
	s.drains++
	for at := s.last - s.last%max(s.step, 1) + s.step; s.step > 0 && at <= *s.now; at += s.step {
		for lane := range s.counts {
			for c := range s.counts[lane] {
				s.counts[lane][c] += uint64(at/s.step) % 7
			}
			to.Record(lane, at, s.counts[lane])
			switch {
			case s.loop == 0:
				to.Hit(at-1, uint64(at/s.step)%100+3, 0)
			default:
				page := uint64(3)
				if at/s.step%s.loop*4 < s.loop {
					page = 4
				}
				for k := range 4 + at/s.step*2654435761>>7%3 {
					to.Hit(at-1-k, page, 0)
				}
			}
		}
		to.Drained(2)
		s.last = at
	}
	if s.step == 0 {
		s.counts[0][0] += 3
		s.counts[0][1] = uint64(*s.now) % 1000
		to.Read(0, *s.now, s.counts[0])
	}
	to.Ran(0, 1000, 900)
	return nil
}

// simulated is an agent on a clock that jumps from one wake-up to the next, with
// a source of the rings and two slow ones.
func simulated(t testing.TB, d *disk, stepNS int64) (*agent, *int64, []*source) {
	now := int64(1e12)
	mono := func() int64 { return now }
	cpu := kernel.NewJobCPU(t.TempDir(), peek.Direct{}, &fixedMembers{}, mono, 30e9)
	ring := &source{now: &now, step: stepNS, counts: [2][]uint64{make([]uint64, 3), make([]uint64, 3)}}
	sources := []*source{ring, {now: &now, every: 1e9, counts: [2][]uint64{make([]uint64, 2)}},
		{now: &now, every: 5e9, counts: [2][]uint64{make([]uint64, 2)}}}
	in := &inputs{cpu: cpu, members: &fixedMembers{}, stepNS: stepNS, cpus: 2, usesRings: true,
		budget: budget{virtual, 100}}
	for i, s := range sources {
		in.add(s)
		if s.every > 0 {
			in.slow = append(in.slow, i)
		}
	}
	a := newAgent(job.Run{}, in, func(err error) { t.Error(err) })
	a.clock = clock{mono: mono, real: mono, cpu: func() int64 { return now / 1000 },
		sleep: func(d time.Duration) { now += int64(d) }}
	a.writer = d
	if err := in.start(); err != nil {
		t.Fatal(err)
	}
	a.initSampling(sampler.NewGrid(stepNS, now))
	a.sampler = sampler.New(a.grid, true, in.shapes()...) // the first one gives hits
	a.schedule.random = rand.New(rand.NewPCG(21, 22)).Float64
	return a, &now, sources
}

// advance runs the agent's loop up to a time.
func (a *agent) advance(now *int64, until int64) {
	for *now < until {
		*now = min(until, max(*now+1, a.schedule.nextNS()))
		a.idle.since = 0 // the job lives
		a.runDueTasks()
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// After 192 hours sampler and agent have the memory that they had after one, and
// no second of them is lost. The step is 0.25 s here, for the test's time.
func TestEightDaysWithoutGrowth(t *testing.T) {
	d := &disk{}
	a, now, sources := simulated(t, d, 250e6)
	const hour = int64(3600e9)
	begin := *now
	a.advance(now, begin+hour)
	before := heap()
	a.advance(now, begin+192*hour)
	after := heap()
	t.Logf("heap after 1 h %d bytes, after 192 h %d; %d blocks, %d drains", before, after, d.blocks, sources[0].drains)
	if after > before+4096 {
		t.Errorf("heap grew from %d to %d bytes", before, after)
	}
	if want := 192 * hour / 250e6; d.slots < want-5 || d.slots > want {
		t.Errorf("%d slots, want %d", d.slots, want)
	}
	if d.empty > 5*3 {
		t.Errorf("%d values are missing", d.empty)
	}
	runtime.KeepAlive(a)
}

// Slow sources are drained at their own times and whenever a block is written,
// so that a block has a value of them in every slot.
func TestSlowSourcesAreDrainedAtTheirTimes(t *testing.T) {
	d := &disk{}
	a, now, sources := simulated(t, d, 5e6)
	a.in.sources[1].(*source).every = 50e6
	a.initSampling(sampler.NewGrid(5e6, *now)) // with the other rate
	a.advance(now, *now+60e9)
	flushes := sources[0].drains
	if flushes < 70 || flushes > 172 {
		t.Errorf("%d flushes in a minute", flushes)
	}
	if n := sources[1].drains; n < 18*60 || n > 27*60 {
		t.Errorf("a source of 20 Hz was drained %d times in a minute", n)
	}
	if n := sources[2].drains; n < flushes || n > flushes+30 {
		t.Errorf("a source of 0.2 Hz was drained %d times with %d flushes", n, flushes)
	}
	// Only before the first reading are there slots without a level.
	if d.empty > 2*200 {
		t.Errorf("%d values are missing", d.empty)
	}
	if d.ran == nil || d.ran[0] != 9000 || d.ran[1] != 10000 {
		t.Errorf("share of time counted %v", d.ran)
	}
}

// A ring with room for less than a second is drained in time, also when what is
// read from files is slowed.
func TestSmallRingsAreDrainedInTime(t *testing.T) {
	a, now, sources := simulated(t, &disk{}, 5e6)
	ring := sources[0]
	ring.every = 300e6
	a.in.slow = []int{0, 1, 2}
	a.initSampling(sampler.NewGrid(5e6, *now))
	a.sampler = sampler.New(a.grid, true, a.in.shapes()...)
	for _, slowed := range []bool{false, true} {
		if slowed {
			a.schedule.slowDown(slowFactor)
		}
		longest, last, drains := int64(0), *now, ring.drains
		for end := *now + 300e9; *now < end; {
			a.advance(now, min(end, a.schedule.nextNS()))
			if ring.drains > drains {
				longest, last, drains = max(longest, *now-last), *now, ring.drains
			}
		}
		if longest > 450e6 || longest < 300e6 {
			t.Errorf("slowed %v: %d ms between two drains of a ring that has room for 600", slowed, longest/1e6)
		}
	}
}

// The profile contains every count up to the time at which the agent is stopped, even if the last reading but
// one is long ago.
func TestCountsUpToTheEnd(t *testing.T) {
	d := &disk{}
	a, now, sources := simulated(t, d, 5e6)
	a.advance(now, *now+3e9)
	*now += 1e6
	sources[1].counts[0][0] += 1_000_000 // used since, and no more
	drains := sources[1].drains
	a.drainFinal()
	if sources[1].drains != drains+2 || !sources[1].stopped {
		t.Errorf("%d drains at the end", sources[1].drains-drains)
	}
	// The simulated source adds 3 at each drain; the first is the zero.
	if got, want := d.last[3], int64(1_000_000+3*(sources[1].drains-2)); got < want {
		t.Errorf("the profile ends with %d, want %d", got, want)
	}
}
