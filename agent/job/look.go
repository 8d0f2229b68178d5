package job

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/agent/cgroup"
	"jobgait/agent/peek"
	"jobgait/agent/rawcall"
)

// Look is a snapshot of /proc: it reads each file once. It reads only files that need no memory lock; peek
// reads the others.
type Look struct {
	proc  string
	peek  peek.Reader
	procs map[int]*Entry
	known map[int]uint64 // start ticks of those found to belong before
	at    int64          // CLOCK_MONOTONIC ns
	buf   []byte
}

func newLook(proc string, r peek.Reader, known map[int]uint64) *Look {
	return &Look{proc: proc, peek: r, known: known, procs: map[int]*Entry{}, at: rawcall.Now(), buf: make([]byte, 4096)}
}

// Entry is a process as one look found it.
type Entry struct {
	PID int
	stat
	// Title is the scheduler's, for what it has read of a process of its own that
	// other processes descend from; nil until then.
	Title []byte
}

// Parent is the id of the process's parent.
func (p *Entry) Parent() int { return p.ppid }

// Named tells whether the process's name begins so, as any can have it.
func (p *Entry) Named(prefix string) bool { return bytes.HasPrefix(p.name[:], []byte(prefix)) }

// Process returns a process, nil if it is gone.
func (l *Look) Process(pid int) *Entry {
	if p, ok := l.procs[pid]; ok {
		return p
	}
	var p *Entry
	if st, err := readStatInto(l.proc, pid, l.buf); err == nil {
		p = &Entry{PID: pid, stat: st}
	}
	l.procs[pid] = p
	return p
}

// Above returns the process and its ancestors, nearest first, as far as init.
func (l *Look) Above(pid int) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		p := l.Process(pid)
		for n := 0; p != nil && p.PID > 2 && n < maxDepth && yield(p); n++ {
			p = l.Process(p.ppid)
		}
	}
}

// maxDepth bounds the walk to the ancestors, against a changing /proc.
const maxDepth = 1000

// file returns what a process's file says, until the next call.
func (l *Look) file(pid int, name string) []byte {
	b, _ := rawcall.ReadRecord(filepath.Join(l.proc, strconv.Itoa(pid), name), l.buf, maxFile)
	return b
}

// Cgroups returns the cgroups of a process.
func (l *Look) Cgroups(pid int) []cgroup.Membership { return cgroup.Parse(l.file(pid, "cgroup")) }

// maxFile bounds what is read of one file.
const maxFile = 1 << 16

// CommandLine returns what /proc/PID/cmdline says. Reading waits for the process's memory lock: only processes
// of root and of the job's own user are read.
func (l *Look) CommandLine(pid int) []byte {
	return l.asked(peek.ProcQuestion{File: peek.Cmdline, PID: pid, Max: maxFile})
}

// Environ returns the variables with these beginnings that a process was started with.
// Nothing else of a user's environment is looked at: it holds tokens and passwords. It
// waits as CommandLine does.
func (l *Look) Environ(pid int, prefixes ...string) map[string]string {
	return Variables(l.asked(peek.ProcQuestion{File: peek.Environ, PID: pid, Max: maxEnviron}), prefixes...)
}

// maxEnviron bounds what is read of /proc/PID/environ: 1 MiB holds any
// environment met in practice, and the user decides on its size.
const maxEnviron = 1 << 20

// Variables returns the variables of an environment, as /proc/PID/environ has it, whose names begin so.
func Variables(b []byte, prefixes ...string) map[string]string {
	env := map[string]string{}
	for len(b) > 0 {
		var v []byte
		v, b, _ = bytes.Cut(b, []byte{0})
		if !slices.ContainsFunc(prefixes, func(p string) bool { return bytes.HasPrefix(v, []byte(p)) }) {
			continue
		}
		name, value, ok := strings.Cut(string(v), "=")
		if _, before := env[name]; ok && !before { // getenv takes the first
			env[name] = value
		}
	}
	return env
}

// Known tells whether a process was found to belong to the run before.
func (l *Look) Known(p *Entry) bool {
	start, ok := l.known[p.PID]
	return ok && start == p.start
}

// asked returns what a process's file says that waits for its memory lock, nil if
// there is no answer.
func (l *Look) asked(q peek.ProcQuestion) []byte {
	if l.peek == nil {
		return nil
	}
	text, err := l.peek.Ask(q)
	if err != nil {
		return nil
	}
	return text
}

// MayBe reports whether a process may belong to a user, without reading its real user, which takes 10 us: the
// owner of its files is its effective user, or root for programs that are not dumpable. In a tree that is not
// the kernel's every process may.
func (l *Look) MayBe(pid, uid int) bool {
	owner := rawcall.Owner(filepath.Join(l.proc, strconv.Itoa(pid), "stat"))
	return owner <= 0 || owner == uid || owner == os.Geteuid()
}

// UID returns the real user id, -1 if it cannot be read. The owner of /proc/PID
// would not do: it is root for programs that are not dumpable.
func (l *Look) UID(pid int) int {
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
