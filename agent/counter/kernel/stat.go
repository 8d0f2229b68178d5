package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// times is what /proc/PID/stat says of a process: fields 4, 14 to 17 and 22.
//
//	1234 (lmp) R 1200 ... utime stime cutime cstime ... starttime ...
type times struct {
	parent int
	own    uint64 // user and system time in ticks, all threads
	waited uint64 // that of children that ended and were waited for
	start  uint64 // ticks since boot
}

// tick is one clock tick of proc files, USER_HZ = 100 on all Linux we know.
const tick = 10_000_000

var errStat = errors.New("malformed stat")

func readTimes(proc string, pid int) (times, error) {
	b, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "stat"))
	if err != nil {
		return times{}, err
	}
	t, err := parseTimes(b)
	if err != nil {
		return times{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return t, nil
}

// parseTimes looks for the last parenthesis: the name may hold any.
func parseTimes(b []byte) (times, error) {
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return times{}, errStat
	}
	f := bytes.Fields(b[i+1:]) // f[0] is field 3, the state
	if len(f) < 20 {
		return times{}, errStat
	}
	parent, err := strconv.Atoi(string(f[1]))
	if err != nil {
		return times{}, errStat
	}
	var n [5]uint64
	for k, at := range [5]int{11, 12, 13, 14, 19} {
		v, err := strconv.ParseUint(string(f[at]), 10, 63)
		if err != nil {
			return times{}, errStat
		}
		n[k] = v
	}
	return times{parent: parent, own: n[0] + n[1], waited: n[2] + n[3], start: n[4]}, nil
}
