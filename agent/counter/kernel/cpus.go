// Package kernel reads what the kernel says in text files: which CPUs are
// online, what may be counted, and the CPU time of the job's processes. Roots
// like "/proc" are arguments. See proc(5) and the kernel's
// admin-guide/cputopology.
//
// It refuses to be fast: CPU times of processes are counted in ticks of 10 ms
// and are read ten times a second at most. Sampled at 200 Hz they would beat
// with the grid and show a period of 20 ms in every program.
package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// OnlineCPUs reads the online CPUs below sys, normally "/sys".
func OnlineCPUs(sys string) ([]int, error) {
	b, err := os.ReadFile(filepath.Join(sys, "devices/system/cpu/online"))
	if err != nil {
		return nil, fmt.Errorf("read online CPUs: %w", err)
	}
	cpus, err := parseCPUs(strings.TrimSpace(string(b)))
	if err != nil {
		return nil, fmt.Errorf("read online CPUs: %w", err)
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
