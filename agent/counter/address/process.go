package address

import (
	"os"
	"path/filepath"
	"strconv"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/profile"
)

// Membership tells whether a process belongs to the job.
type Membership interface{ Has(pid int) bool }

// Everyone is the membership of samples that can only be the job's own.
type Everyone struct{}

// Has is true.
func (Everyone) Has(int) bool { return true }

// process is what is remembered of a process.
type process struct {
	member bool
	// until is when a "no" must be asked again: a process can join the
	// job's cgroup without an exec.
	until int64
	space space
	read  bool // space is that of the process, from /proc or from records
	// again is when /proc/PID/maps may be read again, after wait more.
	again, wait int64
	last        int // area that the last sample was in
	// exe is the base name of its program, "" as long as nobody needed it;
	// short is what it is called, at most 15 letters; build the build id of
	// its program, "" if no record said. named is set when the program has
	// been told of; fresh from an exec to its first mapping.
	exe, short, build string
	named, fresh      bool
}

// table is all processes that were sampled.
type table struct {
	proc    string
	members Membership
	files   *identifier
	procs   map[int32]*process
	// exes counts samples by program; builds says which build it is.
	exes   map[string]int64
	builds map[string]string
	// joined is told each process of the job that was found.
	joined func(pid int)
}

const (
	maxProcesses = 1 << 16
	maxPrograms  = 256
)

func newTable(proc string, members Membership) *table {
	return &table{proc: proc, members: members, files: newIdentifier(proc),
		procs: map[int32]*process{}, exes: map[string]int64{}, builds: map[string]string{}, joined: func(int) {}}
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
	if !p.named {
		t.name(p, s.pid)
		t.identify(p, s.pid)
		p.named = true
	}
	if _, known := t.exes[p.exe]; known || len(t.exes) < maxPrograms {
		t.exes[p.exe]++
	}
	return t.page(p, s), true
}

// name finds out the program of a process, unless a record has told it: many are
// gone when their samples are read.
func (t *table) name(p *process, pid int32) {
	if p.exe != "" {
		return
	}
	p.exe = kernel.Program(t.proc, int(pid))
	if p.exe == kernel.NoProgram && p.short != "" {
		p.exe = p.short
	}
}

// identify finds out the build of a program, until a process has told it: the
// first may be gone when its samples are read. One that was replaced while the
// job ran is that of the first that told.
func (t *table) identify(p *process, pid int32) {
	if p.exe == kernel.NoProgram || t.builds[p.exe] != "" || len(t.builds) >= maxPrograms {
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
func (t *table) process(pid int32, at int64) *process {
	p := t.procs[pid]
	switch {
	case p == nil:
		if len(t.procs) >= maxProcesses {
			clear(t.procs)
		}
		p = &process{}
		t.procs[pid] = p
	case p.member || at < p.until:
		return p
	}
	p.member = t.members.Has(int(pid))
	// 10 to 20 s, by pid: not all at once, and at no period.
	p.until = at + 10e9 + int64(uint32(pid)*2654435761)%10e9
	if p.member {
		t.joined(int(pid))
	}
	return p
}

// page finds the code page. When an address is in no known area the maps are
// read again, at most once in 1, 2, 4.. seconds: records may have been lost.
func (t *table) page(p *process, s sample) uint64 {
	switch s.mode {
	case kernelCode:
		return profile.KernelPage
	case otherCode:
		return profile.AnonymousPage
	}
	if p.last < len(p.space) && p.space[p.last].start <= s.ip && s.ip < p.space[p.last].end {
		return t.key(p, s)
	}
	p.last = p.space.find(s.ip)
	if p.last < 0 && (!p.read || s.time >= p.again) {
		t.readMaps(p, s.pid, s.time)
		p.last = p.space.find(s.ip)
	}
	if p.last < 0 {
		p.last = 0
		return profile.AnonymousPage
	}
	return t.key(p, s)
}

func (t *table) readMaps(p *process, pid int32, at int64) {
	p.wait = min(max(2*p.wait, 1e9), 64e9)
	p.read, p.again = true, at+p.wait
	f, err := os.Open(filepath.Join(t.proc, strconv.Itoa(int(pid)), "maps"))
	if err != nil {
		return
	}
	defer f.Close()
	if now, err := parseMaps(f); err == nil && len(now) > 0 {
		p.space = now
	}
}

func (t *table) key(p *process, s sample) uint64 {
	a := &p.space[p.last]
	if a.anonymous() {
		return profile.AnonymousPage
	}
	file := a.file
	if file == 0 {
		file = t.files.file(s.pid, *a)
	}
	return pageKey(file, a.offset+(s.ip-a.start))
}

// apply keeps the table true between two samples.
func (t *table) apply(e event) {
	p := t.procs[e.pid]
	switch e.kind {
	case forked:
		t.fork(e)
	case exited:
		delete(t.procs, e.pid)
	case execed:
		t.exec(e, p)
	case mapped:
		if p == nil || !p.member || !p.read || len(p.space) >= maxAreas {
			return
		}
		if p.fresh && !e.area.anonymous() {
			// Samples in the exec itself had a makeshift name.
			p.exe, p.build, p.named, p.fresh = e.name, e.build, false, false
		}
		p.space, p.last = p.space.with(e.area), 0
	}
}

// exec begins a program anew. Its areas follow as records, first that of the
// program itself, from which its name is: for a script that is the interpreter,
// as in /proc/PID/exe.
func (t *table) exec(e event, p *process) {
	_, all := t.members.(Everyone)
	switch {
	case all && p == nil && len(t.procs) < maxProcesses:
		p = &process{}
		t.procs[e.pid] = p
		t.joined(int(e.pid))
	case p == nil:
		return
	case !p.member:
		delete(t.procs, e.pid) // ask again
		return
	}
	*p = process{member: true, read: true, short: e.name, fresh: true}
}

// fork makes the child of a member a member, with its parent's code and program:
// it may be gone before anybody can ask. A parent that was never sampled, a shell
// for example, is asked now. A child of another may still become one: nothing
// is remembered of it.
func (t *table) fork(e event) {
	delete(t.procs, e.pid)
	if e.parent <= 2 || len(t.procs) >= maxProcesses { // init's, or a thread of the kernel
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
	t.procs[e.pid] = &process{member: true, space: parent.space, read: parent.read, exe: parent.exe, short: parent.short, build: parent.build}
	t.joined(int(e.pid))
}

// forget drops everything but the counts: after lost records nothing is sure.
func (t *table) forget() { clear(t.procs) }
