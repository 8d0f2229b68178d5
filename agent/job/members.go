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
	rejected  map[int]rejection
	snapshot  *ProcessSnapshot
}

// rejection says that a process, identified by its start ticks, is not checked again before untilNS (CLOCK_MONOTONIC).
type rejection struct {
	start   uint64
	untilNS int64
}

// A check of a process that does not belong to the run costs some 200 us: its files are read by a child. A process
// older than settledNS, or a zombie, is not expected to join the run later, by an exec or a change of its cgroup or
// title, so it is checked again after recheckNS to 2 * recheckNS only.
const settledNS, recheckNS = 10e9, 10e9

// NewMembers returns the Members of a run, which reads processes below proc, normally "/proc". p reads files
// that wait for another process's memory lock; if p is nil, only cgroups and ancestry decide, which cannot
// hang.
func NewMembers(proc string, p peek.Reader, r Run, of Processes) *Members {
	return &Members{proc: proc, peek: p, run: r, scheduler: of, known: map[int]uint64{},
		rejected: map[int]rejection{}}
}

// snapshotNS is how long Has uses one snapshot of the other processes, in ns, since sampled processes share
// ancestors. Has is called about 40 times a second while a compilation runs beside the job.
const snapshotNS = 3e9

// Has reports whether a process belongs to the run. It reads this process at each call, but uses what it has read of
// other processes for up to snapshotNS. A process that was rejected stays so for up to 2 * recheckNS.
func (m *Members) Has(pid int) bool {
	if m.snapshot == nil || rawcall.Now()-m.snapshot.at > snapshotNS {
		m.snapshot = newSnapshot(m.proc, m.peek, m.known)
	}
	delete(m.snapshot.procs, pid)
	return m.isMember(pid, m.snapshot)
}

// List checks all processes of the node, except those that were rejected recently, and returns the pids of those that
// belong to the run, in ascending order. It then forgets members and rejected processes that have ended. It returns
// nil if /proc cannot be read.
func (m *Members) List() []int {
	entries, err := os.ReadDir(m.proc)
	if err != nil {
		return nil
	}
	l := newSnapshot(m.proc, m.peek, m.known)
	members, others := map[int]uint64{}, map[int]rejection{}
	var pids []int
	now := rawcall.Now()
	for _, pid := range pidsOf(entries) {
		// A process that reuses the id of a rejected one is found up to 2 * recheckNS late.
		if r, ok := m.rejected[pid]; (!ok || now >= r.untilNS) && m.isMember(pid, l) {
			pids = append(pids, pid)
			members[pid] = m.known[pid]
		} else if r, ok = m.rejected[pid]; ok {
			others[pid] = r
		}
	}
	m.known, m.rejected = members, others // forget the dead
	return pids
}

// Describe returns the details of the job that its processes with these pids have in their environment.
func (m *Members) Describe(pids []int) Details {
	return m.scheduler.Describe(newSnapshot(m.proc, m.peek, m.known), pids, m.run)
}

// isMember reports whether a process of the snapshot belongs to the run, and stores it in known if so. Otherwise it
// stores in rejected, for recheckNS to 2 * recheckNS, a process that will hardly join the run: init, a thread of the
// kernel, a zombie, or one older than settledNS whose files could all be read.
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
	now := rawcall.Now()
	if r, ok := m.rejected[pid]; ok && r.start == p.start && now < r.untilNS {
		return false
	}
	again := rejection{p.start, now + recheckNS + int64(uint32(pid)*2654435761)%recheckNS}
	if pid <= 2 || p.ppid == 2 { // init, the kernel's threads
		m.rejected[pid] = again
		return false
	}
	delete(m.rejected, pid)
	l.incomplete = false
	belongs := m.scheduler.Owns(l, p, m.run)
	switch {
	case belongs:
		m.known[pid] = p.start
	case p.state == 'Z' || !l.incomplete && rawcall.SinceBoot()-int64(p.start)*tickNS > settledNS:
		m.rejected[pid] = again
	}
	return belongs
}

// tickNS is the clock tick of /proc, which is 10 ms on all architectures.
const tickNS = 10_000_000
