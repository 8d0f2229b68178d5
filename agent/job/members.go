package job

import (
	"bytes"
	"os"

	"jobgait/agent/cgroup"
	"jobgait/agent/peek"
	"jobgait/agent/rawcall"
	"jobgait/analysis/summary"
)

// Members says which processes of a node belong to a run. Under Slurm, first
// rule that speaks decides:
//
//   - the cgroup path names a job: this one, or another;
//   - an ancestor is slurmstepd, "slurmstepd: [<id>.<step>]": this job's, or another's;
//   - the process has the job's user and SLURM_JOB_ID=<id> in its environment.
//
// Cgroup and user are asked first: titles of others than slurmstepd and environments
// of other users are never read.
//
// With several slurmd on one host the job has processes of several nodes on it:
// one whose cgroup or environment names another node is not ours.
//
// Under `jobgait run` (RootPID) the command and its descendants belong.
// A process that was once found to belong does so until it ends, whatever
// becomes of its parents or its environment.
type Members struct {
	proc  string
	peek  peek.Reader
	run   Run
	known map[int]uint64 // start ticks of members found before
	last  *look
}

// NewMembers reads processes below proc, normally "/proc". What waits for another
// process's memory lock is asked of p; without it (nil) only cgroups and ancestry
// speak.
func NewMembers(proc string, p peek.Reader, r Run) *Members {
	return &Members{proc: proc, peek: p, run: r, known: map[int]uint64{}}
}

// lookNS is how long what was read of other processes is believed: those that
// were sampled share their ancestors. They are asked about some 40 times a second
// while somebody compiles beside the job.
const lookNS = 3e9

// Has tells whether a process belongs to the run.
func (m *Members) Has(pid int) bool {
	if m.last == nil || rawcall.Now()-m.last.at > lookNS {
		m.last = newLook(m.proc, m.peek)
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
	l := newLook(m.proc, m.peek)
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

// Forked tells that a process was just made by another: a child of a member is
// one, even if its parent ends before anybody looks.
func (m *Members) Forked(parent, child int) {
	if _, ok := m.known[parent]; !ok {
		return
	}
	if st, err := readStat(m.proc, child); err == nil {
		m.known[child] = st.start
	}
}

func (m *Members) member(pid int, l *look) bool {
	p := l.process(pid)
	if p == nil {
		delete(m.known, pid)
		return false
	}
	if start, ok := m.known[pid]; ok && start == p.start {
		return true
	}
	delete(m.known, pid)
	belongs := false
	switch {
	case pid <= 2 || p.ppid == 2: // init, the kernel's threads
	case m.run.RootPID != 0:
		belongs = m.descends(p, l)
	default:
		belongs = m.ofJob(p, l)
	}
	if belongs {
		m.known[pid] = p.start
	}
	return belongs
}

// ofJob applies Slurm's rules.
func (m *Members) ofJob(p *process, l *look) bool {
	place, placed := cgroup.Job(l.cgroups(p.pid))
	mine, foreign := m.judge(place, placed)
	if foreign {
		return false
	}
	user := m.run.Job.UID
	// From the parent on: with several slurmd a slurmstepd does not say whose
	// node it serves, and it is Slurm's, not the job's.
	for q, n := l.process(p.ppid), 0; !mine && q != nil && q.pid > 2 && n < maxDepth; q, n = l.process(q.ppid), n+1 {
		id, ok := stepd(l.title(q, user))
		if !ok {
			continue
		}
		if id != m.run.Key.JobID {
			return false
		}
		mine = true
	}
	if !mine && (!l.mayBe(p.pid, user) || l.uid(p.pid) != user) {
		return false
	}
	env := l.environ(p.pid)
	if other(env["SLURMD_NODENAME"], m.run.Node) || other(env["SLURM_CLUSTER_NAME"], m.run.Key.Cluster) {
		return false
	}
	return mine || env["SLURM_JOB_ID"] == m.run.Key.JobID.String()
}

// judge compares what the cgroup says with the run. An SLUID says nothing where
// the Prolog was not told ours: then the other rules decide.
func (m *Members) judge(p cgroup.Place, placed bool) (mine, foreign bool) {
	switch {
	case !placed:
		return false, false
	case other(p.Node, m.run.Node):
		return false, true
	case p.SLUID != "" && m.run.Key.SLUID == "":
		return false, false
	case p.SLUID != "":
		mine = p.SLUID == m.run.Key.SLUID
	default:
		mine = p.JobID == m.run.Key.JobID
	}
	return mine, !mine
}

// descends walks to the command of `jobgait run`.
func (m *Members) descends(p *process, l *look) bool {
	for n := 0; p != nil && n < maxDepth; p, n = l.process(p.ppid), n+1 {
		if p.pid == m.run.RootPID {
			return true
		}
		if start, ok := m.known[p.pid]; ok && start == p.start {
			return true
		}
	}
	return false
}

// maxDepth bounds the walk to the ancestors, against a changing /proc.
const maxDepth = 1000

func other(said, ours string) bool { return said != "" && ours != "" && said != ours }

// stepd returns the job id in the title of a slurmstepd, which writes
// "slurmstepd: [17.batch]" over its arguments.
func stepd(cmdline []byte) (summary.JobID, bool) {
	rest, ok := bytes.CutPrefix(cmdline, []byte("slurmstepd: ["))
	if !ok {
		return 0, false
	}
	digits, _, ok := bytes.Cut(rest, []byte("."))
	if !ok {
		return 0, false
	}
	id, err := summary.ParseJobID(string(digits))
	return id, err == nil
}
