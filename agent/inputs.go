package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/cgroup"
	"jobgait/agent/counter"
	"jobgait/agent/counter/address"
	"jobgait/agent/counter/gpu"
	"jobgait/agent/counter/jobevent"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/agent/sampler"
	"jobgait/agent/unit"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/configs"
)

// host names the directories, devices and functions by which counters are read; tests replace them.
type host struct {
	proc, sys string
	dev       string // directory of device files; "" for no devices
	program   string // path of this program, started as a child; "" starts no child
	open      perf.Opener
	systemd   unit.Manager
}

// inputs are the opened sources of one run, and which sources are absent and why.
type inputs struct {
	sources []counter.Source
	// slow are the indexes of the sources that are drained at their own intervals; the others are drained when the
	// profile is written.
	slow []int
	addresses
	cpu     *kernel.JobCPU
	members counter.Members
	jobReaders
	jobGroup
	gpus   gpu.Opened
	cpus   int
	model  string // of the CPUs
	stepNS int64
	// nodeCounted is true if counters of the whole node are sampled, usesRings if any source records into rings of
	// the kernel.
	nodeCounted bool
	usesRings   bool
	budget
	absentSources
}

// jobReaders is what reads the job's processes.
type jobReaders struct {
	peek *peek.Child      // child for reads of other processes that may hang
	use  kernel.UseTotals // of no functions if what the job uses is not read
}

// addresses is the source of code addresses, and its rate.
type addresses struct {
	code    *address.Sampler // nil without code addresses
	codeOff bool             // code addresses were stopped for the budget
	rate    address.Rate
	// startRate is the lower rate of addresses in the start phase; zero if the start phase needs no lower rate.
	startRate      address.Rate
	sideInterrupts float64 // fraction of an interrupt that was not yet counted
}

// jobGroup is the job's cgroup.
type jobGroup struct {
	// frozen reports whether the cgroup is frozen; nil for a command, which has no cgroup.
	frozen      func() bool
	closeFrozen func() error // closes the file that frozen reads
	finder      *cgroup.Finder
}

// close closes the files of the cgroup.
func (g *jobGroup) close() error {
	var all error
	if g.closeFrozen != nil {
		all = g.closeFrozen()
	}
	if g.finder != nil {
		all = errors.Join(all, g.finder.Close())
	}
	return all
}

// absentSources are the sources that are absent, and the notes of what is sampled otherwise than requested.
type absentSources struct {
	absent []run.CounterSource
	notes  []note.Note
	// slowGridNote and fewerAddressesNote are the texts of notes that the budget had no room for the requested
	// rates of counters and of code addresses; "" if it had.
	slowGridNote, fewerAddressesNote string
}

// note adds a note to the header of the profile.
func (s *absentSources) note(code note.Code, format string, args ...any) {
	s.notes = append(s.notes, note.New(code, format, args...))
}

// noteText adds a note with this text, unless the text is "".
func (s *absentSources) noteText(code note.Code, text string) {
	if text != "" {
		s.note(code, "%s", text)
	}
}

// addAbsent records that a source is absent, and why.
func (s *absentSources) addAbsent(name, why string) {
	s.absent = append(s.absent, run.CounterSource{Name: name, Absent: why})
}

// membersExceptSelf are the job's processes without the agent itself. The agent's environment names the job, so
// a job of root would seem never to end.
type membersExceptSelf struct{ counter.Members }

// Has reports whether a process belongs to the job and is not the agent.
func (o membersExceptSelf) Has(pid int) bool { return pid != os.Getpid() && o.Members.Has(pid) }

// List returns the processes of the job without the agent.
func (o membersExceptSelf) List() []int {
	return slices.DeleteFunc(o.Members.List(), func(pid int) bool { return pid == os.Getpid() })
}

// openInputs opens the sources that the kernel permits and the budget has room for, best first, and records which are
// absent and why. p has the cost of an interrupt; openInputs sets its number of CPUs. It returns an error only if the
// online CPUs are unknown.
func openInputs(h host, r job.Run, c configs.Agent, p prices) (*inputs, error) {
	cpus, err := kernel.OnlineCPUs(h.sys)
	if err != nil {
		return nil, err
	}
	p.cpus = len(cpus)
	asker := h.newPeekChild(r)
	in := &inputs{members: membersExceptSelf{job.NewMembers(h.proc, asker, r, scheduler.ForRun(r))},
		jobReaders: jobReaders{peek: asker},
		cpus:       len(cpus),
		model:      kernel.CPUModel(h.proc), budget: budget{p, c.BudgetPct}}
	in.finder = cgroup.NewFinder(h.proc,
		cgroup.Identity{ID: r.Key.JobID, SLUID: r.Key.SLUID, Node: r.Node, UID: r.Job.UID}, rawcall.Now)
	l := counterOpener{in, h, r, c, cpus}
	l.chooseRates()
	l.openNodeCounters()
	l.openAddresses()
	l.openJobEvents()
	l.openFiles()
	l.openProcesses()
	l.openGPUs()
	for i := range in.sources {
		if in.everyNS(i) > 0 {
			in.slow = append(in.slow, i)
		}
	}
	return in, nil
}

// newPeekChild returns the child that reads other processes, where reads may hang, with the rights of the job's
// user, or those of this process if the run does not name the user.
func (h host) newPeekChild(r job.Run) *peek.Child {
	account := as.Self()
	if r.Job.UID >= 0 && r.Job.GID >= 0 {
		account = as.Account{UID: uint32(r.Job.UID), GID: uint32(r.Job.GID)}
	}
	return peek.NewChild(h.program, account)
}

// add appends a source.
func (in *inputs) add(s counter.Source) { in.sources = append(in.sources, s) }

// processReadNS is the interval, in ns, at which the job's processes are read if no source records into rings.
const processReadNS = 100e6

// everyNS returns the mean interval, in ns, at which source i is drained. A source without an interval of its own is
// drained when the profile is written (0), or every processReadNS if no source records into rings.
func (in *inputs) everyNS(i int) int64 {
	s := in.sources[i]
	if every := s.EveryNS(); every > 0 {
		return every
	}
	if !in.usesRings {
		return processReadNS
	}
	return 0
}

// codeIndex returns the index of the source of code addresses, -1 if there is no such source.
func (in *inputs) codeIndex() int {
	if in.code == nil {
		return -1
	}
	return slices.Index(in.sources, counter.Source(in.code))
}

// isStopped reports whether source i was stopped for the budget.
func (in *inputs) isStopped(i int) bool { return in.codeOff && i == in.codeIndex() }

// sideRecordNS is the assumed cost, in ns, of a record of a mapping, fork or exec, which causes no interrupt.
const sideRecordNS = 1000

// interrupts returns the largest number of interrupts that a drain of source i causes beside those of its records.
// Events of the job are read one by one on each CPU. For code addresses it takes the side records since the last call,
// which cause no interrupt, and returns the number of interrupts that cost the same. It returns 0 for other sources.
func (in *inputs) interrupts(i int) int64 {
	switch s := in.sources[i].(type) {
	case *jobevent.Task:
		return int64(len(s.Columns()) * in.cpus)
	case *jobevent.Cgroup:
		return int64(s.Lanes())
	case *address.Sampler:
		in.sideInterrupts += sideRecordNS * float64(s.TakeSideRecords()) / max(sideRecordNS, in.prices.interruptNS)
		n := int64(in.sideInterrupts)
		in.sideInterrupts -= float64(n)
		return n
	}
	return 0
}

// ringHalfFull returns a channel that signals that the ring of code addresses is half full; nil without such a
// ring, or after logging the error if the signal cannot be set up.
func (in *inputs) ringHalfFull(log func(error)) <-chan struct{} {
	if in.code == nil {
		return nil
	}
	full, err := in.code.HalfFull()
	if err != nil {
		log(err)
	}
	return full
}

// scope returns whose processes are sampled, as written in the header of the profile; "proc" without code
// addresses.
func (in *inputs) scope() string {
	if in.code == nil {
		return "proc"
	}
	return in.code.Scope()
}

// header returns the header of the profile that describes the inputs. The caller sets the times.
func (in *inputs) header(r job.Run) profile.Header {
	h := profile.Header{Key: r.Key, Node: r.Node, StepNS: in.stepNS, CPUs: in.cpus, CPUModel: in.model, Scope: in.scope(),
		InterruptNS: in.prices.interruptNS, BudgetPct: in.limitPct,
		Sources: append([]run.CounterSource{}, in.absent...), Notes: append([]note.Note{}, in.notes...)}
	if in.code != nil {
		h.AddressHz = in.rate.Hz
	}
	for _, s := range in.sources {
		h.Columns = append(h.Columns, s.Columns()...)
		h.Sources = append(h.Sources, withConfig(s.Sources())...)
		h.Notes = append(h.Notes, s.Notes()...)
	}
	return h
}

// countedBefore returns what sources had counted of the run before their first reading, by the name of their first
// column. It leaves out sources that had counted nothing or do not know it.
func (in *inputs) countedBefore() map[string]uint64 {
	all := map[string]uint64{}
	for _, s := range in.sources {
		if own, ok := s.(interface{ Before() uint64 }); ok && own.Before() > 0 {
			all[s.Columns()[0].Name] = own.Before()
		}
	}
	return all
}

// withConfig returns the sources with the event configuration of code addresses filled in.
func withConfig(sources []run.CounterSource) []run.CounterSource {
	sources = slices.Clone(sources)
	for i, s := range sources {
		if s.Config == "" && s.Event == "cpu-clock" && s.Absent == "" {
			sources[i].Config = fmt.Sprintf("type %d config 0x%x, sampled", unix.PERF_TYPE_SOFTWARE,
				unix.PERF_COUNT_SW_CPU_CLOCK)
		}
	}
	return sources
}

// shapes returns for each source the number of columns and lanes, the period and the gauges that its track in
// the sampler needs.
func (in *inputs) shapes() []sampler.Shape {
	var shapes []sampler.Shape
	for _, s := range in.sources {
		shape := sampler.Shape{Columns: len(s.Columns()), Lanes: s.Lanes(), PeriodNS: s.PeriodNS()}
		if counts, ok := s.(*perf.Counters); ok {
			shape.CPUNS = counts.CPUNS()
		}
		for i, c := range s.Columns() {
			if c.Gauge && shape.Gauge == nil {
				shape.Gauge = make([]bool, shape.Columns)
			}
			if c.Gauge {
				shape.Gauge[i] = true
			}
		}
		shapes = append(shapes, shape)
	}
	return shapes
}

// programs returns by program name how much each program of the job ran: in samples of code addresses, else in
// CPU time.
func (in *inputs) programs() map[string]int64 {
	switch {
	case in.code != nil:
		return in.code.Programs()
	case in.cpu != nil:
		return in.cpu.Programs()
	}
	return nil
}

// activities returns the programs of the job with the most samples of code addresses, and when each ran; nil without
// code addresses. sinceNS is the CLOCK_MONOTONIC time at which the run began.
func (in *inputs) activities(sinceNS int64) []run.Program {
	if in.code == nil {
		return nil
	}
	return in.code.Activities(sinceNS)
}

// script returns the script that a program of the job, an interpreter, ran most; "" if unknown.
func (in *inputs) script(program string) string {
	if in.cpu == nil {
		return ""
	}
	return in.cpu.Script(program)
}

// buildID returns the build id of a program of the job, "" if unknown.
func (in *inputs) buildID(program string) string {
	if in.code == nil {
		return ""
	}
	return in.code.Build(program)
}

// start starts the sources, code addresses first: starting them waits for a phase of their timers, and what
// other sources count meanwhile would belong to no slot. It skips sources that were stopped, and returns at
// the first error.
func (in *inputs) start() error {
	code := in.codeIndex()
	for _, first := range []bool{true, false} {
		for i, s := range in.sources {
			if in.isStopped(i) || (i == code) != first {
				continue
			}
			if err := s.Start(); err != nil {
				return err
			}
		}
	}
	return nil
}

// stop stops all sources and returns their errors.
func (in *inputs) stop() error {
	var all error
	for _, s := range in.sources {
		all = errors.Join(all, s.Stop())
	}
	return all
}

// close closes all sources, the child and the cgroup files, and returns their errors.
func (in *inputs) close() error {
	var all error
	for _, s := range in.sources {
		all = errors.Join(all, s.Close())
	}
	in.sources = nil
	if in.peek != nil {
		all = errors.Join(all, in.peek.Close())
	}
	return errors.Join(all, in.jobGroup.close())
}
