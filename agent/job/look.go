package job

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/agent/cgroup"
	"jobgait/agent/peek"
	"jobgait/agent/rawcall"
)

// look is one look at /proc: what it has read it does not read again. What it reads
// itself waits for nobody's memory lock; peek is asked for the rest.
type look struct {
	proc  string
	peek  peek.Reader
	procs map[int]*process
	at    int64 // CLOCK_MONOTONIC ns
	buf   []byte
}

func newLook(proc string, r peek.Reader) *look {
	return &look{proc: proc, peek: r, procs: map[int]*process{}, at: rawcall.Now(), buf: make([]byte, 4096)}
}

type process struct {
	pid int
	stat
	cmdline []byte // nil until title knows it
}

// at returns a process, nil if it is gone.
func (l *look) process(pid int) *process {
	if p, ok := l.procs[pid]; ok {
		return p
	}
	var p *process
	if st, err := readStatInto(l.proc, pid, l.buf); err == nil {
		p = &process{pid: pid, stat: st}
	}
	l.procs[pid] = p
	return p
}

// file returns what a process's file says, until the next call.
func (l *look) file(pid int, name string) []byte {
	b, _ := rawcall.ReadRecord(filepath.Join(l.proc, strconv.Itoa(pid), name), l.buf, maxFile)
	return b
}

func (l *look) cgroups(pid int) []cgroup.Membership { return cgroup.Parse(l.file(pid, "cgroup")) }

// maxFile bounds what is read of one file.
const maxFile = 1 << 16

// title returns the command line of a slurmstepd, read once: processes share
// ancestors. That of one in the making is read again, until it says of which job.
// Anybody can write a title or take a name, so only root's count, or those of the
// job's own user where slurmd runs as an ordinary user; and nobody else is asked,
// since an answer waits for the process's memory lock.
func (l *look) title(p *process, user int) []byte {
	if p.cmdline != nil || !p.stepd {
		return p.cmdline
	}
	if uid := l.uid(p.pid); uid != 0 && uid != user {
		p.cmdline = []byte{}
		return nil
	}
	text := l.asked(peek.Question{File: peek.Cmdline, PID: p.pid, Max: maxFile})
	if _, ok := stepd(text); ok {
		p.cmdline = text
	}
	return text
}

// asked returns what a process's file says that waits for its memory lock, nil if
// there is no answer.
func (l *look) asked(q peek.Question) []byte {
	if l.peek == nil {
		return nil
	}
	text, err := l.peek.Ask(q)
	if err != nil {
		return nil
	}
	return text
}

// mayBe tells whether a process may be a user's, without asking for its real
// user, which takes 10 us: the owner of its files is its effective user, or root
// for programs that are not dumpable. A tree that is not the kernel's is ours.
func (l *look) mayBe(pid, uid int) bool {
	owner := rawcall.Owner(filepath.Join(l.proc, strconv.Itoa(pid), "stat"))
	return owner <= 0 || owner == uid || owner == os.Geteuid()
}

// uid returns the real user id, -1 if it cannot be read. The owner of /proc/PID
// would not do: it is root for programs that are not dumpable.
func (l *look) uid(pid int) int {
	for line := range bytes.Lines(l.file(pid, "status")) {
		if f := strings.Fields(string(line)); len(f) > 1 && f[0] == "Uid:" {
			if uid, err := strconv.Atoi(f[1]); err == nil {
				return uid
			}
		}
	}
	return -1
}

func pidsOf(entries []os.DirEntry) []int {
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	// ReadDir sorts by name: "10" before "9".
	slices.Sort(pids)
	return pids
}
