package job

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/agent/cgroup"
)

// look is one look at /proc: what it has read it does not read again.
type look struct {
	proc  string
	procs map[int]*process
}

type process struct {
	pid int
	stat
	cmdline []byte // nil until title has read it
}

// at returns a process, nil if it is gone.
func (l look) at(pid int) *process {
	if p, ok := l.procs[pid]; ok {
		return p
	}
	var p *process
	if st, err := readStat(l.proc, pid); err == nil {
		p = &process{pid: pid, stat: st}
	}
	l.procs[pid] = p
	return p
}

func (l look) file(pid int, name string) []byte {
	b, _ := readBounded(filepath.Join(l.proc, strconv.Itoa(pid), name), 1<<16)
	return b
}

func (l look) cgroups(pid int) []cgroup.Membership { return cgroup.Parse(l.file(pid, "cgroup")) }

// title returns a process's command line, read once: processes share ancestors.
func (l look) title(p *process) []byte {
	if p.cmdline == nil {
		p.cmdline = append([]byte{}, l.file(p.pid, "cmdline")...)
	}
	return p.cmdline
}

// uid returns the real user id, -1 if it cannot be read. The owner of /proc/PID
// would not do: it is root for programs that are not dumpable.
func (l look) uid(pid int) int {
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
