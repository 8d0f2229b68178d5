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

// counterOpener opens the sources of one run, best first. Each fallback is a note. (Package perf chooses the
// events of a node's counters.)
//
//	                 exclusive node    shared node         jobgait run
//	counters         of the node       of the cgroup       of the command
//	energy, network  of the node       withheld            withheld
//	code addresses   by membership     by membership; what of the command, where
//	                                   processes map and   the node is forbidden
//	                                   start of the cgroup
//	files of cgroup  of the job        of the job          limits of the caller's
//	CPU times        of the job's processes, always
//	GPUs             those that a scheduler names   none
type counterOpener struct {
	in   *inputs
	h    host
	r    job.Run
	c    configs.Agent
	cpus []int
}

// chooseRates chooses the step of the grid and the rate of code addresses so that both fit the budget, sets a
// lower rate of code addresses for the start phase if the budget needs it, and prepares notes for rates that
// had to be lowered.
func (l counterOpener) chooseRates() {
	in, hz := l.in, l.c.RateHz
	if l.r.Exclusive {
		if hz = in.prices.counterHz(in.limitPct, l.c.RateHz); hz < l.c.RateHz {
			in.slowGridNote = fmt.Sprintf("counters are sampled %d times a second, not %d: each time costs %.1f us, and "+
				"agent.budget_pct allows %s of each CPU",
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
	in.lowerAddressRate(room, wanted)
	// The share of `jobgait run` is large enough for its start.
	if first := in.prices.startAddressHz(room, in.rate.Hz); l.r.RootPID == 0 && first > 0 {
		in.startRate = address.ChooseRate(int(first), in.cpus, in.stepNS)
	}
}

// lowerAddressRate lowers the rate of addresses to room, the rate that the budget allows, in samples per second
// and CPU. Below minUsefulHz no addresses are sampled. wanted is the rate that the settings or the run request,
// 0 for none; it decides only whether a small reduction gives a note.
func (in *inputs) lowerAddressRate(room float64, wanted int) {
	if room >= in.rate.Hz {
		return
	}
	asked := in.rate.Hz
	if room < minUsefulHz {
		in.rate = address.Rate{}
		in.note(note.BudgetLowered, "the code that runs is not sampled, so the report names no functions: agent.budget_pct "+
			"allows %s of each CPU, too little at %.1f us for each sample",
			quantity.Chosen(in.limitPct), in.prices.interruptNS/1e3)
		return
	}
	in.rate = address.ChooseRate(int(room), in.cpus, in.stepNS)
	// A note is written only if a rate was requested or less than a fourth of the usual one is left: the header
	// has the rate anyway.
	if wanted != 0 || in.rate.Hz < asked/4 {
		in.fewerAddressesNote = fmt.Sprintf(
			"code is sampled %.0f times a second and CPU instead of %.0f: agent.budget_pct allows %s of each CPU, "+
				"and each sample costs %.1f us",
			in.rate.Hz, asked, quantity.Chosen(in.limitPct), in.prices.interruptNS/1e3)
	}
}

// minUsefulHz is the lowest rate of code addresses that is sampled, per second and CPU: with fewer no period
// shows.
const minUsefulHz = 10

// openNodeCounters opens the counters of the whole node if the job has the node exclusively, else records, with a
// note, that they are withheld. If they cannot be opened, it records each as absent, with the reason.
func (l counterOpener) openNodeCounters() {
	if !l.r.Exclusive {
		l.in.addAbsent("node counters", "the job shares the node")
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
	l.in.usesRings, l.in.nodeCounted = true, true
	l.in.add(counters)
	l.in.noteText(note.BudgetLowered, l.in.slowGridNote)
}

// openAddresses opens the sampling of code addresses on every CPU or, if that is forbidden under `jobgait run`,
// of the command's processes. If the budget has no room for it, or opening fails, it records that code is absent.
func (l counterOpener) openAddresses() {
	in := l.in
	if in.rate.Hz == 0 {
		in.addAbsent("code", "agent.budget_pct is too small for it: raise it")
		return
	}
	p := address.SamplingParams{Peek: in.peek, Sys: l.h.sys, CPUs: l.cpus, Rate: in.rate, StepNS: in.stepNS,
		Members: in.members}
	if !l.r.Exclusive && l.r.RootPID == 0 {
		p.Find = in.finder
	}
	code, err := address.New(l.h.open, p)
	if perf.IsForbidden(err) && l.r.RootPID != 0 {
		p.Root, p.Members = l.r.RootPID, nil
		code, err = address.New(l.h.open, p)
	}
	switch {
	case err == nil:
		in.code, in.usesRings = code, true
		in.add(code)
		in.noteText(note.BudgetLowered, in.fewerAddressesNote)
		return
	case perf.IsForbidden(err):
		in.note(note.NoPerf, "%s", refusalText(l.h, err))
	default:
		in.note(note.NoAddresses, "the code that ran could not be sampled, so the report names no functions: %v", err)
	}
	in.addAbsent("code", err.Error())
}

// openJobEvents opens the events of the job's own cgroup or command, if the counters of the node are not
// sampled. If that fails it records that they are absent.
func (l counterOpener) openJobEvents() {
	switch {
	case l.in.nodeCounted:
	case l.r.RootPID != 0:
		t, err := jobevent.NewTask(l.h.open, jobevent.TaskParams{Root: l.r.RootPID, CPUs: len(l.cpus), Hz: l.readHz()})
		if err != nil {
			l.in.addAbsent("events of the command", err.Error())
			return
		}
		l.in.add(t)
	default:
		c, err := jobevent.NewCgroup(l.h.open,
			jobevent.CgroupParams{Sys: l.h.sys, CPUs: l.cpus, Hz: l.readHz(), Find: l.in.finder})
		if err != nil {
			l.in.addAbsent("events of the job's cgroup", err.Error())
			return
		}
		l.in.add(c)
	}
}

// readHz returns how many times a second the job's own events are read: as often as the budget allows
// (prices.readHz), and at most maxCommandHz for a command.
func (l counterOpener) readHz() float64 {
	hz := l.in.prices.readHz(l.in.limitPct, l.readInterrupts())
	if l.r.RootPID != 0 {
		hz = min(hz, maxCommandHz)
	}
	return hz
}

// maxCommandHz is the highest rate at which a command's events are read. They are read one by one, which at 34
// Hz took 11 ms of CPU time a second on a busy virtual machine.
const maxCommandHz = 25

// readInterrupts returns the most interrupts that one reading of the job's events causes: one for each CPU,
// times commandEvents for a command.
func (l counterOpener) readInterrupts() int {
	if l.r.RootPID != 0 {
		return commandEvents * len(l.cpus)
	}
	return len(l.cpus)
}

// commandEvents is the approximate number of events of a command that are read.
const commandEvents = 4

// openFiles opens the sources that are read from files: those of the node if the job has it exclusively, and the usage
// and limits of the job's cgroup, which may appear later. A command has no cgroup of its own: of it only the limits
// are read, from the cgroups that it is in.
func (l counterOpener) openFiles() {
	roots := kernel.Roots{Proc: l.h.proc, Sys: l.h.sys}
	if l.r.Exclusive {
		l.addPolled(l.h.nodeFileOpeners()...)
		if !l.in.usesRings {
			l.addPolled(kernel.NodeBusyTime(roots))
		}
	}
	if l.r.RootPID != 0 {
		l.addPolled(kernel.JobLimits(kernel.NewJobCgroup(roots, cgroup.DirsOfProcess(l.h.proc, l.r.RootPID))))
		return
	}
	jobs := kernel.NewJobCgroup(roots, cachedDir(l.cgroupDir, rawcall.Now))
	l.addPolled(kernel.JobUsage(jobs), kernel.JobLimits(jobs))
	l.in.frozen, l.in.closeFrozen = jobs.Frozen()
}

// addPolled adds the sources that the openers open, and records those that are absent.
func (l counterOpener) addPolled(openers ...polled.Opener) {
	for _, open := range openers {
		have, lack := open(rawcall.Now)
		for _, p := range have {
			l.in.add(p)
		}
		l.in.absent = append(l.in.absent, lack...)
	}
}

// nodeFileOpeners returns the openers of sources of a whole node that are read from files a few times a second,
// for an exclusive job: one line for each package (package polled says how to add one).
func (h host) nodeFileOpeners() []polled.Opener {
	return []polled.Opener{
		energy.Open(h.open, h.sys),
		kernel.Node(kernel.Roots{Proc: h.proc, Sys: h.sys}),
	}
}

// cgroupDir returns the directory of the job's cgroup for a v1 controller, or of v2 for ""; false if it is not
// known.
func (l counterOpener) cgroupDir(controller string) (string, bool) {
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

// openProcesses opens the sources of CPU times and resource use in /proc, which every run has. New processes of the job
// come from the sampling of code addresses; without it, from the children of known processes and a more frequent
// search. It adds a note if no source records into rings of the kernel.
func (l counterOpener) openProcesses() {
	in, list := l.in, int64(listSlowNS)
	if in.code == nil {
		list = listFastNS
	}
	if !in.usesRings {
		in.note(note.SlowProc, "nothing was sampled by perf events: files below /proc were read, at most 10 times a second")
	}
	in.cpu = kernel.NewJobCPU(l.h.proc, in.peek, in.members, rawcall.Now, list)
	in.cpu.SetCostClock(func() int64 { return rawcall.CPU() + in.peek.CPU() })
	in.cpu.SetSchedulerPrograms(scheduler.ForRun(l.r).IsSchedulerProgram)
	if l.r.RootPID != 0 {
		in.cpu.SetCommand(l.r.RootPID)
	}
	in.add(in.cpu)
	use, totals := kernel.NewJobUse(l.h.proc, in.peek, in.cpu, rawcall.Now)
	in.use = totals
	for _, s := range use {
		in.add(s)
	}
	if in.code == nil {
		in.cpu.FollowChildren() // there is no other source of new processes
	} else {
		in.code.OnJoin(func(pid int) {
			in.cpu.Add(pid)
			in.finder.AddMember(pid)
		})
	}
}

// refusalText returns one line that says why the kernel refused perf events, and which setting would permit
// finding the period.
func refusalText(h host, err error) string {
	why, cure := perf.Refusal(h.proc, 2, err)
	if cure == "" {
		return why + ": no period can be found"
	}
	return why + ": " + cure + ", to find the period"
}

// dirCacheNS is how long the directory of the job's cgroup is cached. A lookup is an ordinary system call,
// which wakes Go's monitor thread (package rawcall): at each reading, ten times a second, it took a fifth of
// the agent's time. What a cgroup that appeared meanwhile has counted is not lost.
const dirCacheNS = 500e6

// cachedDir returns a function that caches the result of find for each controller for dirCacheNS.
func cachedDir(find kernel.CgroupDirFunc, now func() int64) kernel.CgroupDirFunc {
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
			a.until = at + dirCacheNS
			known[controller] = a
		}
		return a.dir, a.ok
	}
}
