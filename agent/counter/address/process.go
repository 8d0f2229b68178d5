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
	exe         string
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
	p := t.process(s)
	if !p.member {
		return 0, false
	}
	if p.exe == "" {
		p.exe = kernel.Program(t.proc, int(s.pid))
		t.identify(p.exe, s.pid)
	}
	if _, known := t.exes[p.exe]; known || len(t.exes) < maxPrograms {
		t.exes[p.exe]++
	}
	return t.page(p, s), true
}

// identify finds out the build of a program, until a process has told it: the
// first may be gone when its samples are read. One that was replaced while the
// job ran is that of the first that told.
func (t *table) identify(exe string, pid int32) {
	if exe == kernel.NoProgram || t.builds[exe] != "" || len(t.builds) >= maxPrograms {
		return
	}
	if id := t.files.build(pid); id != "" {
		t.builds[exe] = id
	}
}

// process returns the entry of a sample's process, made or renewed as needed.
func (t *table) process(s sample) *process {
	p := t.procs[s.pid]
	switch {
	case p == nil:
		if len(t.procs) >= maxProcesses {
			clear(t.procs)
		}
		p = &process{}
		t.procs[s.pid] = p
	case p.member || s.time < p.until:
		return p
	}
	p.member = t.members.Has(int(s.pid))
	// 10 to 20 s, by pid: not all at once, and at no period.
	p.until = s.time + 10e9 + int64(uint32(s.pid)*2654435761)%10e9
	if p.member {
		t.joined(int(s.pid))
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
		t.readMaps(p, s)
		p.last = p.space.find(s.ip)
	}
	if p.last < 0 {
		p.last = 0
		return profile.AnonymousPage
	}
	return t.key(p, s)
}

func (t *table) readMaps(p *process, s sample) {
	p.wait = min(max(2*p.wait, 1e9), 64e9)
	p.read, p.again = true, s.time+p.wait
	f, err := os.Open(filepath.Join(t.proc, strconv.Itoa(int(s.pid)), "maps"))
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
		if p == nil {
			return
		}
		if !p.member {
			delete(t.procs, e.pid) // ask again
			return
		}
		// Its areas follow as records.
		*p = process{member: true, read: true, space: nil}
	case mapped:
		if p != nil && p.member && p.read && len(p.space) < maxAreas {
			p.space, p.last = p.space.with(e.area), 0
		}
	}
}

// fork makes the child of a member a member, with its parent's code and
// program. A child of another may still become one: nothing is remembered.
func (t *table) fork(e event) {
	delete(t.procs, e.pid)
	parent := t.procs[e.parent]
	if parent == nil || !parent.member || len(t.procs) >= maxProcesses {
		return
	}
	t.procs[e.pid] = &process{member: true, space: parent.space, read: parent.read, exe: parent.exe}
	t.joined(int(e.pid))
}

// forget drops everything but the counts: after lost records nothing is sure.
func (t *table) forget() { clear(t.procs) }
