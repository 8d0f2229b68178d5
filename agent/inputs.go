package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"jobgait/agent/counter"
	"jobgait/agent/counter/address"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/profile"
	"jobgait/agent/sampler"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
	"jobgait/configs"
)

// host is where counters are read; tests give another.
type host struct {
	proc, sys string
	open      perf.Opener
}

// inputs are the sources of one run, and what could not be had.
type inputs struct {
	sources []counter.Source
	code    *address.Source // nil without code addresses
	cpu     *kernel.JobCPU
	members members
	cpus    int
	stepNS  int64
	rate    address.Rate
	absent  []summary.Source
	notes   []note.Note
}

// members are the job's processes.
type members interface {
	Has(pid int) bool
	List() []int
}

// others leaves the agent itself out: its environment names the job, so that a
// job of root would never end.
type others struct{ members }

func (o others) Has(pid int) bool { return pid != os.Getpid() && o.members.Has(pid) }

func (o others) List() []int {
	return slices.DeleteFunc(o.members.List(), func(pid int) bool { return pid == os.Getpid() })
}

// How often all processes of the node are asked whether they are the job's:
// code addresses find those that use CPU time by themselves.
const (
	listSlowNS = 30e9
	listFastNS = 2e9
)

// openInputs opens what the kernel allows, best first: the node's counters if
// the job has the node alone, code addresses of every CPU, those of one command,
// and in any case the CPU times in /proc.
func openInputs(h host, r job.Run, c configs.Agent) (*inputs, error) {
	cpus, err := kernel.OnlineCPUs(h.sys)
	if err != nil {
		return nil, err
	}
	in := &inputs{members: others{job.NewMembers(h.proc, r)}, cpus: len(cpus), stepNS: 1e9 / int64(c.RateHz)}
	in.openCounters(h, r, cpus)
	wanted := c.AddressHz
	if r.AddressHz != 0 {
		wanted = r.AddressHz
	}
	in.rate = address.ChooseRate(wanted, len(cpus), in.stepNS)
	// The timers interrupt every CPU: on a shared node a user's wish must not
	// cost the neighbours more than anybody's job does (4 kHz took 7 % of a
	// neighbour's time in a virtual machine).
	if usual := address.ChooseRate(c.AddressHz, len(cpus), in.stepNS); !r.Exclusive && r.RootPID == 0 && in.rate.Hz > usual.Hz {
		in.rate = usual
		in.notes = append(in.notes, note.New(note.BudgetLowered, "%d code addresses a second were wished; the node is shared, so there were %.0f", wanted, usual.Hz))
	}
	in.openAddresses(h, r, cpus)
	list := int64(listSlowNS)
	if in.code == nil {
		list = listFastNS
	}
	in.cpu = kernel.NewJobCPU(h.proc, in.members, perf.Now, list)
	in.sources = append(in.sources, in.cpu)
	if in.code != nil {
		in.code.OnJoin(in.cpu.Add)
	}
	return in, nil
}

func (in *inputs) openCounters(h host, r job.Run, cpus []int) {
	if !r.Exclusive {
		in.lack("node counters", "withheld: the job shares the node")
		in.notes = append(in.notes, note.New(note.NodeWithheld,
			"the job shares the node: counters of the whole node are not its own and were not recorded"))
		return
	}
	counters, err := perf.NewCounters(h.open, cpus, in.stepNS)
	if err != nil {
		in.lack("node counters", err.Error())
		return
	}
	in.sources = append(in.sources, counters)
}

func (in *inputs) openAddresses(h host, r job.Run, cpus []int) {
	p := address.Params{Proc: h.proc, CPUs: cpus, Rate: in.rate, StepNS: in.stepNS, Members: in.members}
	code, err := address.New(h.open, p)
	if perf.Forbidden(err) && r.RootPID != 0 {
		p.Root, p.Members = r.RootPID, address.Everyone{}
		code, err = address.New(h.open, p)
	}
	if err == nil {
		in.code = code
		in.sources = append(in.sources, code)
		return
	}
	in.lack("code", err.Error())
	if perf.Forbidden(err) {
		in.notes = append(in.notes, note.New(note.NoPerf, "%s", permission(h, err)))
	} else {
		in.notes = append(in.notes, note.New(note.NoAddresses, "code addresses could not be sampled: %v", err))
	}
	if len(in.sources) == 0 {
		in.notes = append(in.notes, note.New(note.SlowProc, "only the CPU time of the job's processes was read, at 10 Hz"))
	}
}

// permission says in one line what would give more.
func permission(h host, err error) string {
	level, ok := kernel.Paranoid(h.proc)
	switch {
	case !ok:
		return "this kernel has no perf events: no period can be found"
	case level > 2:
		return fmt.Sprintf("kernel.perf_event_paranoid is %d: set it to 2 or lower, or run as root or with CAP_PERFMON, to find the period", level)
	case level > 0:
		return fmt.Sprintf("kernel.perf_event_paranoid is %d: set it to 0 or lower, or run as root or with CAP_PERFMON, to find the period (%v)", level, err)
	}
	return fmt.Sprintf("perf_event_open is blocked here, perhaps by a container (%v): no period can be found", err)
}

func (in *inputs) lack(name, why string) {
	in.absent = append(in.absent, summary.Source{Name: name, Absent: why})
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
	h := profile.Header{Key: r.Key, Node: r.Node, StepNS: in.stepNS, CPUs: in.cpus, CPUModel: kernel.CPUModel("/proc"), Scope: in.scope(),
		Sources: append([]summary.Source{}, in.absent...), Notes: append([]note.Note{}, in.notes...)}
	if in.code != nil {
		h.AddressHz = in.rate.Hz
	}
	for _, s := range in.sources {
		h.Columns = append(h.Columns, s.Columns()...)
		h.Sources = append(h.Sources, s.Sources()...)
		h.Notes = append(h.Notes, s.Notes()...)
	}
	return h
}

func (in *inputs) shapes() []sampler.Shape {
	var shapes []sampler.Shape
	for _, s := range in.sources {
		shapes = append(shapes, sampler.Shape{Columns: len(s.Columns()), Lanes: s.Lanes(), PeriodNS: s.PeriodNS()})
	}
	return shapes
}

// programs is how much each program of the job ran.
func (in *inputs) programs() map[string]int64 {
	if in.code != nil {
		return in.code.Programs()
	}
	return in.cpu.Programs()
}

// build is the build id of a program of the job, "" where it is not known.
func (in *inputs) build(program string) string {
	if in.code == nil {
		return ""
	}
	return in.code.Build(program)
}

func (in *inputs) start() error {
	for _, s := range in.sources {
		if err := s.Start(); err != nil {
			return err
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
	return all
}
