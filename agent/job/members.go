package job

import (
	"os"

	"jobgait/agent/peek"
	"jobgait/agent/rawcall"
)

// Members decides which processes of a node belong to a run, by its scheduler's rules. A process that was once
// found to belong belongs until it ends, even if its parents end.
type Members struct {
	proc      string
	peek      peek.Reader
	run       Run
	scheduler Processes
	known     map[int]uint64 // start ticks of members found before
	snapshot  *ProcessSnapshot
}

// NewMembers returns the Members of a run, which reads processes below proc, normally "/proc". p reads files
// that wait for another process's memory lock; if p is nil, only cgroups and ancestry decide, which cannot
// hang.
func NewMembers(proc string, p peek.Reader, r Run, of Processes) *Members {
	return &Members{proc: proc, peek: p, run: r, scheduler: of, known: map[int]uint64{}}
}

// snapshotNS is how long Has uses one snapshot of the other processes, in ns, since sampled processes share
// ancestors. Has is called about 40 times a second while a compilation runs beside the job.
const snapshotNS = 3e9

// Has reports whether a process belongs to the run.
func (m *Members) Has(pid int) bool {
	if m.snapshot == nil || rawcall.Now()-m.snapshot.at > snapshotNS {
		m.snapshot = newSnapshot(m.proc, m.peek, m.known)
	}
	delete(m.snapshot.procs, pid)
	return m.isMember(pid, m.snapshot)
}

// List reads all processes of the node and returns the pids of those that belong to the run, in ascending
// order. It returns nil if /proc cannot be read.
func (m *Members) List() []int {
	entries, err := os.ReadDir(m.proc)
	if err != nil {
		return nil
	}
	l := newSnapshot(m.proc, m.peek, m.known)
	alive := map[int]uint64{}
	var pids []int
	for _, pid := range pidsOf(entries) {
		if m.isMember(pid, l) {
			pids = append(pids, pid)
			alive[pid] = m.known[pid]
		}
	}
	m.known = alive // forget the dead
	return pids
}

// Describe returns the details of the job that its processes with these pids have in their environment.
func (m *Members) Describe(pids []int) Details {
	return m.scheduler.Describe(newSnapshot(m.proc, m.peek, m.known), pids, m.run)
}

// isMember reports whether a process of the snapshot belongs to the run, and remembers it if so.
func (m *Members) isMember(pid int, l *ProcessSnapshot) bool {
	p := l.Process(pid)
	if p == nil {
		delete(m.known, pid)
		return false
	}
	if l.IsKnownMember(p) {
		return true
	}
	delete(m.known, pid)
	if pid <= 2 || p.ppid == 2 { // init, the kernel's threads
		return false
	}
	belongs := m.scheduler.Owns(l, p, m.run)
	if belongs {
		m.known[pid] = p.start
	}
	return belongs
}
