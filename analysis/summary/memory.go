package summary

import (
	"math"

	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// Memory is the memory of a node that a job used, anonymous and shared. Page cache is excluded, because the
// kernel can always reclaim it. nil means not measured.
type Memory struct {
	PeakBytes  *float64 `json:"peak_bytes"`
	LimitBytes *float64 `json:"limit_bytes"`
}

// cgroupMemory and cgroupLimit are levels of the job's cgroup.
const (
	cgroupMemory = "cgroup_anon"
	cgroupLimit  = "cgroup_mem_limit"
)

// cpuLimit is the column with the CPU time, in ns, that a cgroup may use in a second.
const cpuLimit = "cgroup_cpu_limit"

// WithLimits returns the record with the CPU limit, the memory limit and the peak memory: the largest sample
// of the cgroup's memory, else the counter run.MemoryPeak, else run.MemoryMost. It removes these two
// counters.
func (r NodeRecord) WithLimits(slow series.Set) NodeRecord {
	var m Memory
	kept := make([]run.Counter, 0, len(r.Counters))
	for _, c := range r.Counters {
		switch {
		case c.Name != run.MemoryPeak && c.Name != run.MemoryMost:
			kept = append(kept, c)
		case c.Total > 0 && (c.Name == run.MemoryPeak || m.PeakBytes == nil):
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

// maximum returns the largest sample of a column, 0 without one.
func maximum(set series.Set, name string) float64 {
	peak := 0.0
	if c, ok := set.Column(name); ok {
		for _, v := range c.Values {
			if x := float64(v); !math.IsNaN(x) {
				peak = max(peak, x)
			}
		}
	}
	return peak
}

// sumMemory returns the sums of the nodes' peak memory and of their limits. Each sum is nil unless it is known for all
// sampled nodes; without both the result is nil.
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

// sumCPULimits returns the sum of the nodes' CPU limits; nil unless all sampled nodes have one.
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
