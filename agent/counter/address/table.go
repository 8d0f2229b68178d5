package address

import (
	"jobgait/agent/counter"
	"jobgait/agent/peek"
	"jobgait/agent/rawcall"
)

// sampled is what is remembered of a process.
type sampled struct {
	member bool
	// until is when a "no" must be asked again: a process can join the
	// job's cgroup without an exec.
	until int64
	code  *code // nil outside any file
	read  bool  // code is that of the process, from /proc or from records
	// again is when /proc/PID/maps may be read again, after wait more.
	again, wait int64
	last        int // area that the last sample was in
	// exe is the base name of its program, "" until it is needed. short is the kernel's name of the task, at most
	// 15 letters. build is the build id of its program, "" if no record had one. named is set once the program was
	// reported; fresh is set from an exec to its first mapping.
	exe, short, build string
	named, fresh      bool
	// counted is set once the process was counted as one that executes its program.
	counted bool
	// hits are the samples of its program, nil where there are too many programs.
	hits *activity
	// unnamed counts the samples taken while the program was unknown. ask is the time of the next lookup, askWait
	// the interval, which grows each time.
	unnamed, ask, askWait int64
}

// table is all processes that were sampled.
type table struct {
	peek    peek.Reader
	members counter.Members // nil = whatever is sampled is the job's own
	files   *identifier
	procs   map[int32]*sampled
	// areas is how many all processes have, those that are shared once.
	areas int
	// asking is nanoseconds of CPU time, as cpu tells them, for questions
	// about processes.
	asking peek.Allowance
	cpu    func() int64
	// exes is what each program did, by name, in bins of grid; builds says which build it is.
	exes   map[string]*activity
	grid   activityGrid
	builds map[string]string
	// places counts where code was hit, nil if that is not recorded.
	places *places
	// waiting separates waiting threads from others.
	waiting waiting
	// usesMPI is whether a process has mapped a library that communicates.
	usesMPI bool
	// spins are the pages of libraries in which is waited with the CPU busy.
	spins map[uint64]bool
	// joined is called with each process of the job that was found.
	joined func(pid int)
}

// Bounds of what is remembered: 65,536 processes, and half a million areas of 56
// bytes, a thousand of them for each process of a node of 512. What does not
// fit is forgotten, and asked again.
const (
	maxProcesses = 1 << 16
	maxAllAreas  = 1 << 19
	maxPrograms  = 256
)

// To ask who a process is took 180 us of CPU time where it had ten ancestors (5
// where it was gone), to read 400 KB of maps 5 ms, in the virtual machine where
// this was measured. What processes make us spend on that is bounded: 4 % of a
// CPU, and a second at once, which is a node of 300 programs with maps of 200 KB
// when they are seen first. A process that we may not ask about yet is not the
// job's, and code that was not looked up is in no file.
const askPerS, askMost = 4e7, 1e9

func newTable(p peek.Reader, members counter.Members) *table {
	cpu := rawcall.CPU // which is what the budget counts
	if child, ok := p.(*peek.Child); ok {
		cpu = func() int64 { return rawcall.CPU() + child.CPU() }
	}
	return &table{peek: p, members: members, files: newIdentifier(p),
		asking: peek.Allowance{PerS: askPerS, Most: askMost}, cpu: cpu,
		procs: map[int32]*sampled{}, exes: map[string]*activity{}, builds: map[string]string{}, joined: func(int) {},
		waiting: waiting{}, spins: map[uint64]bool{}}
}

// add remembers a process. Where there is no room for one more, all others go.
func (t *table) add(pid int32, p sampled) *sampled {
	if len(t.procs) >= maxProcesses {
		t.forget()
	}
	t.procs[pid] = &p
	return &p
}

// drop forgets a process, forget everything but the counts: after lost records
// nothing is sure.
func (t *table) drop(pid int32) {
	if p := t.procs[pid]; p != nil {
		t.use(p, nil)
		delete(t.procs, pid)
	}
}
func (t *table) forget() {
	for _, p := range t.procs {
		t.use(p, nil)
	}
	clear(t.procs)
}

// hit returns the page that a sample is on; ok is false for samples of others.
func (t *table) hit(s sample) (page uint64, ok bool) {
	if s.pid <= 0 {
		return 0, false // the idle task, or one that is being buried
	}
	p := t.process(s.pid, s.time)
	if !p.member {
		return 0, false
	}
	if !p.named || p.exe == peek.NoProgram && s.time >= p.ask {
		t.callByName(p, s)
	}
	if p.hits != nil {
		t.at(p.hits, s.time)
		t.began(p, s.time)
	}
	if p.exe == peek.NoProgram {
		p.unnamed++
	}
	page = t.page(p, s)
	is := serves
	if s.mode == kernelCode {
		is = system
	}
	if s.mode == userCode && p.code.holds(p.last, s.ip) {
		is = p.code.areas[p.last].purpose
	}
	t.waiting.hit(s.tid, is)
	return page, true
}

// callByName finds the program that a process runs. On an overloaded machine a lookup may get no answer; with a
// single attempt, a job's only program was "?" for the whole run and a sed beside it became the application. So
// the lookup is repeated after 1 s, with the interval doubled each time, and the program then gets the samples
// taken meanwhile.
func (t *table) callByName(p *sampled, s sample) {
	if p.exe == peek.NoProgram {
		p.exe = ""
	}
	t.name(p, s.pid)
	t.identify(p, s.pid)
	before := p.hits
	p.named, p.hits = true, t.activityOf(p.exe)
	if p.exe == peek.NoProgram {
		p.askWait = max(2*p.askWait, 1e9)
		p.ask = s.time + p.askWait
		return
	}
	if before != nil && p.hits != nil {
		before.samples -= p.unnamed
		p.hits.samples += p.unnamed
	}
	p.unnamed = 0
}

// activityOf returns what a program did, nil for one more than fit.
func (t *table) activityOf(exe string) *activity {
	a, known := t.exes[exe]
	if !known && len(t.exes) < maxPrograms {
		a = &activity{}
		t.exes[exe] = a
	}
	return a
}

// programs are the samples by program.
func (t *table) programs() map[string]int64 {
	out := make(map[string]int64, len(t.exes))
	for name, n := range t.exes {
		out[name] = n.samples
	}
	return out
}

// name finds out the program of a process, unless a record has told it: many are
// gone when their samples are read.
func (t *table) name(p *sampled, pid int32) {
	if p.exe != "" {
		return
	}
	p.exe = peek.ProgramOf(t.peek, int(pid))
	if p.exe == peek.NoProgram && p.short != "" {
		p.exe = p.short
	}
}

// identify finds out the build of a program, until a process has told it: the
// first may be gone when its samples are read. One that was replaced while the
// job ran is that of the first that told.
func (t *table) identify(p *sampled, pid int32) {
	if p.exe == peek.NoProgram || t.builds[p.exe] != "" || len(t.builds) >= maxPrograms {
		return
	}
	id := p.build
	if id == "" {
		id = t.files.build(pid)
	}
	if id != "" {
		t.builds[p.exe] = id
	}
}

// process returns the entry of a process at a time, made or renewed as needed.
func (t *table) process(pid int32, at int64) *sampled {
	p := t.procs[pid]
	switch {
	case p == nil:
		p = t.add(pid, sampled{})
	case p.member || at < p.until:
		return p
	}
	if p.member = t.members == nil; !p.member {
		if !t.asking.May(at) {
			p.until = at + 1e9
			return p
		}
		before := t.cpu()
		p.member = t.members.Has(int(pid))
		t.asking.Spend(t.cpu() - before)
	}
	// 10 to 20 s, by pid: not all at once, and at no period.
	p.until = at + 10e9 + int64(uint32(pid)*2654435761)%10e9
	if p.member {
		t.joined(int(pid))
	}
	return p
}

// apply keeps the table true between two samples.
func (t *table) apply(e event) {
	p := t.procs[e.pid]
	switch e.kind {
	case forked:
		t.fork(e)
	case exited:
		if p != nil && p.member {
			t.began(p, e.time)
		}
		t.drop(e.pid)
	case execed:
		t.exec(e, p)
	case mapped:
		if p == nil || !p.member || !p.read {
			return
		}
		if p.fresh && !e.area.anonymous() {
			// Samples in the exec itself had a makeshift name.
			p.exe, p.build, p.named, p.fresh = baseName(e.name), e.build, false, false
			t.began(p, e.time)
		}
		e.area.id, e.area.purpose = t.knowBuild(e.area, e.name, e.build), purposeOf(baseName(e.name))
		t.place(p, e.area)
	}
}

// exec starts a new program in a process. Records of its mappings follow. The first one is the program itself
// and gives its name: for a script that is the interpreter, as in /proc/PID/exe.
func (t *table) exec(e event, p *sampled) {
	switch {
	case t.members == nil && p == nil:
		p = t.add(e.pid, sampled{})
		t.joined(int(e.pid))
	case p == nil:
		return
	case !p.member:
		t.drop(e.pid) // ask again
		return
	}
	t.use(p, nil)
	*p = sampled{member: true, read: true, short: e.name, fresh: true}
}

// fork makes the child of a member a member, with its parent's code and program: it may be gone before a
// lookup. A parent that was never sampled, for example a shell, is looked up now. A child of a process outside
// the job may still become a member, so nothing is remembered about it.
func (t *table) fork(e event) {
	t.drop(e.pid)
	if e.parent <= 2 { // init's, or a thread of the kernel
		return
	}
	parent := t.process(e.parent, e.time)
	if !parent.member {
		return
	}
	t.name(parent, e.parent)
	if !parent.read {
		t.readMaps(parent, e.parent, e.time)
	}
	child := t.add(e.pid, sampled{member: true, read: parent.read, exe: parent.exe, short: parent.short,
		build: parent.build})
	t.use(child, parent.code)
	t.joined(int(e.pid))
}
