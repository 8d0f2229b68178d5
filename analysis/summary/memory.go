package summary

import (
	"math"

	"jobgait/analysis/series"
)

// Memory is what a job used of a node's memory, anonymous and shared: page cache is
// the kernel's to take back, and never makes a job short of memory. nil = not measured.
type Memory struct {
	PeakBytes  *float64 `json:"peak_bytes"`
	LimitBytes *float64 `json:"limit_bytes"`
}

// MemoryPeak is the counter of the largest memory that the job's processes had at
// once: a count that only grows, so that no decimation lowers it.
const MemoryPeak = "proc_mem_peak"

// cgroupMemory and cgroupLimit are levels of the job's cgroup.
const (
	cgroupMemory = "cgroup_anon"
	cgroupLimit  = "cgroup_mem_limit"
)

// MemoryMost is the counter of the largest resident memory of one process, files that it
// mapped included, as wait4 tells it: for commands that ended before anybody looked.
const MemoryMost = "proc_rss_max"

// cpuLimit is what a cgroup may use of CPU time a second, in ns.
const cpuLimit = "cgroup_cpu_limit"

// WithLimits takes the largest memory and limits out of a record's counters and what was
// read seldom: the cgroup's memory, else that of the processes.
func (r NodeRecord) WithLimits(slow series.Set) NodeRecord {
	var m Memory
	kept := make([]Counter, 0, len(r.Counters))
	for _, c := range r.Counters {
		switch {
		case c.Name != MemoryPeak && c.Name != MemoryMost:
			kept = append(kept, c)
		case c.Total > 0 && (c.Name == MemoryPeak || m.PeakBytes == nil):
			m.PeakBytes = &c.Total
		}
	}
	r.Counters = kept
	if ns := maximum(slow, cpuLimit); ns > 0 {
		cpus := ns / 1e9
		r.CPULimit = &cpus
	}
	if peak := maximum(slow, cgroupMemory); peak > 0 {
		m.PeakBytes = &peak
	}
	if limit := maximum(slow, cgroupLimit); limit > 0 {
		m.LimitBytes = &limit
	}
	if m != (Memory{}) {
		r.Memory = &m
	}
	return r
}

// maximum is the largest sample of a column, 0 without one.
func maximum(set series.Set, name string) float64 {
	most := 0.0
	if c, ok := set.Column(name); ok {
		for _, v := range c.Values {
			if x := float64(v); !math.IsNaN(x) {
				most = max(most, x)
			}
		}
	}
	return most
}

// sumMemory adds up nodes; nil unless all that were sampled could tell.
func sumMemory(records []NodeRecord) *Memory {
	var sum Memory
	peak, limit, sampled := 0.0, 0.0, 0
	peaks, limits := 0, 0
	for _, r := range records {
		if !r.Sampled() {
			continue
		}
		sampled++
		if r.Memory == nil {
			continue
		}
		if p := r.Memory.PeakBytes; p != nil {
			peak += *p
			peaks++
		}
		if l := r.Memory.LimitBytes; l != nil {
			limit += *l
			limits++
		}
	}
	if sampled == 0 {
		return nil
	}
	if peaks == sampled {
		sum.PeakBytes = &peak
	}
	if limits == sampled {
		sum.LimitBytes = &limit
	}
	if sum == (Memory{}) {
		return nil
	}
	return &sum
}

// sumCPULimits adds up those of the nodes; nil unless all that were sampled have one.
func sumCPULimits(records []NodeRecord) *float64 {
	sum := 0.0
	for _, r := range records {
		switch {
		case !r.Sampled():
		case r.CPULimit == nil:
			return nil
		default:
			sum += *r.CPULimit
		}
	}
	if sum <= 0 {
		return nil
	}
	return &sum
}
