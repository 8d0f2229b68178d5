package kernel

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/agent/rawcall"
)

// OnlineCPUs returns the online CPUs, read below sys, normally "/sys".
func OnlineCPUs(sys string) ([]int, error) {
	return ReadCPUs(filepath.Join(sys, onlineFile))
}

// ReadCPUs reads a file with a list of CPUs.
func ReadCPUs(path string) ([]int, error) {
	b, err := rawcall.ReadRecord(path, nil, 1<<16)
	if err != nil {
		return nil, fmt.Errorf("read the list of CPUs: %w", err)
	}
	cpus, err := parseCPUs(strings.TrimSpace(string(b)))
	if err != nil {
		return nil, fmt.Errorf("read the list of CPUs in %s: %w", path, err)
	}
	return cpus, nil
}

// Online tracks which CPUs are online by repeated reads: it holds the file open and parses it only if its text
// has changed. With cold caches a read costs 17 us of CPU time, against 69 us for OnlineCPUs; with warm ones
// 0.8 against 7.5 us (BenchmarkOnlineHeldOpen). An unchanged file allocates nothing.
type Online struct {
	f        *file
	last     []byte
	cpus     []int
	isOnline []bool // by CPU
}

// NewOnline returns an Online for the CPUs below sys; the first Read opens the file.
func NewOnline(sys string) *Online {
	return &Online{f: newRecord(filepath.Join(sys, onlineFile))}
}

// Read reads which CPUs are online now, and reports whether they differ from those of the last successful Read;
// false for the first one.
func (o *Online) Read() (changed bool, err error) {
	b, err := o.f.read()
	if err != nil {
		return false, fmt.Errorf("read the list of online CPUs: %w", err)
	}
	if len(b) > 0 && bytes.Equal(b, o.last) {
		return false, nil
	}
	cpus, err := parseCPUs(strings.TrimSpace(string(b)))
	if err != nil {
		return false, fmt.Errorf("read the list of online CPUs in %s: %w", o.f.path, err)
	}
	o.last = append(o.last[:0], b...)
	changed = o.cpus != nil && !slices.Equal(o.cpus, cpus)
	o.cpus = cpus
	clear(o.isOnline)
	for _, cpu := range cpus {
		for len(o.isOnline) <= cpu {
			o.isOnline = append(o.isOnline, false)
		}
		o.isOnline[cpu] = true
	}
	return changed, nil
}

// Has reports whether a CPU was online at the last successful Read.
func (o *Online) Has(cpu int) bool { return cpu >= 0 && cpu < len(o.isOnline) && o.isOnline[cpu] }

// CPUs returns the CPUs that were online at the last successful Read.
func (o *Online) CPUs() []int { return o.cpus }

// Close closes the file; a further Read opens it again.
func (o *Online) Close() error {
	if o == nil {
		return nil
	}
	return o.f.close()
}

// onlineFile is the list below sys.
const onlineFile = "devices/system/cpu/online"

// maxCPU limits the CPU numbers in a list: the kernel's own limit is 8192.
const maxCPU = 1 << 14

// parseCPUs parses a list like "0-3,8,10-11".
func parseCPUs(list string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		a, err := strconv.Atoi(from)
		if err != nil {
			return nil, fmt.Errorf("invalid CPU list %q: want ranges such as 0-3,8: %w", list, err)
		}
		b, err := strconv.Atoi(to)
		if err != nil {
			return nil, fmt.Errorf("invalid CPU list %q: want ranges such as 0-3,8: %w", list, err)
		}
		if a < 0 || b < a || b >= maxCPU || len(cpus)+b-a >= maxCPU {
			return nil, fmt.Errorf("invalid CPU list %q: want ranges such as 0-3,8", list)
		}
		for cpu := a; cpu <= b; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// Paranoid returns kernel.perf_event_paranoid, read below proc. ok is false if the file cannot be read, as in a kernel
// without perf events, or has no number.
func Paranoid(proc string) (level int, ok bool) {
	b, err := os.ReadFile(filepath.Join(proc, "sys/kernel/perf_event_paranoid"))
	if err != nil {
		return 0, false
	}
	level, err = strconv.Atoi(strings.TrimSpace(string(b)))
	return level, err == nil
}
