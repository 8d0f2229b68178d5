package kernel

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// otherUse measures the CPU time of other programs on the CPUs that the job may run on, while tasks of the job
// waited for one, and the time that the host of a virtual machine kept from them (steal). Other programs on
// other CPUs, or while the job does not wait, take nothing from it and do not count.
type otherUse struct {
	stat *file
	// ticks are those of each CPU at the last update; allowed says on which CPUs any process of the job may run,
	// last the same for the previous update.
	ticks, now    []cpuTicks
	allowed, last []bool
	list          []byte // text of the last parsed CPU list
	looks         readOutcomes
	// job and waited are the job's CPU time and waiting time in ns at the last reading. lag is at most 0: the part of
	// the job's CPU time above that of all CPUs together. The job's processes are read later than the CPUs, so the
	// excess belongs to the next interval, where it reduces the time of others.
	job, waited uint64
	lag         float64
	others      float64
	stolen      float64
}

// cpuTicks are the busy and stolen ticks of one CPU; there is false for an offline CPU.
type cpuTicks struct {
	busy, steal uint64
	there       bool
}

// newOtherUse returns an otherUse that reads proc/stat.
func newOtherUse(proc string) otherUse {
	return otherUse{stat: newList(filepath.Join(proc, "stat"))}
}

// minWaitShare is the share of an interval that the job's tasks must have waited for a CPU before the CPU time
// of other programs counts as taken from the job: even a job on an otherwise idle node sometimes waits for the
// node's daemons.
const minWaitShare = 0.02

// allowCPUs adds the CPUs that a process may run on, from its /proc/PID/status.
func (m *otherUse) allowCPUs(status []byte) {
	const key = "\nCpus_allowed_list:"
	_, rest, ok := bytes.Cut(status, []byte(key))
	line, _ := cutLine(rest)
	if !ok || bytes.Equal(line, m.list) {
		return
	}
	cpus, err := parseCPUs(strings.TrimSpace(string(line)))
	if err != nil {
		return
	}
	m.list = append(m.list[:0], line...)
	for _, cpu := range cpus {
		for len(m.allowed) <= cpu {
			m.allowed = append(m.allowed, false)
		}
		m.allowed[cpu] = true
	}
}

// update adds the CPU time that other processes used on the job's CPUs since the last call, if the job waited
// for more than minWaitShare of it, and the stolen time in proportion to the job's share. job and waited are
// the job's total CPU and waiting times so far, dt is the time since the last call, all in ns. The first call
// only sets the start. If all processes have ended, their waiting since the last call is unknown; the use of
// others is then added if the job used CPU time.
func (m *otherUse) update(job, waited uint64, dt int64) {
	b, err := m.stat.read()
	if err == nil {
		m.now, err = parseCPUTicks(b, m.now[:0])
	}
	if !m.looks.count(err) {
		return
	}
	used, waits := float64(job)-float64(m.job), float64(waited)-float64(m.waited)
	m.job, m.waited = job, waited
	ended := len(m.allowed) == 0
	if ended {
		m.allowed = append(m.allowed, m.last...)
	}
	if m.ticks != nil {
		busy, steal := cpuIncrease(m.ticks, m.now, m.allowed)
		others := busy - used + m.lag
		m.lag = min(0, others)
		if others = max(0, others); waits > minWaitShare*float64(dt) || ended && used > 0 {
			m.others += others
		}
		if steal > 0 && used+others > 0 {
			m.stolen += steal * used / (used + others)
		}
	}
	m.ticks = append(m.ticks[:0], m.now...)
	m.last = append(m.last[:0], m.allowed...)
	m.allowed = m.allowed[:0]
	m.list = m.list[:0]
}

// cpuIncrease returns the busy and stolen time of the allowed CPUs between two readings, in ns. CPUs that came
// or went in between are ignored.
func cpuIncrease(before, now []cpuTicks, allowed []bool) (busy, steal float64) {
	for i := range min(len(before), len(now), len(allowed)) {
		if b, n := before[i], now[i]; allowed[i] && b.there && n.there {
			busy += tick * float64(n.busy-min(b.busy, n.busy))
			steal += tick * float64(n.steal-min(b.steal, n.steal))
		}
	}
	return busy, steal
}

// parseCPUTicks parses the CPU lines of /proc/stat into to, which it extends; the index is the number of the CPU. Busy
// are user, nice, system, irq and softirq. A CPU without a line is offline. Without any CPU it returns an error.
//
//	cpu0 user nice system idle iowait irq softirq steal guest guest_nice
func parseCPUTicks(b []byte, to []cpuTicks) ([]cpuTicks, error) {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		name, rest := cutField(line)
		digits, ok := bytes.CutPrefix(name, []byte("cpu"))
		if !ok {
			break // they come first
		}
		if len(digits) == 0 {
			continue // the sum
		}
		cpu, more, ok := cutNumber(digits)
		var n [8]uint64
		if !ok || len(more) > 0 || cpu >= maxCPU || !cutNumbers(rest, n[:]) || slices.Max(n[:]) > 1<<40 {
			return to, errUnexpectedFormat
		}
		for uint64(len(to)) <= cpu {
			to = append(to, cpuTicks{})
		}
		to[cpu] = cpuTicks{busy: n[0] + n[1] + n[2] + n[5] + n[6], steal: n[7], there: true}
	}
	if len(to) == 0 {
		return to, errUnexpectedFormat
	}
	return to, nil
}
