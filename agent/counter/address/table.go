package address

import (
	"jobgait/agent/counter"
	"jobgait/agent/peek"
	"jobgait/agent/rawcall"
)

// processEntry is what the table stores about a process.
type processEntry struct {
	member bool
	// recheckNS is when the membership of a process outside the job is checked again: a process can join the job's
	// cgroup without an exec.
	recheckNS int64
	code      *sharedCode // nil if unknown
	read      bool        // code is that of the process, from /proc or from records
	// nextMapsNS is when /proc/PID/maps may be read again, mapsWaitNS the interval, see delayMaps.
	nextMapsNS, mapsWaitNS int64
	lastArea               int // index of the area of the last sample
	// exe is the base name of its program, "" until it is needed. short is the kernel's name of the task, at most
	// 15 letters. build is the build id of its program, "" if no record had one. named is set once the program was
	// reported; justExeced is set from an exec to its first mapping.
	exe, short, build string
	named, justExeced bool
	// counted is set once the process was counted as one that executes its program.
	counted bool
	// hits counts the samples of its program, nil if there are too many programs.
	hits *activity
	// unnamed counts the samples taken while the program was unknown. nextLookupNS is the time of the next lookup,
	// lookupWaitNS the interval, which doubles each time.
	unnamed, nextLookupNS, lookupWaitNS int64
}

// table has all processes that were sampled, with their membership, program and code.
type table struct {
	peek    peek.Reader
	members counter.Members // nil if all sampled processes are the job's
	files   *identifier
	procs   map[int32]*processEntry
	// areas is the number of areas of all processes, shared ones counted once.
	areas int
	// lookupBudget limits the CPU time, in ns as measured by cpu, for lookups about processes.
	lookupBudget peek.Allowance
	cpu          func() int64
	// programHits is what each program did, by name, in bins of grid; builds says which build it is.
	programHits map[string]*activity
	grid        activityGrid
	builds      map[string]string
	// hitTable counts hits by place, nil if that is not enabled.
	hitTable *hitTable
	// waiting separates waiting threads from others.
	waiting waiting
	// usesMPI is whether a process has mapped a library that communicates.
	usesMPI bool
	// waitingPages are the sampled pages of libraries that busy-wait.
	waitingPages map[uint64]bool
	// counted is, by process, the program that was counted for it when the table was last cleared. ended are the
	// members that ended since the last drain.
	counted map[int32]string
	ended   map[int32]bool
	// onJoin is called with each process found to belong to the job.
	onJoin func(pid int)
}

// Limits of the table: 65,536 processes, half a million areas of 56 bytes (a thousand for each of 512
// processes), and 256 programs. What does not fit is dropped and looked up again.
const (
	maxProcesses = 1 << 16
	maxAllAreas  = 1 << 19
	maxPrograms  = 256
)

// The limit of CPU time for lookups: 4 % of a CPU in the long run, and a second at once, which suffices for the
// first samples of 300 programs with maps of 200 KB. In a virtual machine, a membership lookup took 180 us with
// ten ancestors (5 us for a process that was gone) and reading 400 KB of maps 5 ms. A process that may not be
// looked up yet counts as outside the job, and its code as in no file.
const lookupNSPerS, maxLookupNS = 4e7, 1e9

// newTable returns an empty table that reads processes through p.
func newTable(p peek.Reader, members counter.Members) *table {
	cpu := rawcall.CPU // which is what the budget counts
	if child, ok := p.(*peek.Child); ok {
		cpu = func() int64 { return rawcall.CPU() + child.CPU() }
	}
	return &table{peek: p, members: members, files: newIdentifier(p),
		lookupBudget: peek.Allowance{PerS: lookupNSPerS, Most: maxLookupNS}, cpu: cpu,
		procs: map[int32]*processEntry{}, programHits: map[string]*activity{}, builds: map[string]string{},
		onJoin:  func(int) {},
		waiting: waiting{}, waitingPages: map[uint64]bool{}, counted: map[int32]string{}, ended: map[int32]bool{}}
}

// add adds a process. If the table is full, it drops all others.
func (t *table) add(pid int32, p processEntry) *processEntry {
	if len(t.procs) >= maxProcesses {
		t.forget()
	}
	t.procs[pid] = &p
	return &p
}

// drop removes a process from the table.
func (t *table) drop(pid int32) {
	if p := t.procs[pid]; p != nil {
		t.setCode(p, nil)
		delete(t.procs, pid)
	}
}

// forget removes the entries of all processes. It is called where entries may be outdated, as after lost
// records, and where the table is full. It keeps the sample counts, and which program each process was counted
// for.
func (t *table) forget() {
	if len(t.counted) > maxProcesses {
		clear(t.counted)
	}
	for pid, p := range t.procs {
		if p.counted {
			t.counted[pid] = p.exe
		}
		t.setCode(p, nil)
	}
	clear(t.procs)
}

// isMember reports whether a process is known to belong to the job.
func (t *table) isMember(pid int32) bool {
	p := t.procs[pid]
	return p != nil && p.member
}

// hit counts a sample and returns the key of its page; ok is false for samples of processes outside the job.
func (t *table) hit(s sample) (page uint64, ok bool) {
	if s.pid <= 0 {
		return 0, false // the idle task, or one that is being buried
	}
	p := t.entryFor(s.pid, s.time)
	if !p.member {
		return 0, false
	}
	if !p.named || p.exe == peek.NoProgram && s.time >= p.nextLookupNS {
		t.nameProgram(p, s)
	}
	if p.hits != nil {
		t.countSample(p.hits, s.time)
		t.countProcess(p, s.pid, s.time)
	}
	if p.exe == peek.NoProgram {
		p.unnamed++
	}
	page = t.page(p, s)
	is := serves
	if s.mode == kernelCode {
		is = system
	}
	if s.mode == userCode && p.code.holds(p.lastArea, s.ip) {
		is = p.code.areas[p.lastArea].purpose
	}
	t.waiting.hit(s.tid, is)
	return page, true
}

// nameProgram sets the program that a process runs and the activity in which its samples are counted, and finds the
// build id of the program. On an overloaded machine the lookup may get no answer. It is then repeated after 1 s, with
// the interval doubled each time, and the program gets the samples that were counted for NoProgram meanwhile.
func (t *table) nameProgram(p *processEntry, s sample) {
	if p.exe == peek.NoProgram {
		p.exe = ""
	}
	t.findProgram(p, s.pid)
	t.findBuild(p, s.pid)
	before := p.hits
	p.named, p.hits = true, t.activityOf(p.exe)
	if p.exe == peek.NoProgram {
		p.lookupWaitNS = max(2*p.lookupWaitNS, 1e9)
		p.nextLookupNS = s.time + p.lookupWaitNS
		return
	}
	if before != nil && p.hits != nil {
		before.samples -= p.unnamed
		p.hits.samples += p.unnamed
	}
	p.unnamed = 0
}

// activityOf returns the activity of a program, added if it is new; nil if the program is new and there are
// already maxPrograms.
func (t *table) activityOf(exe string) *activity {
	a, known := t.programHits[exe]
	if !known && len(t.programHits) < maxPrograms {
		a = &activity{}
		t.programHits[exe] = a
	}
	return a
}

// programs returns the number of samples by program.
func (t *table) programs() map[string]int64 {
	out := make(map[string]int64, len(t.programHits))
	for name, n := range t.programHits {
		out[name] = n.samples
	}
	return out
}

// findProgram sets the program of a process, unless a record has: from /proc, else its short name. Many
// processes are gone when their samples are read.
func (t *table) findProgram(p *processEntry, pid int32) {
	if p.exe != "" {
		return
	}
	p.exe = peek.ProgramOf(t.peek, int(pid))
	if p.exe == peek.NoProgram && p.short != "" {
		p.exe = p.short
	}
}

// findBuild sets the build id of a program, from a record or the process's executable, unless it is known. If
// the program was replaced while the job ran, the first known build id stays.
func (t *table) findBuild(p *processEntry, pid int32) {
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

// entryFor returns the entry of a process, added if it is new. For a new process, and for one outside the job every 10
// to 20 s, it looks up whether the process belongs to the job; if the lookup budget is used up at the time at, the
// process counts as outside the job for another second. It calls onJoin when a process is found to belong to the job.
func (t *table) entryFor(pid int32, at int64) *processEntry {
	p := t.procs[pid]
	switch {
	case p == nil:
		p = t.add(pid, processEntry{})
	case p.member || at < p.recheckNS:
		return p
	}
	if p.member = t.members == nil; !p.member {
		if !t.lookupBudget.Allows(at) {
			p.recheckNS = at + 1e9
			return p
		}
		before := t.cpu()
		p.member = t.members.Has(int(pid))
		t.lookupBudget.Spend(t.cpu() - before)
	}
	// 10 to 20 s, by pid: not all at once, and at no period.
	p.recheckNS = at + 10e9 + int64(uint32(pid)*2654435761)%10e9
	if p.member {
		t.onJoin(int(pid))
	}
	return p
}

// apply updates the table by a process event. It adds the child of a member, removes a process that ended, resets
// one that began another program, and adds the code that a member has mapped. The first file mapped after an exec
// gives the program its name and build id.
func (t *table) apply(e event) {
	p := t.procs[e.pid]
	switch e.kind {
	case forked:
		t.fork(e)
	case exited:
		if p != nil && p.member {
			t.countProcess(p, e.pid, e.time)
			t.ended[e.pid] = true
		}
		delete(t.counted, e.pid)
		t.drop(e.pid)
	case execed:
		t.exec(e, p)
	case mapped:
		if p == nil || !p.member || !p.read {
			return
		}
		if p.justExeced && !e.area.anonymous() && e.name != peek.VDSO {
			// Samples in the exec itself had a makeshift name.
			p.exe, p.build, p.named, p.justExeced = baseName(e.name), e.build, false, false
			t.countProcess(p, e.pid, e.time)
		}
		e.area.id, e.area.purpose = t.registerBuild(e.area, e.name, e.build), purposeOf(baseName(e.name))
		t.addArea(p, e.area)
	}
}

// exec resets the entry of a member that began another program. Records of its mappings follow. The first one is the
// program itself and gives its name: for a script that is the interpreter, as in /proc/PID/exe. A process outside the
// job is removed, so that its membership is looked up again. An unknown process is added if all are the job's.
func (t *table) exec(e event, p *processEntry) {
	switch {
	case t.members == nil && p == nil:
		p = t.add(e.pid, processEntry{})
		t.onJoin(int(e.pid))
	case p == nil:
		return
	case !p.member:
		t.drop(e.pid) // ask again
		return
	}
	t.setCode(p, nil)
	delete(t.counted, e.pid)
	*p = processEntry{member: true, read: true, short: e.name, justExeced: true}
}

// fork makes the child of a member a member, with its parent's code and program: it may be gone before a
// lookup. A parent that was never sampled, for example a shell, is looked up now. A child of a process outside
// the job may still become a member, so nothing is remembered about it.
func (t *table) fork(e event) {
	t.drop(e.pid)
	if e.parent <= 2 { // init's, or a thread of the kernel
		return
	}
	parent := t.entryFor(e.parent, e.time)
	if !parent.member {
		return
	}
	t.findProgram(parent, e.parent)
	if !parent.read {
		t.readMaps(parent, e.parent, e.time)
	}
	child := t.add(e.pid, processEntry{member: true, read: parent.read, exe: parent.exe, short: parent.short,
		build: parent.build})
	t.setCode(child, parent.code)
	t.onJoin(int(e.pid))
}
