package kernel

import (
	"bytes"
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
)

// Throttled returns a meter of the time for which a CPU limit kept tasks from running, summed over CPUs, in ns.
func (j JobCgroup) Throttled() (polled.Meter, error) {
	if !j.hasController("cpu") {
		return polled.Meter{}, errController
	}
	key, unit := "throttled_usec", uint64(1000)
	if !j.v2 {
		key, unit = "throttled_time", 1
	}
	return j.singleMeter("cpu", profile.Column{Name: "cgroup_throttled", Unit: "ns"}, "cpu.stat", every1Hz,
		func(p *movingFiles) (uint64, error) {
			b, err := p.read(0)
			v, ok := findKey(b, key)
			if err == nil && !ok {
				err = polled.ErrAbsent // the controller is not enabled here
			}
			return min(v, 1<<53) * unit, err
		}), nil
}

// MemoryLimit returns a meter of the lowest memory limit of the cgroup and those above it, in bytes.
func (j JobCgroup) MemoryLimit() (polled.Meter, error) {
	if !j.hasController("memory") {
		return polled.Meter{}, errController
	}
	column := profile.Column{Name: "cgroup_mem_limit", Unit: "bytes", Gauge: true}
	if !j.v2 {
		return j.singleMeter("memory", column, "memory.stat", every1Hz, func(p *movingFiles) (uint64, error) {
			v, err := p.readKey("hierarchical_memory_limit")
			if err == nil && v >= unlimited {
				err = polled.ErrAbsent
			}
			return v, err
		}), nil
	}
	return j.lowestLimit("memory", column, func(dir string) (float64, bool) {
		return parseLimit(limitText(filepath.Join(dir, "memory.max")))
	}), nil
}

// unlimited is the value from which a v1 memory limit means unlimited.
const unlimited = 1 << 62

// CPULimit returns a meter of the lowest CPU limit of the cgroup and those above it, in ns of CPU time a
// second.
func (j JobCgroup) CPULimit() (polled.Meter, error) {
	if !j.hasController("cpu") {
		return polled.Meter{}, errController
	}
	return j.lowestLimit("cpu", profile.Column{Name: "cgroup_cpu_limit", Unit: "ns", Gauge: true},
		func(dir string) (float64, bool) {
			if j.v2 {
				quota, period, ok := strings.Cut(limitText(filepath.Join(dir, "cpu.max")), " ")
				return cpuLimit(quota, period, ok)
			}
			return cpuLimit(limitText(filepath.Join(dir, "cpu.cfs_quota_us")),
				limitText(filepath.Join(dir, "cpu.cfs_period_us")), true)
		}), nil
}

// cpuLimit returns the CPU limit in ns a second, false if nothing limits it or if ok is false.
func cpuLimit(quota, period string, ok bool) (float64, bool) {
	q, okQ := parseLimit(quota)
	p, okP := parseLimit(period)
	return q / p * 1e9, ok && okQ && okP
}

// limitText returns the content of a file of a cgroup without surrounding white space, "" if it cannot be read.
func limitText(path string) string {
	b, err := rawcall.ReadRecord(path, nil, maxStat)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(b))
}

// parseLimit parses a cgroup limit. "max", -1 and 0 mean unlimited.
func parseLimit(s string) (float64, bool) {
	v, err := strconv.ParseUint(s, 10, 62)
	return float64(v), err == nil && v > 0
}

// lowestLimit returns a meter of the lowest limit from the cgroup up to its mount; limit returns the limit in
// a directory, false for unlimited. A reading without a cgroup or a limit is polled.ErrAbsent.
func (j JobCgroup) lowestLimit(controller string, c profile.Column,
	limit func(dir string) (float64, bool)) polled.Meter {
	c.Scope = "job"
	mounted := controller
	if j.v2 {
		controller = ""
	}
	return polled.Meter{Columns: []profile.Column{c}, Event: c.Name, PMU: "cgroup", Config: j.version() + mounted +
		" limit", EveryNS: every1Hz,
		Read: func(cells []uint64) error {
			dir, ok := j.dir(controller)
			if !ok {
				return polled.ErrAbsent
			}
			lowest, any := 0.0, false
			for n := 0; n < maxDepth && len(dir) >= len(j.mount); n++ {
				if v, ok := limit(dir); ok && (!any || v < lowest) {
					lowest, any = v, true
				}
				dir = filepath.Dir(dir)
			}
			if !any {
				return polled.ErrAbsent
			}
			cells[0] = uint64(lowest)
			return nil
		},
	}
}

// maxDepth limits the number of parent cgroups that are read.
const maxDepth = 64

// killsV1 returns a meter of kills for lack of memory in cgroup v1, which counts each directory separately: it
// sums those of the job, its steps and their tasks. Counts of removed directories are kept.
func (j JobCgroup) killsV1() polled.Meter {
	kills := map[string]uint64{}
	return polled.Meter{Columns: []profile.Column{{Name: "cgroup_oom_kills", Unit: "kills", Scope: "job"}},
		Event: "memory.oom_control", PMU: "cgroup", Config: "v1 memory.oom_control", EveryNS: every1Hz,
		Read: func(cells []uint64) error {
			dir, ok := j.dir("memory")
			if !ok {
				return polled.ErrAbsent
			}
			read := 0
			for _, path := range stepDirs(dir) {
				if b, err := rawcall.ReadRecord(filepath.Join(path, "memory.oom_control"), nil, maxStat); err == nil {
					if v, ok := findKey(bytes.TrimSpace(b), "oom_kill"); ok {
						kills[path] = max(kills[path], v)
						read++
					}
				}
			}
			switch {
			case read == 0 && !exists(dir):
				return polled.ErrAbsent
			case read == 0:
				return errors.New("this kernel does not count out-of-memory kills per cgroup: those of the job are not recorded")
			}
			cells[0] = 0
			for _, v := range kills {
				cells[0] += min(v, 1<<53)
			}
			return nil
		},
	}
}

// stepDirs returns a job's cgroup v1 directory and those of its steps and their tasks.
func stepDirs(dir string) []string {
	all := []string{dir}
	for _, step := range childDirs(dir, "step_") {
		all = append(append(all, step), childDirs(step, "task_")...)
	}
	return all
}

// childDirs returns the entries of a directory whose names begin with a prefix.
func childDirs(dir, prefix string) (paths []string) {
	names, _ := rawcall.ReadNames(dir) // what could be read counts
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}
