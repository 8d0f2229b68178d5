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
// Many processes are gone when their samples are read, up to 0.9 s later. So their identity comes from the
// records between the samples: a child is a member if its parent is, and the parent is looked up even if it was
// never sampled; the program and its build id come with the first mapping after its exec.
//
// Processes may behave in any way, so the cost of watching them is limited: memory for processes and their
// code, CPU time for lookups (4 % of a CPU in the long run), waiting for their files, and the number of drains.
// Beyond these bounds a process counts as not the job's for a while, and code as outside any file.
//
// Hits are also counted by place, 16 bytes of code each, over the whole run (places.go); functions are found
// from these counts.
//
// Records between the samples come from the job's cgroup alone where it has one (tracking.go). Elsewhere other
// users' processes write them too: a flood of these is left out, and a note names it (storm.go).
//
// The package knows no symbols, passes the path of a file only to the name lookup, and does not count processes
// outside the job: membership is looked up once for each process and passes to its children.
package address

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// SamplingParams says what a Sampler samples.
type SamplingParams struct {
	Peek peek.Reader
	Sys  string // "/sys" if it is ""
	CPUs []int
	Rate Rate
	// StepNS is the step of the grid in which the timers' phases are set.
	StepNS int64
	// Root limits sampling to this process and what it will start; 0 means every process of the node, filtered by
	// Members if that is not nil.
	Root    int
	Members counter.Members
	// Find finds the job's cgroup, to which records of mappings, forks and execs are limited; nil if the whole node
	// is the job's.
	Find CgroupFinder
}

// Sampler samples code addresses by a timer on each CPU. It is a counter.Source without columns.
type Sampler struct {
	p        SamplingParams
	cpus     []*cpu
	table    *table
	events   []event
	userOnly bool
	fastest  Rate // the first rate, for which the rings are sized
	open     perf.Opener
	attr     unix.PerfEventAttr
	tracking tracking
	storm    foreignRecordLimiter
	on       bool // started
	// sideRecords counts records that no timer wrote: of a mapping, a fork, an exec.
	sideRecords int64
	// lostEvents is set if lost records may include process events.
	lostEvents bool
	signal     *ringFullSignal
	// online are the CPUs at the last check, nextOnlineNS the time of the next.
	online       *kernel.Online
	nextOnlineNS int64
}

var _ counter.Source = (*Sampler)(nil)

// cpu is the timer of one CPU, its ring, and the samples that were read and not yet replayed.
type cpu struct {
	number  int
	index   int // in the order of CPUs, which gives the phase
	fd      int // -1 while it is offline
	tracker int // the tracking event, -1 if it is not open
	ring    *perf.Ring
	phaseNS int64
	samples []sample
	next    int
}

// MaxTaskCPUs limits the CPUs on which the code of one command is sampled. It needs an event for each CPU, and
// every process and thread that the command starts copies them all, at 3 to 5 us each (measured with 16 and 64,
// package jobevent).
const MaxTaskCPUs = 16

// ErrTooManyCPUs is returned for a command that may run on more than MaxTaskCPUs CPUs.
var ErrTooManyCPUs = fmt.Errorf(
	"without root, code sampling needs a command bound to at most %d CPUs, as every process "+
		"that it starts copies one event for each CPU: bind it with taskset or run jobgait as root", MaxTaskCPUs)

// New opens a timer, disabled, on each of p.CPUs that is online, with kernel code if that is permitted. If one of
// them cannot be opened, or no CPU is online, it closes all and returns an error; perf.IsForbidden reports whether
// permission was missing. For a command (p.Root) with more than MaxTaskCPUs CPUs it returns ErrTooManyCPUs.
func New(open perf.Opener, p SamplingParams) (*Sampler, error) {
	if p.Root != 0 && len(p.CPUs) > MaxTaskCPUs {
		return nil, ErrTooManyCPUs
	}
	if p.Sys == "" {
		p.Sys = "/sys"
	}
	s := &Sampler{p: p, table: newTable(p.Peek, p.Members), fastest: p.Rate, open: open, online: kernel.NewOnline(p.Sys),
		storm: newStorm(defaultStorm())}
	if err := s.probe(); err != nil {
		return nil, err
	}
	for i, number := range p.CPUs {
		c := newCPU(number, i)
		err := s.openCPU(c)
		if errors.Is(err, unix.ENODEV) {
			continue // went offline
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open the code sampling timer on CPU %d: %w", number, err), s.Close())
		}
		s.cpus = append(s.cpus, c)
	}
	if len(s.cpus) == 0 {
		return nil, fmt.Errorf("open the code sampling timers: none of the CPUs is online: %w", unix.ENODEV)
	}
	return s, nil
}

// ringPages returns the pages of a ring with room for four seconds of samples and 64 KiB of other records. At 2
// kHz that is 320 KiB, rounded up to 512 KiB: just within the 516 KiB per CPU that an ordinary user may lock.
func ringPages(r Rate) int { return perf.Pages(int(4*r.Hz)*32 + 1<<16) }

// mapRing maps a ring of this number of pages for the event fd. While the user may not lock that much memory (EPERM),
// it halves the number, but not a number of 8 or less.
func mapRing(fd, pages int) (*perf.Ring, error) {
	for {
		r, err := perf.MapRing(fd, pages)
		if !errors.Is(err, unix.EPERM) || pages <= 8 {
			return r, err
		}
		pages /= 2
	}
}

// pid returns the pid for perf_event_open(2): the root process, or -1 for all processes.
func (s *Sampler) pid() int {
	if s.p.Root != 0 {
		return s.p.Root
	}
	return -1
}

// buildID asks the kernel for build ids in MMAP2 records (5.12 and later). The
// bit is not among the library's constants.
const buildID = 1 << 34

// probe finds event attributes that the kernel accepts and permits: all, then without build ids (older
// kernels), then without kernel code.
func (s *Sampler) probe() error {
	timer := perf.Timer(s.p.Rate.PeriodNS, sampleType)
	timer.Wakeup = 0 // at half of the ring
	// The idle task belongs to no job; excluding it saves space in the ring.
	timer.Bits |= unix.PerfBitExcludeIdle | unix.PerfBitSampleIDAll
	const records = unix.PerfBitMmap | unix.PerfBitMmap2 | unix.PerfBitComm | unix.PerfBitCommExec | unix.PerfBitTask
	var err error
	for _, user := range []uint64{0, unix.PerfBitExcludeKernel} {
		for _, extra := range []uint64{buildID, 0} {
			s.attr, s.userOnly = timer, user != 0
			s.attr.Bits |= user
			if s.p.Root != 0 {
				s.attr.Bits |= unix.PerfBitInherit | records | extra
			} else {
				s.tracking.attr = s.attr
				s.tracking.attr.Config, s.tracking.attr.Sample = unix.PERF_COUNT_SW_DUMMY, 0
				s.tracking.attr.Bits |= records | extra
			}
			if err = s.probeAttributes(); err == nil {
				return nil
			}
		}
	}
	return fmt.Errorf("probe code sampling on CPU %d: %w", s.p.CPUs[0], err)
}

// probeAttributes opens and closes a timer and, unless the timer records processes itself, a tracking event.
func (s *Sampler) probeAttributes() error {
	attrs := []unix.PerfEventAttr{s.attr}
	if s.p.Root == 0 {
		attrs = append(attrs, s.tracking.attr)
	}
	for _, a := range attrs {
		fd, err := s.open(&a, s.pid(), s.p.CPUs[0], -1, 0)
		if err != nil {
			return err
		}
		if err := unix.Close(fd); err != nil {
			return err
		}
	}
	return nil
}

// Columns returns nil: samples of code are hits, not counts of a column.
func (s *Sampler) Columns() []profile.Column { return nil }

// Lanes returns the number of CPUs. PeriodNS is 0, because an idle CPU writes no records.
func (s *Sampler) Lanes() int { return len(s.cpus) }

// PeriodNS returns 0: no record is due at a fixed time.
func (s *Sampler) PeriodNS() int64 { return 0 }

// EveryNS returns 0: the rings are drained only when the profile is written, because they have room for four
// seconds.
func (s *Sampler) EveryNS() int64 { return 0 }

// Scope returns whose processes are sampled: "task" with a root process, else "job".
func (s *Sampler) Scope() string {
	if s.p.Root != 0 {
		return "task"
	}
	return "job"
}

// Sources returns what is sampled.
func (s *Sampler) Sources() []run.CounterSource {
	return []run.CounterSource{{Name: "code", Event: "cpu-clock", PMU: "software", Scope: s.Scope()}}
}

// Notes returns notes if only user code is sampled, and if records of other processes were left out.
func (s *Sampler) Notes() []note.Note {
	notes := s.storm.notes(rawcall.Now())
	if s.userOnly {
		notes = append(notes, note.New(note.UserOnly,
			"only user code was sampled: for kernel code, set kernel.perf_event_paranoid to 1 or less"))
	}
	return notes
}

// OnJoin sets the function that is called with each process found to belong to the job.
func (s *Sampler) OnJoin(f func(pid int)) { s.table.onJoin = f }

// Programs returns the number of samples of each of the job's programs, by base name.
func (s *Sampler) Programs() map[string]int64 { return s.table.programs() }

// Activities returns what the programs with most samples did, in seconds since sinceNS of CLOCK_MONOTONIC.
func (s *Sampler) Activities(sinceNS int64) []run.Program { return s.table.activities(sinceNS) }

// Build returns the build id of a program of the job, by base name, or a hash in its place; "" if unknown.
func (s *Sampler) Build(program string) string { return s.table.builds[program] }

// Start enables the timers, each at its phase; those of a command at once.
func (s *Sampler) Start() error {
	s.on = true
	// What a process maps must be known before its first sample.
	for _, c := range s.assignPhases() {
		if err := s.trackCPU(c); err != nil && !errors.Is(err, unix.ENODEV) {
			return err
		}
	}
	late := rawcall.Now() + perf.PhaseLimit
	for _, c := range s.assignPhases() {
		if err := s.startAtPhase(c, late, func() error {
			return perf.Ioctl(c.fd, unix.PERF_EVENT_IOC_ENABLE, 0)
		}); err != nil {
			return fmt.Errorf("start code sampling on CPU %d: %w", c.number, err)
		}
	}
	return nil
}

// Stop disables the timers and returns the first error.
func (s *Sampler) Stop() error {
	s.on = false
	first := s.disableTrackers()
	for _, c := range s.assignPhases() {
		if err := perf.Ioctl(c.fd, unix.PERF_EVENT_IOC_DISABLE, 0); err != nil && first == nil {
			first = fmt.Errorf("stop code sampling on CPU %d: %w: it goes on until the agent ends", c.number, err)
		}
	}
	return first
}

// Close closes all timers and rings.
func (s *Sampler) Close() error {
	first := errors.Join(s.stopSignal(), s.online.Close())
	for _, c := range s.cpus {
		first = errors.Join(first, c.close())
	}
	s.cpus = nil
	return first
}
