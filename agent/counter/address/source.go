// Package address samples which code a job runs: a timer on every CPU that
// records instruction pointer, process and time. Samples of the job's processes
// come out as hits of code pages, 4 KiB of a file each, which carry the period of
// a program where there are no hardware counters: what a loop does next is
// other code than what it did before. See perf_event_open(2).
//
// A page is named by a hash of the file's build id (else its device and inode)
// and the page's offset, so that all ranks agree though their addresses are
// random. All kernel code is one page, and so is all code that is in no file.
//
// It refuses to keep a path or a symbol, and to count processes that are not
// the job's: membership is asked once for each process, and passes to children.
package address

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/perf"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Params are what a source samples.
type Params struct {
	Proc string // normally "/proc"
	CPUs []int
	Rate Rate
	// StepNS is the step of the grid that the timers are set in.
	StepNS int64
	// Root limits sampling to this process and what it will start; 0 is
	// every process of the node, filtered by Members.
	Root    int
	Members Membership
}

// Source is the timers of all CPUs. It is a counter.Source without columns.
type Source struct {
	p        Params
	cpus     []*cpu
	table    *table
	events   []event
	userOnly bool
	lost     int64
}

var _ counter.Source = (*Source)(nil)

type cpu struct {
	number  int
	fd      int
	ring    *perf.Ring
	phaseNS int64
	samples []sample
	next    int
}

// New opens a timer on every CPU, with kernel code where that is permitted. An
// error means that there is none at all; perf.Forbidden tells whether for lack
// of permission.
func New(open perf.Opener, p Params) (*Source, error) {
	s := &Source{p: p, table: newTable(p.Proc, p.Members)}
	attr, err := s.probe(open)
	if err != nil {
		return nil, err
	}
	for i, number := range p.CPUs {
		c := &cpu{number: number, phaseNS: phase(i, p.Rate.PeriodNS, p.StepNS)}
		if c.fd, err = open(&attr, s.pid(), number, -1, 0); errors.Is(err, unix.ENODEV) {
			continue // went offline
		}
		if err == nil {
			s.cpus = append(s.cpus, c)
			c.ring, err = mapRing(c.fd, ringPages(p.Rate))
		}
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("sample addresses on CPU %d: %w", number, err)
		}
	}
	if len(s.cpus) == 0 {
		return nil, fmt.Errorf("sample addresses: %w", unix.ENODEV)
	}
	return s, nil
}

// ringPages is room for four seconds, and for 64 KiB of other records. At 2 kHz
// that is 320 KiB, rounded up to 512: just within the 516 KiB a CPU that an
// ordinary user may lock.
func ringPages(r Rate) int { return perf.Pages(int(4*r.Hz)*32 + 1<<16) }

// mapRing takes less room where the user has locked too much already.
func mapRing(fd, pages int) (*perf.Ring, error) {
	for {
		r, err := perf.MapRing(fd, pages)
		if !errors.Is(err, unix.EPERM) || pages <= 8 {
			return r, err
		}
		pages /= 2
	}
}

func (s *Source) pid() int {
	if s.p.Root != 0 {
		return s.p.Root
	}
	return -1
}

// buildID asks the kernel for build ids in MMAP2 records (5.12 and later). The
// bit is not among the library's constants.
const buildID = 1 << 34

// probe finds attributes that this kernel takes from us: first without build
// ids, for older kernels, then without kernel code.
func (s *Source) probe(open perf.Opener) (unix.PerfEventAttr, error) {
	attr := perf.Timer(s.p.Rate.PeriodNS, sampleType)
	// The idle task is nobody's; leaving it out saves the ring.
	attr.Bits |= unix.PerfBitExcludeIdle | unix.PerfBitMmap | unix.PerfBitMmap2 | unix.PerfBitComm |
		unix.PerfBitCommExec | unix.PerfBitTask | unix.PerfBitSampleIDAll
	if s.p.Root != 0 {
		attr.Bits |= unix.PerfBitInherit
	}
	var err error
	for _, user := range []uint64{0, unix.PerfBitExcludeKernel} {
		for _, extra := range []uint64{buildID, 0} {
			try := attr
			try.Bits |= user | extra
			var fd int
			if fd, err = open(&try, s.pid(), s.p.CPUs[0], -1, 0); err == nil {
				s.userOnly = user != 0
				return try, unix.Close(fd)
			}
		}
	}
	return attr, fmt.Errorf("sample addresses on CPU %d: %w", s.p.CPUs[0], err)
}

// Columns are none: hits are not counts.
func (s *Source) Columns() []profile.Column { return nil }

// Lanes is the number of CPUs. No record is due: an idle CPU gives none.
func (s *Source) Lanes() int      { return len(s.cpus) }
func (s *Source) PeriodNS() int64 { return 0 }

// EveryNS is 0: the rings hold four seconds.
func (s *Source) EveryNS() int64 { return 0 }

// Scope is whose processes are sampled: "task" with a root, else "job".
func (s *Source) Scope() string {
	if s.p.Root != 0 {
		return "task"
	}
	return "job"
}

// Sources and Notes tell what is sampled.
func (s *Source) Sources() []summary.Source {
	return []summary.Source{{Name: "code", Event: "cpu-clock", PMU: "software", Scope: s.Scope()}}
}
func (s *Source) Notes() []note.Note {
	if !s.userOnly {
		return nil
	}
	return []note.Note{note.New(note.UserOnly, "only user code was sampled: kernel.perf_event_paranoid is above 1")}
}

// OnJoin sets what is told each process that is found to be the job's.
func (s *Source) OnJoin(f func(pid int)) { s.table.joined = f }

// Programs returns how many samples each program of the job had, by base name.
func (s *Source) Programs() map[string]int64 { return s.table.exes }

// Build returns the build id of a program of the job, by base name, or what else
// tells its builds apart; "" is not known.
func (s *Source) Build(program string) string { return s.table.builds[program] }

// Start enables the timers, each at its phase; those that follow one task only
// have no phase to keep.
func (s *Source) Start() error {
	order := slices.Clone(s.cpus)
	slices.SortStableFunc(order, func(a, b *cpu) int { return cmp.Compare(a.phaseNS, b.phaseNS) })
	late := perf.Now() + perf.PhaseLimit
	for _, c := range order {
		if s.p.Root == 0 && perf.Now() < late {
			perf.WaitUntil(perf.NextPhase(perf.Now(), s.p.Rate.PeriodNS, c.phaseNS))
		}
		if err := perf.Ioctl(c.fd, unix.PERF_EVENT_IOC_ENABLE, 0); err != nil {
			return fmt.Errorf("start addresses of CPU %d: %w", c.number, err)
		}
	}
	return nil
}

// Stop disables the timers.
func (s *Source) Stop() error {
	var first error
	for _, c := range s.cpus {
		if err := perf.Ioctl(c.fd, unix.PERF_EVENT_IOC_DISABLE, 0); err != nil && first == nil {
			first = fmt.Errorf("stop addresses of CPU %d: %w", c.number, err)
		}
	}
	return first
}

// Drain empties all rings, then replays them in the order of time as far as it
// matters: between two events of processes the order of CPUs does not.
func (s *Source) Drain(to counter.Sink) error {
	s.events = s.events[:0]
	var first error
	for _, c := range s.cpus {
		if err := s.drain(c, to); err != nil && first == nil {
			first = err
		}
	}
	slices.SortStableFunc(s.events, func(a, b event) int { return cmp.Compare(a.time, b.time) })
	for _, e := range s.events {
		s.replay(to, e.time)
		s.table.apply(e)
	}
	s.replay(to, 1<<63-1)
	if s.lost > 0 {
		s.table.forget()
		s.lost = 0
	}
	return first
}

// drain decodes one ring.
func (s *Source) drain(c *cpu, to counter.Sink) error {
	c.samples, c.next = c.samples[:0], 0
	var drained, lost int64
	err := c.ring.Drain(func(h perf.Header, body []byte) {
		drained++
		if h.Type == unix.PERF_RECORD_SAMPLE {
			if x, err := parseSample(h, body); err == nil {
				c.samples = append(c.samples, x)
			} else {
				lost++
			}
			return
		}
		lost += perf.Lost(h, body)
		if e, ok, err := parseEvent(h, body); err != nil {
			lost++
		} else if ok {
			s.events = append(s.events, e)
		}
	})
	if err != nil {
		lost++
	}
	s.lost += lost
	to.Drained(drained)
	to.Lost(lost)
	return err
}

// replay hands over the samples before a time.
func (s *Source) replay(to counter.Sink, before int64) {
	for _, c := range s.cpus {
		for c.next < len(c.samples) && c.samples[c.next].time < before {
			x := c.samples[c.next]
			c.next++
			if page, ok := s.table.hit(x); ok {
				to.Hit(x.time, page)
			}
		}
	}
}

// Close gives all events back.
func (s *Source) Close() error {
	var first error
	for _, c := range s.cpus {
		if c.ring != nil {
			first = errors.Join(first, c.ring.Close())
		}
		first = errors.Join(first, unix.Close(c.fd))
	}
	s.cpus = nil
	return first
}
