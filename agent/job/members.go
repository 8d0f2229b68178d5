package job

import (
	"os"

	"jobgait/agent/peek"
	"jobgait/agent/rawcall"
)

// Members says which processes of a node belong to a run, by its scheduler's rules. A process that was once found to
// belong does so until it ends, whatever becomes of its parents or its environment.
type Members struct {
	proc  string
	peek  peek.Reader
	run   Run
	of    Processes
	known map[int]uint64 // start ticks of members found before
	last  *Look
}

// NewMembers reads processes below proc, normally "/proc". p reads files that wait for another process's memory
// lock; if p is nil, only cgroups and ancestry decide, which cannot hang.
func NewMembers(proc string, p peek.Reader, r Run, of Processes) *Members {
	return &Members{proc: proc, peek: p, run: r, of: of, known: map[int]uint64{}}
}

// lookNS is how long a snapshot of other processes is used: sampled processes share their ancestors. They are
// looked up about 40 times a second while a compilation runs beside the job.
const lookNS = 3e9

// Has tells whether a process belongs to the run.
func (m *Members) Has(pid int) bool {
	if m.last == nil || rawcall.Now()-m.last.at > lookNS {
		m.last = newLook(m.proc, m.peek, m.known)
	}
	delete(m.last.procs, pid)
	return m.member(pid, m.last)
}

// List returns the processes that belong to the run, in ascending order.
func (m *Members) List() []int {
	entries, err := os.ReadDir(m.proc)
	if err != nil {
		return nil
	}
	l := newLook(m.proc, m.peek, m.known)
	alive := map[int]uint64{}
	var pids []int
	for _, pid := range pidsOf(entries) {
		if m.member(pid, l) {
			pids = append(pids, pid)
			alive[pid] = m.known[pid]
		}
	}
	m.known = alive // forget the dead
	return pids
}

// Describe is what the run's processes with these ids say of it.
func (m *Members) Describe(pids []int) Details {
	return m.of.Describe(newLook(m.proc, m.peek, m.known), pids, m.run)
}

func (m *Members) member(pid int, l *Look) bool {
	p := l.Process(pid)
	if p == nil {
		delete(m.known, pid)
		return false
	}
	if l.Known(p) {
		return true
	}
	delete(m.known, pid)
	if pid <= 2 || p.ppid == 2 { // init, the kernel's threads
		return false
	}
	belongs := m.of.Owns(l, p, m.run)
	if belongs {
		m.known[pid] = p.start
	}
	return belongs
}
