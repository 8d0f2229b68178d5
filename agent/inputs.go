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

// host is where counters are read; tests give another.
type host struct {
	proc, sys string
	dev       string // where device files are; "" has none
	program   string // this one, to be started as a child; "" starts none
	open      perf.Opener
	systemd   unit.Manager
}

// inputs are the sources of one run, and what could not be had.
type inputs struct {
	sources []counter.Source
	// slow are the indexes of the sources that are drained at times of
	// their own; the others are when the profile is written.
	slow    []int
	code    *address.Sampler // nil without code addresses
	codeOff bool             // they were given up for the budget
	cpu     *kernel.JobCPU
	// frozen tells whether the job's cgroup is; nil where it has none.
	frozen   func() bool
	unfreeze func() error // closes its file
	finder   *cgroup.Finder
	members  counter.Members
	peek     *peek.Child // asks what may hang
	// gpuCPU is what the programs that read GPUs used of CPU time; nil without one.
	gpuCPU func() gpu.ReaderCPU
	// boards are which GPUs are read; nil without any.
	boards func() []run.GPUDevice
	// gpuWindows are the windows of the GPUs' utilization since the last call; nil
	// without any. gpuFlush asks for a last reading of GPUs and gpuFlushed whether it
	// has come; nil where there is nothing to ask.
	gpuWindows func() []profile.GPUWindows
	gpuFlush   func()
	gpuFlushed func() bool
	cpus       int
	model      string // of the CPUs
	stepNS     int64
	rate       address.Rate
	// first is the lower rate to begin with, until the cost of the start is made up for; zero if there is no lower
	// rate.
	first address.Rate
	// counted is true when the node's own counters are sampled, ringed when
	// anything is recorded in rings of the kernel.
	counted  bool
	ringed   bool
	prices   prices
	limitPct float64
	side     float64 // of an interrupt, not yet counted
	absent   []run.CounterSource
	notes    []note.Note
	// slowGrid and fewer say that the budget had no room for the rates wished
	// of counters and of code addresses, "" that it had.
	slowGrid, fewer string
}

// others leaves the agent itself out: its environment names the job, so that a
// job of root would never end.
type others struct{ counter.Members }

func (o others) Has(pid int) bool { return pid != os.Getpid() && o.Members.Has(pid) }

func (o others) List() []int {
	return slices.DeleteFunc(o.Members.List(), func(pid int) bool { return pid == os.Getpid() })
}

// openInputs opens what the kernel allows and the budget has room for, best
// first.
func openInputs(h host, r job.Run, c configs.Agent, p prices) (*inputs, error) {
	cpus, err := kernel.OnlineCPUs(h.sys)
	if err != nil {
		return nil, err
	}
	p.cpus = len(cpus)
	asker := h.asker(r)
	in := &inputs{members: others{job.NewMembers(h.proc, asker, r, scheduler.OfRun(r))}, peek: asker, cpus: len(cpus),
		model: kernel.CPUModel(h.proc), prices: p, limitPct: c.BudgetPct,
		finder: cgroup.NewFinder(h.proc, cgroup.Identity{ID: r.Key.JobID, SLUID: r.Key.SLUID, Node: r.Node, UID: r.Job.UID},
			rawcall.Now)}
	l := ladder{in, h, r, c, cpus}
	l.rates()
	l.node()
	l.addresses()
	l.own()
	l.files()
	l.processes()
	l.gpus()
	for i := range in.sources {
		if in.everyNS(i) > 0 {
			in.slow = append(in.slow, i)
		}
	}
	return in, nil
}

// asker is the child that asks other processes what may hang, with the rights of
// the job's user.
func (h host) asker(r job.Run) *peek.Child {
	account := as.Self()
	if r.Job.UID >= 0 && r.Job.GID >= 0 {
		account = as.Account{UID: uint32(r.Job.UID), GID: uint32(r.Job.GID)}
	}
	return peek.NewChild(h.program, account)
}

func (in *inputs) add(s counter.Source) { in.sources = append(in.sources, s) }

func (in *inputs) note(code note.Code, format string, args ...any) {
	in.notes = append(in.notes, note.New(code, format, args...))
}

// noteText adds a note, none without a text.
func (in *inputs) noteText(code note.Code, text string) {
	if text != "" {
		in.note(code, "%s", text)
	}
}

func (in *inputs) lack(name, why string) {
	in.absent = append(in.absent, run.CounterSource{Name: name, Absent: why})
}

// procNS is how often the job's processes are looked at where nothing is better.
const procNS = 100e6

// everyNS is how often a source is drained, 0 = when the profile is written.
func (in *inputs) everyNS(i int) int64 {
	s := in.sources[i]
	if every := s.EveryNS(); every > 0 {
		return every
	}
	if !in.ringed {
		return procNS
	}
	return 0
}

// codeAt is the index of the source of code addresses, -1 without one.
func (in *inputs) codeAt() int {
	if in.code == nil {
		return -1
	}
	return slices.Index(in.sources, counter.Source(in.code))
}

// silent tells whether a source was given up.
func (in *inputs) silent(i int) bool { return in.codeOff && i == in.codeAt() }

// sideNS is what a record costs that no timer wrote: of a mapping, a fork, an
// exec.
const sideNS = 1000

// interrupts is how many interrupts a drain of a source causes beside those of its records: events of the job
// are read one by one, on each CPU that it runs on, so this is the most. Records that the kernel writes without
// an interrupt count as the number of interrupts that cost the same.
func (in *inputs) interrupts(i int) int64 {
	switch s := in.sources[i].(type) {
	case *jobevent.Task:
		return int64(len(s.Columns()) * in.cpus)
	case *jobevent.Cgroup:
		return int64(s.Lanes())
	case *address.Sampler:
		in.side += sideNS * float64(s.Passing()) / max(sideNS, in.prices.interruptNS)
		n := int64(in.side)
		in.side -= float64(n)
		return n
	}
	return 0
}

// bell tells when the ring of code addresses is half full; nil never does.
func (in *inputs) bell(log func(error)) <-chan struct{} {
	if in.code == nil {
		return nil
	}
	full, err := in.code.Full()
	if err != nil {
		log(err)
	}
	return full
}

// scope is whose processes are sampled.
func (in *inputs) scope() string {
	if in.code == nil {
		return "proc"
	}
	return in.code.Scope()
}

// header describes the inputs; clocks are the caller's.
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

// before is what of the run was counted before it was read, by column.
func (in *inputs) before() map[string]uint64 {
	all := map[string]uint64{}
	for _, s := range in.sources {
		if own, ok := s.(interface{ Before() uint64 }); ok && own.Before() > 0 {
			all[s.Columns()[0].Name] = own.Before()
		}
	}
	return all
}

// withConfig names the event of code addresses, which says no more than its name.
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

// programs is how much each program of the job ran.
func (in *inputs) programs() map[string]int64 {
	switch {
	case in.code != nil:
		return in.code.Programs()
	case in.cpu != nil:
		return in.cpu.Programs()
	}
	return nil
}

// activities is what the programs of the job did, none where that is not sampled. sinceNS is CLOCK_MONOTONIC when
// the run began.
func (in *inputs) activities(sinceNS int64) []run.Program {
	if in.code == nil {
		return nil
	}
	return in.code.Activities(sinceNS)
}

// script is what an interpreter of the job ran most, "" where that is not known.
func (in *inputs) script(program string) string {
	if in.cpu == nil {
		return ""
	}
	return in.cpu.Script(program)
}

// build is the build id of a program of the job, "" where it is not known.
func (in *inputs) build(program string) string {
	if in.code == nil {
		return ""
	}
	return in.code.Build(program)
}

// start starts the sources, code addresses first: they wait for a phase of their
// timers, several periods where a CPU is slow, and the others would count meanwhile
// what is in no slot.
func (in *inputs) start() error {
	code := in.codeAt()
	for _, first := range []bool{true, false} {
		for i, s := range in.sources {
			if in.silent(i) || (i == code) != first {
				continue
			}
			if err := s.Start(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (in *inputs) stop() error {
	var all error
	for _, s := range in.sources {
		all = errors.Join(all, s.Stop())
	}
	return all
}

func (in *inputs) close() error {
	var all error
	for _, s := range in.sources {
		all = errors.Join(all, s.Close())
	}
	in.sources = nil
	if in.peek != nil {
		all = errors.Join(all, in.peek.Close())
	}
	if in.unfreeze != nil {
		all = errors.Join(all, in.unfreeze())
	}
	if in.finder != nil {
		all = errors.Join(all, in.finder.Close())
	}
	return all
}
