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

// times is what /proc/PID/stat says of a process: fields 3, 4, 14 to 17 and 22.
//
//	1234 (lmp) R 1200 ... utime stime cutime cstime ... starttime ...
type times struct {
	state  byte // R, S, D, T..
	parent int
	own    uint64 // user and system time in ticks, all threads
	waited uint64 // that of children that ended and were waited for
	start  uint64 // ticks since boot
}

// tick is one clock tick of proc files, USER_HZ = 100 on all Linux we know.
const tick = 10_000_000

// maxStat is more than any stat has: 52 numbers and a name of 15 bytes.
const maxStat = 4096

var errStat = errors.New("malformed stat")

// readTimes reads into buf, and returns what the process is called too: a name
// that changes with every exec.
func readTimes(proc string, pid int, buf []byte) (times, []byte, error) {
	b, err := rawcall.ReadRecord(filepath.Join(proc, strconv.Itoa(pid), "stat"), buf, maxStat)
	if err != nil {
		return times{}, nil, err
	}
	t, err := parseTimes(b)
	if err != nil {
		return times{}, nil, fmt.Errorf("process %d: %w", pid, err)
	}
	return t, b[bytes.IndexByte(b, '(')+1 : bytes.LastIndexByte(b, ')')], nil
}

// parseTimes looks for the last parenthesis: the name may hold any.
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
