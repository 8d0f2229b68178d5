package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"

	"jobgait/agent/rawcall"
)

// times are the used fields of /proc/PID/stat: 3, 4, 14 to 17 and 22.
//
//	1234 (lmp) R 1200 ... utime stime cutime cstime ... starttime ...
type times struct {
	state  byte // R, S, D, T..
	parent int
	own    uint64 // user and system time in ticks, all threads
	waited uint64 // the same of ended children that were waited for
	start  uint64 // ticks since boot
}

// tick is one clock tick of proc files in ns: USER_HZ is 100 on all supported systems.
const tick = 10_000_000

// maxStat is larger than any stat file, which has 52 numbers and a name of 15 bytes.
const maxStat = 4096

var errStat = errors.New("/proc/PID/stat does not have its documented format")

// readTimes reads and parses /proc/PID/stat, using buf, and returns the times and the process's name, which
// changes with every exec and lies in buf.
func readTimes(proc string, pid int, buf []byte) (times, []byte, error) {
	b, err := rawcall.ReadRecord(filepath.Join(proc, strconv.Itoa(pid), "stat"), buf, maxStat)
	if err != nil {
		return times{}, nil, err
	}
	t, err := parseTimes(b)
	if err != nil {
		return times{}, nil, fmt.Errorf("read the CPU time of process %d: %w", pid, err)
	}
	return t, b[bytes.IndexByte(b, '(')+1 : bytes.LastIndexByte(b, ')')], nil
}

// parseTimes parses the text of /proc/PID/stat. The name may contain parentheses, so the last one ends it.
func parseTimes(b []byte) (t times, err error) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return times{}, errStat
	}
	state, rest := cutField(b[end+1:]) // field 3
	var n [20]uint64                   // n[k] is field 4+k
	for k := range n[:19] {
		field, after := cutField(rest)
		if rest = after; k == 4 { // the terminal's process group may be -1
			continue
		}
		v, more, ok := cutNumber(field)
		if wanted := k == 0 || k >= 10 && k <= 13 ||
			k == 18; wanted && (!ok || len(bytes.TrimSpace(more)) > 0 || v > math.MaxInt64) {
			return times{}, errStat
		}
		n[k] = v
	}
	if len(state) == 0 || n[0] > math.MaxInt32 {
		return times{}, errStat
	}
	return times{state: state[0], parent: int(n[0]), own: n[10] + n[11], waited: n[12] + n[13], start: n[18]}, nil
}
