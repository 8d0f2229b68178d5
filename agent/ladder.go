package main

import (
	"fmt"

	"jobgait/agent/cgroup"
	"jobgait/agent/counter/address"
	"jobgait/agent/counter/energy"
	"jobgait/agent/counter/jobevent"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/counter/polled"
	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/configs"
)

// ladder takes the sources of one run, best first. Every step down is a note. (Which
// events the counters of a node have is tried in package perf.)
//
//	                 exclusive node    shared node         jobgait run
//	counters         of the node       of the cgroup       of the command
//	energy, network  of the node       withheld            withheld
//	code addresses   by membership     by membership       of the command, where
//	                                                       the node is forbidden
//	files of cgroup  of the job        of the job          limits of the caller's
//	CPU times        of the job's processes, always
//	GPUs             those that a scheduler names   none
type ladder struct {
	in   *inputs
	h    host
	r    job.Run
	c    configs.Agent
	cpus []int
}

// rates chooses the step of the grid and the rate of code addresses so that
// both fit the budget. What had to be lowered is said where it is sampled at all.
func (l ladder) rates() {
	in, hz := l.in, l.c.RateHz
	if l.r.Exclusive {
		if hz = in.prices.counterHz(in.limitPct, l.c.RateHz); hz < l.c.RateHz {
			in.slowGrid = fmt.Sprintf("counters are sampled %d times a second, not %d: each time costs %.1f us, and the "+
				"agent may take %s of each CPU",
				hz, l.c.RateHz, in.prices.interruptNS/1e3, quantity.Chosen(in.limitPct))
		}
	}
	in.stepNS = 1e9 / int64(hz)
	wanted := l.c.AddressHz
	if l.r.AddressHz != 0 {
		wanted = l.r.AddressHz
	}
	in.rate = address.ChooseRate(wanted, in.cpus, in.stepNS)
	counters, reading := 0.0, 0.0
	if l.r.Exclusive {
		counters = float64(hz)
	} else {
		reading = in.prices.readPct(l.readHz(), l.readInterrupts())
	}
	room := in.prices.addressHz(in.limitPct, counters, reading)
	in.fit(room, wanted)
	// The share of `jobgait run` is large enough for its start.
	if first := in.prices.firstHz(room, in.rate.Hz); l.r.RootPID == 0 && first > 0 {
		in.first = address.ChooseRate(int(first), in.cpus, in.stepNS)
	}
}

// fit lowers the rate of addresses to what there is room for.
func (in *inputs) fit(room float64, wanted int) {
	if room >= in.rate.Hz {
		return
	}
	asked := in.rate.Hz
	if room < uselessHz {
		in.rate = address.Rate{}
		in.note(note.BudgetLowered, "no code addresses: there is no room for them within %s of each CPU, taken to cost "+
			"%.1f us each",
			quantity.Chosen(in.limitPct), in.prices.interruptNS/1e3)
		return
	}
	in.rate = address.ChooseRate(int(room), in.cpus, in.stepNS)
	// To fit is part of choosing, and the header has the rate; what is said is
	// when somebody wished another, or when little is left of the usual one.
	if wanted != 0 || in.rate.Hz < asked/4 {
		in.fewer = fmt.Sprintf("%.0f code addresses a second and CPU instead of %.0f: within %s of each CPU there is no "+
			"room for more, taken to cost %.1f us each",
			in.rate.Hz, asked, quantity.Chosen(in.limitPct), in.prices.interruptNS/1e3)
	}
}

// uselessHz is a rate of code addresses that shows nothing: the lowest that
// there is, ten a second.
const uselessHz = 10

// node opens the counters of the whole node, if they are the job's.
func (l ladder) node() {
	if !l.r.Exclusive {
		l.in.lack("node counters", "the job shares the node")
		l.in.note(note.NodeWithheld, "the job shares the node: counters of the whole node are not its own and were not "+
			"recorded")
		return
	}
	// All that are present: one that is offline now is counted when it comes.
	roots := kernel.Roots{Proc: l.h.proc, Sys: l.h.sys}
	counters, err := perf.NewCounters(l.h.open, roots, nil, l.in.stepNS)
	if err != nil {
		for _, s := range perf.Probe(l.h.open, roots, nil) {
			if s.Absent == "" {
				s.Absent = err.Error()
			}
			l.in.absent = append(l.in.absent, s)
		}
		return
	}
	l.in.ringed, l.in.counted = true, true
	l.in.add(counters)
	l.in.noteText(note.BudgetLowered, l.in.slowGrid)
}

// addresses samples code on every CPU, or that of one command.
func (l ladder) addresses() {
	in := l.in
	if in.rate.Hz == 0 {
		in.lack("code", "there is no room for it in agent.budget_pct")
		return
	}
	p := address.SamplingParams{Peek: in.peek, Sys: l.h.sys, CPUs: l.cpus, Rate: in.rate, StepNS: in.stepNS,
		Members: in.members}
	code, err := address.New(l.h.open, p)
	if perf.Forbidden(err) && l.r.RootPID != 0 {
		p.Root, p.Members = l.r.RootPID, nil
		code, err = address.New(l.h.open, p)
	}
	switch {
	case err == nil:
		in.code, in.ringed = code, true
		in.add(code)
		in.noteText(note.BudgetLowered, in.fewer)
		return
	case perf.Forbidden(err):
		in.note(note.NoPerf, "%s", permission(l.h, err))
	default:
		in.note(note.NoAddresses, "code addresses could not be sampled: %v", err)
	}
	in.lack("code", err.Error())
}

// own counts the events of the job alone, where the node's are not its own.
func (l ladder) own() {
	switch {
	case l.in.counted:
	case l.r.RootPID != 0:
		t, err := jobevent.NewTask(l.h.open, jobevent.TaskParams{Root: l.r.RootPID, CPUs: len(l.cpus), Hz: l.readHz()})
		if err != nil {
			l.in.lack("events of the command", err.Error())
			return
		}
		l.in.add(t)
	default:
		c, err := jobevent.NewCgroup(l.h.open,
			jobevent.CgroupParams{Sys: l.h.sys, CPUs: l.cpus, Hz: l.readHz(), Find: l.in.finder})
		if err != nil {
			l.in.lack("events of the job's cgroup", err.Error())
			return
		}
		l.in.add(c)
	}
}

// readHz is how often the job's own events are read.
func (l ladder) readHz() float64 {
	hz := l.in.prices.readHz(l.in.limitPct, l.readInterrupts())
	if l.r.RootPID != 0 {
		hz = min(hz, commandHz)
	}
	return hz
}

// commandHz is the most that a command's events are read: one by one, which at
// 34 Hz took 11 ms of CPU time a second on a busy virtual machine.
const commandHz = 25

// readInterrupts is the most that one reading causes: one for each CPU, and
// those of a command are read one by one.
func (l ladder) readInterrupts() int {
	if l.r.RootPID != 0 {
		return taskEvents * len(l.cpus)
	}
	return len(l.cpus)
}

// taskEvents is about how many events of a command are read.
const taskEvents = 4

// files are the slow sources: of the node where it is the job's, and of the
// job's cgroup, from when there is one; of a command's what limits it.
func (l ladder) files() {
	roots := kernel.Roots{Proc: l.h.proc, Sys: l.h.sys}
	if l.r.Exclusive {
		l.poll(l.h.slowOfNode()...)
		if !l.in.ringed {
			l.poll(kernel.Busy(roots))
		}
	}
	if l.r.RootPID != 0 {
		l.poll(kernel.Limits(kernel.NewJobCgroup(roots, cgroup.OfProcess(l.h.proc, l.r.RootPID))))
		return
	}
	jobs := kernel.NewJobCgroup(roots, believed(l.cgroupDir, rawcall.Now))
	l.poll(kernel.Job(jobs), kernel.Limits(jobs))
	l.in.frozen, l.in.unfreeze = jobs.Frozen()
}

func (l ladder) poll(openers ...polled.Opener) {
	for _, open := range openers {
		have, lack := open(rawcall.Now)
		for _, p := range have {
			l.in.add(p)
		}
		l.in.absent = append(l.in.absent, lack...)
	}
}

// slowOfNode are the sources of a node that is the job's alone which are read a few
// times a second: a line for each package (package polled says how to add one).
func (h host) slowOfNode() []polled.Opener {
	return []polled.Opener{
		energy.Open(h.open, h.sys),
		kernel.Node(kernel.Roots{Proc: h.proc, Sys: h.sys}),
	}
}

// cgroupDir is where the job's cgroup of a controller is, of v2 for "".
func (l ladder) cgroupDir(controller string) (string, bool) {
	if controller == "" {
		return l.in.finder.Unified()
	}
	return l.in.finder.V1(controller)
}

// How often all processes of the node are checked for membership: code addresses find processes that use CPU
// time without this.
const (
	listSlowNS = 30e9
	listFastNS = 2e9
)

// processes is the last step, always taken: CPU times in /proc.
func (l ladder) processes() {
	in, list := l.in, int64(listSlowNS)
	if in.code == nil {
		list = listFastNS
	}
	if !in.ringed {
		in.note(note.SlowProc, "nothing was sampled: files were read, 10 times a second at most")
	}
	in.cpu = kernel.NewJobCPU(l.h.proc, in.peek, in.members, rawcall.Now, list)
	in.cpu.SpaceWalksBy(func() int64 { return rawcall.CPU() + in.peek.CPU() })
	in.cpu.Apart(scheduler.OfRun(l.r).Own)
	if l.r.RootPID != 0 {
		in.cpu.Command(l.r.RootPID)
	}
	in.add(in.cpu)
	for _, s := range kernel.NewJobUse(l.h.proc, in.peek, in.cpu, rawcall.Now) {
		in.add(s)
	}
	if in.code == nil {
		in.cpu.FollowChildren() // there is no other source of new processes
	} else {
		in.code.OnJoin(func(pid int) {
			in.cpu.Add(pid)
			in.finder.Member(pid)
		})
	}
}

// permission says in one line what would give the period: what a command of
// one's own does would be enough.
func permission(h host, err error) string {
	why, cure := perf.Refusal(h.proc, 2, err)
	if cure == "" {
		return why + ": no period can be found"
	}
	return why + ": " + cure + ", to find the period"
}

// dirNS is how long the place of the job's cgroup is believed. To ask is an
// ordinary system call, which wakes Go's monitor thread (package rawcall): asked
// at each reading, ten times a second, it took a fifth of the agent's time. What a
// cgroup that appeared meanwhile has counted is not lost.
const dirNS = 500e6

// believed asks for each controller no more often than that.
func believed(find kernel.Dir, now func() int64) kernel.Dir {
	type answer struct {
		dir   string
		ok    bool
		until int64
	}
	known := map[string]answer{}
	return func(controller string) (string, bool) {
		a, asked := known[controller]
		if at := now(); !asked || at >= a.until {
			a.dir, a.ok = find(controller)
			a.until = at + dirNS
			known[controller] = a
		}
		return a.dir, a.ok
	}
}
