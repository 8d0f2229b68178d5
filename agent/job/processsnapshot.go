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

// ProcessSnapshot is a snapshot of /proc: it reads each process's stat once and keeps it. It reads only files
// that need no memory lock; package peek reads the others.
type ProcessSnapshot struct {
	proc  string
	peek  peek.Reader
	procs map[int]*ProcessEntry
	known map[int]uint64 // start ticks of the members found earlier, by pid
	at    int64          // CLOCK_MONOTONIC ns
	buf   []byte
	// incomplete is set if a guarded file was empty or could not be read.
	incomplete bool
}

// newSnapshot returns an empty snapshot that reads below proc.
func newSnapshot(proc string, r peek.Reader, known map[int]uint64) *ProcessSnapshot {
	return &ProcessSnapshot{proc: proc, peek: r, known: known, procs: map[int]*ProcessEntry{}, at: rawcall.Now(),
		buf: make([]byte, 4096)}
}

// ProcessEntry is a process in a snapshot.
type ProcessEntry struct {
	PID int
	stat
	// Title is used by the scheduler's package to cache the command line of one of its own processes; nil until
	// read.
	Title []byte
}

// Parent returns the pid of the process's parent.
func (p *ProcessEntry) Parent() int { return p.ppid }

// HasNamePrefix reports whether the process's name (comm) begins with prefix. Any process can set its name.
func (p *ProcessEntry) HasNamePrefix(prefix string) bool {
	return bytes.HasPrefix(p.name[:], []byte(prefix))
}

// Process returns a process of the snapshot, reading it at the first call; nil if it is gone.
func (l *ProcessSnapshot) Process(pid int) *ProcessEntry {
	if p, ok := l.procs[pid]; ok {
		return p
	}
	var p *ProcessEntry
	if st, err := readStatInto(l.proc, pid, l.buf); err == nil {
		p = &ProcessEntry{PID: pid, stat: st}
	}
	l.procs[pid] = p
	return p
}

// Ancestors returns the process and its ancestors, nearest first, without init and the kernel's threads. It
// returns at most maxDepth processes.
func (l *ProcessSnapshot) Ancestors(pid int) iter.Seq[*ProcessEntry] {
	return func(yield func(*ProcessEntry) bool) {
		p := l.Process(pid)
		for n := 0; p != nil && p.PID > 2 && n < maxDepth && yield(p); n++ {
			p = l.Process(p.ppid)
		}
	}
}

// maxDepth limits the number of ancestors, because /proc changes during the walk.
const maxDepth = 1000

// readFile returns the content of a process's file, valid until the next call; nil if it cannot be read.
func (l *ProcessSnapshot) readFile(pid int, name string) []byte {
	b, _ := rawcall.ReadRecord(filepath.Join(l.proc, strconv.Itoa(pid), name), l.buf, maxFile)
	return b
}

// Cgroups returns the cgroups of a process.
func (l *ProcessSnapshot) Cgroups(pid int) []cgroup.Membership {
	return cgroup.Parse(l.readFile(pid, "cgroup"))
}

// maxFile limits what is read of one file, in bytes.
const maxFile = 1 << 16

// CommandLine returns the content of /proc/PID/cmdline, nil if it cannot be read. Reading waits for the
// process's memory lock, so callers read only processes of root and of the job's own user.
func (l *ProcessSnapshot) CommandLine(pid int) []byte {
	return l.readGuarded(peek.ProcRequest{File: peek.Cmdline, PID: pid, Max: maxFile})
}

// Program returns the base name of a process's executable, peek.NoProgram if it cannot be read. It waits as CommandLine
// does.
func (l *ProcessSnapshot) Program(pid int) string {
	if l.peek == nil {
		return peek.NoProgram
	}
	return peek.ProgramOf(l.peek, pid)
}

// Environ returns the variables whose names have one of the prefixes from the environment that a process was
// started with. Other variables are not parsed, because they may hold passwords. It waits as CommandLine does.
func (l *ProcessSnapshot) Environ(pid int, prefixes ...string) map[string]string {
	return Variables(l.readGuarded(peek.ProcRequest{File: peek.Environ, PID: pid, Max: maxEnviron}), prefixes...)
}

// maxEnviron limits what is read of /proc/PID/environ, whose size the user decides: 1 MiB holds any environment
// met in practice.
const maxEnviron = 1 << 20

// Variables returns the variables whose names have one of the prefixes from b, an environment in the form of
// /proc/PID/environ.
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

// IsKnownMember reports whether a process was found to belong to the run earlier.
func (l *ProcessSnapshot) IsKnownMember(p *ProcessEntry) bool {
	start, ok := l.known[p.PID]
	return ok && start == p.start
}

// readGuarded reads a file that waits for the process's memory lock, through peek; nil if it gives no answer.
func (l *ProcessSnapshot) readGuarded(q peek.ProcRequest) []byte {
	if l.peek == nil {
		return nil
	}
	text, err := l.peek.Ask(q)
	if err != nil {
		text = nil
	}
	l.incomplete = l.incomplete || len(text) == 0
	return text
}

// MayBelongTo reports whether a process may belong to a user, by the owner of its files in /proc: its
// effective user, or root for programs that are not dumpable. That avoids reading the real user id, which
// takes 10 us. In a test tree, owned by this process, every process may; so may one whose owner is unknown.
func (l *ProcessSnapshot) MayBelongTo(pid, uid int) bool {
	owner := rawcall.Owner(filepath.Join(l.proc, strconv.Itoa(pid), "stat"))
	return owner <= 0 || owner == uid || owner == os.Geteuid()
}

// UID returns the real user id of a process, -1 if it cannot be read. The owner of /proc/PID does not suffice:
// it is root for programs that are not dumpable.
func (l *ProcessSnapshot) UID(pid int) int {
	for line := range bytes.Lines(l.readFile(pid, "status")) {
		if f := strings.Fields(string(line)); len(f) > 1 && f[0] == "Uid:" {
			if uid, err := strconv.Atoi(f[1]); err == nil {
				return uid
			}
		}
	}
	return -1
}

// pidsOf returns the pids among the entries of /proc, in ascending order.
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
