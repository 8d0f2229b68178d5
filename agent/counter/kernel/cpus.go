package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"jobgait/agent/rawcall"
)

// OnlineCPUs reads the online CPUs below sys, normally "/sys".
func OnlineCPUs(sys string) ([]int, error) {
	return ReadCPUs(filepath.Join(sys, "devices/system/cpu/online"))
}

// ReadCPUs reads a file that has a list of CPUs.
func ReadCPUs(path string) ([]int, error) {
	b, err := rawcall.ReadRecord(path, nil, 1<<16)
	if err != nil {
		return nil, fmt.Errorf("read CPUs: %w", err)
	}
	cpus, err := parseCPUs(strings.TrimSpace(string(b)))
	if err != nil {
		return nil, fmt.Errorf("read CPUs: %s: %w", path, err)
	}
	return cpus, nil
}

// maxCPU bounds a CPU list: the kernel's own limit is 8192.
const maxCPU = 1 << 14

// parseCPUs reads a list like "0-3,8,10-11".
func parseCPUs(list string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		a, err := strconv.Atoi(from)
		if err != nil {
			return nil, fmt.Errorf("CPU list %q: %w", list, err)
		}
		b, err := strconv.Atoi(to)
		if err != nil {
			return nil, fmt.Errorf("CPU list %q: %w", list, err)
		}
		if a < 0 || b < a || b >= maxCPU || len(cpus)+b-a >= maxCPU {
			return nil, fmt.Errorf("CPU list %q: not a range", list)
		}
		for cpu := a; cpu <= b; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// Paranoid returns kernel.perf_event_paranoid; ok is false where there is none,
// as in a kernel without perf events.
func Paranoid(proc string) (level int, ok bool) {
	b, err := os.ReadFile(filepath.Join(proc, "sys/kernel/perf_event_paranoid"))
	if err != nil {
		return 0, false
	}
	level, err = strconv.Atoi(strings.TrimSpace(string(b)))
	return level, err == nil
}
