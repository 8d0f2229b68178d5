package summary

import (
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Resources holds the resources that a run was given and used, and what kept it from using them. CPUs are means
// over the run, for all nodes together. nil means not measured or no limit; Notes say why. It is computed from
// a Summary, so that summaries of earlier versions have it too.
type Resources struct {
	CPU     CPUResources     `json:"cpu"`
	Memory  MemoryResources  `json:"memory"`
	IO      IOResources      `json:"io"`
	Network NetworkResources `json:"network"`
	Time    TimeResources    `json:"time"`
	Energy  EnergyResources  `json:"energy"`
	Notes   []note.Note      `json:"-"`
}

// CPUResources holds mean numbers of CPUs. Allocated is at most what cgroups let the run use. Waiting counts
// tasks that were runnable and not running, Throttled those held back by a limit of the cgroup, Stolen the CPUs
// that the host took from the node. Others is the number of the run's CPUs that other jobs kept busy while the
// run waited for some.
type CPUResources struct {
	Allocated *float64 `json:"allocated"`
	Busy      *float64 `json:"busy"`
	Waiting   *float64 `json:"waiting"`
	Throttled *float64 `json:"throttled"`
	Stolen    *float64 `json:"stolen"`
	Others    *float64 `json:"others"`
}

// MemoryResources are anonymous and shared memory, page cache apart. RequestedBytes is the request, else the
// limit.
type MemoryResources struct {
	PeakBytes      *float64 `json:"peak_bytes"`
	RequestedBytes *float64 `json:"requested_bytes"`
	// AddressLimitBytes is the most memory that one process could map (ulimit -v).
	AddressLimitBytes *float64 `json:"address_limit_bytes"`
	// NodeBytes is the memory of the node, nil if it is unknown or if the run has several nodes.
	NodeBytes *float64 `json:"node_bytes,omitempty"`
	OOMKills  *float64 `json:"oom_kills"`
}

// IOResources holds the bytes written to and read from storage, and for how long, in seconds, all of the job's
// tasks waited for it.
type IOResources struct {
	ReadBytes    *float64 `json:"read_bytes"`
	WrittenBytes *float64 `json:"written_bytes"`
	WaitingS     *float64 `json:"waiting_s"`
}

// NetworkResources holds the bytes received and sent by nodes that the job had exclusively.
type NetworkResources struct {
	RxBytes *float64 `json:"rx_bytes"`
	TxBytes *float64 `json:"tx_bytes"`
}

// TimeResources are elapsed time, the limit of it, and what the tasks of the run did in that time.
type TimeResources struct {
	UsedS    *float64      `json:"used_s"`
	LimitS   *float64      `json:"limit_s"`
	Division *TimeDivision `json:"division"`
	// Asleep says what sleeping processes waited for, the longest wait in all first; empty if that was not recorded.
	Asleep []run.Sleep `json:"asleep,omitempty"`
}

// EnergyResources holds the energy of processors and memory in joules; Source names the counters.
type EnergyResources struct {
	Joules *float64 `json:"joules"`
	Source *string  `json:"source"`
}

// Resources returns the resources that the run was given and used.
func (s Summary) Resources() Resources {
	r := Resources{
		CPU: s.cpuResources(),
		IO: IOResources{ReadBytes: s.total("job", "cgroup_read_bytes", "proc_read_bytes"),
			WrittenBytes: s.total("job", "cgroup_write_bytes", "proc_write_bytes"),
			WaitingS:     inSeconds(s.total("job", "cgroup_psi_io_full"))},
		Network: NetworkResources{RxBytes: s.sum("node", "net_rx_bytes", "ib_rx_bytes"),
			TxBytes: s.sum("node", "net_tx_bytes", "ib_tx_bytes")},
		Time: TimeResources{LimitS: s.Job.TimeLimitS, Division: s.Time, Asleep: s.Sleeps},
	}
	if s.ElapsedS > 0 {
		r.Time.UsedS = &s.ElapsedS
	}
	r.Memory = MemoryResources{RequestedBytes: s.Job.MemoryBytes, AddressLimitBytes: s.Job.AddressBytes,
		OOMKills: s.total("job", "cgroup_oom_kills")}
	if len(s.Nodes) == 1 {
		r.Memory.NodeBytes = s.NodeMemoryBytes
	}
	if m := s.Memory; m != nil {
		r.Memory.PeakBytes = m.PeakBytes
		if r.Memory.RequestedBytes == nil {
			r.Memory.RequestedBytes = m.LimitBytes
		}
	}
	if uj := s.sum("node", "energy_pkg", "energy_dram"); uj != nil && *uj > 0 {
		joules, source := *uj/1e6, "energy_pkg"
		if s.total("node", "energy_dram") != nil {
			source += "+energy_dram"
		}
		r.Energy = EnergyResources{&joules, &source}
	}
	r.Notes = r.unmeasured()
	return r
}

// cpuResources returns the CPUs that the run was given and used. Allocated is the job's number of CPUs, but at most the
// CPU limit of its cgroups. A number that was not measured is nil.
func (s Summary) cpuResources() CPUResources {
	c := CPUResources{Busy: s.BusyCPUs(), Waiting: s.cpus("job", run.CPUWait),
		Throttled: s.cpus("job", "cgroup_throttled"), Stolen: s.cpus("job", "stolen_cpu"),
		Others: s.cpus("node", "others_cpu")}
	if n := s.Job.NCPUs; n != nil && *n > 0 {
		allocated := float64(*n)
		if l := s.CPULimit; l != nil && *l < allocated {
			allocated = *l
		}
		c.Allocated = &allocated
	}
	return c
}

// BusyCPUs returns the mean number of CPUs that the nodes that reported kept busy together, nil unless it is
// known for all of them.
func (s Summary) BusyCPUs() *float64 {
	sum, n := 0.0, 0
	for _, node := range s.Nodes {
		if !node.Reported {
			continue
		}
		if node.BusyCPUs == nil {
			return nil
		}
		sum += *node.BusyCPUs
		n++
	}
	if n == 0 {
		return nil
	}
	return &sum
}

// total returns the total of the first of the named counters that was read; nil if none was.
func (s Summary) total(scope string, names ...string) *float64 {
	for _, name := range names {
		for _, c := range s.Counters {
			if c.Name == name && c.Scope == scope {
				total := c.Total
				return &total
			}
		}
	}
	return nil
}

// sum returns the sum of the totals of the named counters that were read; nil if none was.
func (s Summary) sum(scope string, names ...string) (sum *float64) {
	for _, name := range names {
		if t := s.total(scope, name); t != nil && sum == nil {
			sum = t
		} else if t != nil {
			*sum += *t
		}
	}
	return sum
}

// inSeconds converts nanoseconds to seconds; nil stays nil.
func inSeconds(ns *float64) *float64 {
	if ns == nil {
		return nil
	}
	s := *ns / 1e9
	return &s
}

// cpus returns the mean of a counter of CPU time, in ns, over the run without suspensions; nil if it was not
// read.
func (s Summary) cpus(scope, name string) *float64 {
	t, ran := inSeconds(s.total(scope, name)), s.RanS()
	if t == nil || ran <= 0 {
		return nil
	}
	mean := *t / ran
	return &mean
}

// unmeasured returns notes that name what was not measured and why: waiting for CPUs, memory, input and output, waiting
// for files, and network traffic.
func (r Resources) unmeasured() []note.Note {
	var what []string
	for _, x := range []struct {
		value *float64
		name  string
	}{{r.CPU.Waiting, "the time spent waiting for CPUs"}, {r.Memory.PeakBytes, "the memory used"},
		{r.IO.ReadBytes, "the bytes read and written"}} {
		if x.value == nil {
			what = append(what, x.name)
		}
	}
	var out []note.Note
	if len(what) > 0 {
		out = append(out, note.New(note.Unmeasured,
			"not measured: %s: neither the job's processes nor its control groups (cgroups) reported that",
			strings.Join(what, ", ")))
	}
	if d := r.Time.Division; r.IO.WaitingS == nil && (d == nil || d.Storage == nil) {
		out = append(out, note.New(note.Unmeasured, "not measured: the time spent waiting for files: only a control group "+
			"(cgroup) of the job's own with pressure accounting reports it"))
	}
	if r.Network.RxBytes == nil {
		out = append(out, note.New(note.Unmeasured,
			"not measured: network traffic, which the kernel counts by node: it is read where the node is the job's alone"))
	}
	return out
}
