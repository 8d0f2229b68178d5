package job

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"jobgait/agent/rawcall"
)

// stat has the used fields of /proc/PID/stat: state, parent, number of threads, start in clock ticks since boot,
// and name.
type stat struct {
	state   byte
	ppid    int
	threads int
	start   uint64
	name    [16]byte // any process can set its name
}

// readStat reads and parses /proc/PID/stat.
func readStat(proc string, pid int) (stat, error) { return readStatInto(proc, pid, nil) }

// readStatInto reads and parses /proc/PID/stat, using buf.
func readStatInto(proc string, pid int, buf []byte) (stat, error) {
	b, err := rawcall.ReadRecord(filepath.Join(proc, strconv.Itoa(pid), "stat"), buf, 4096)
	if err != nil {
		return stat{}, err
	}
	return parseStat(b)
}

// parseStat parses the text of /proc/PID/stat: "pid (comm) state ppid ... starttime ...". The name may hold
// spaces and parentheses, so the last ')' ends it.
func parseStat(b []byte) (stat, error) {
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return stat{}, errors.New("/proc/PID/stat is malformed: it has no command name in parentheses")
	}
	f := bytes.Fields(b[i+1:]) // f[0] is field 3, the state
	if len(f) < 20 {
		return stat{}, fmt.Errorf("/proc/PID/stat has %d fields after the name, want at least 20", len(f))
	}
	ppid, err := strconv.Atoi(string(f[1]))
	if err != nil {
		return stat{}, fmt.Errorf("parse the parent process id in /proc/PID/stat: %w", err)
	}
	threads, err := strconv.Atoi(string(f[17]))
	if err != nil {
		return stat{}, fmt.Errorf("parse the number of threads in /proc/PID/stat: %w", err)
	}
	start, err := strconv.ParseUint(string(f[19]), 10, 64)
	if err != nil {
		return stat{}, fmt.Errorf("parse the start time in /proc/PID/stat: %w", err)
	}
	_, name, _ := bytes.Cut(b[:i], []byte("("))
	st := stat{state: f[0][0], ppid: ppid, threads: threads, start: start}
	copy(st.name[:], name)
	return st, nil
}
