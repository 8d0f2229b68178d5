package kernel

import "jobgait/agent/counter/polled"

// Node returns an opener of the sources of a whole node. Callers do not use it on a shared node, whose counters
// are not the job's own.
func Node(r Roots) polled.Opener {
	return polled.Open(
		polled.CounterKind{Name: "net", Scope: "node", Open: func() (polled.Meter, error) { return Network(r) }},
		polled.CounterKind{Name: "infiniband", Scope: "node", Hangs: true, Open: func() (polled.Meter, error) {
			return InfiniBand(r)
		}},
		polled.CounterKind{Name: "disk", Scope: "node", Open: func() (polled.Meter, error) { return Disks(r) }},
		polled.CounterKind{Name: "lustre", Scope: "node", Open: func() (polled.Meter, error) { return Lustre(r) }},
		polled.CounterKind{Name: "nfs", Scope: "node", Open: func() (polled.Meter, error) { return NFS(r) }},
		polled.CounterKind{Name: "mem_used", Scope: "node", Open: func() (polled.Meter, error) { return Memory(r) }},
		polled.CounterKind{Name: "psi", Scope: "node", Open: func() (polled.Meter, error) { return Pressure(r) }},
	)
}

// NodeBusyTime returns an opener of the node's busy CPU time, for a node without perf events.
func NodeBusyTime(r Roots) polled.Opener {
	return polled.Open(polled.CounterKind{Name: "node_cpu", Scope: "node", Open: func() (polled.Meter, error) {
		return NodeCPU(r)
	}})
}

// JobUsage returns an opener of the sources of the job's cgroup. While the cgroup does not exist, they give no
// readings.
func JobUsage(j JobCgroup) polled.Opener {
	return polled.Open(
		polled.CounterKind{Name: "cgroup_cpu", Scope: "job", Open: j.CPU},
		polled.CounterKind{Name: "cgroup_mem", Scope: "job", Open: j.Memory},
		polled.CounterKind{Name: "cgroup_anon", Scope: "job", Open: j.Anonymous},
		polled.CounterKind{Name: "cgroup_disk", Scope: "job", Open: j.Disk},
		polled.CounterKind{Name: "cgroup_psi", Scope: "job", Open: j.Pressure},
	)
}

// JobLimits returns an opener of the limits of a cgroup and of their effects: of the job's cgroup, or of the
// one that contains a command.
func JobLimits(j JobCgroup) polled.Opener {
	return polled.Open(
		polled.CounterKind{Name: "cgroup_oom_kills", Scope: "job", Open: j.OOMKills},
		polled.CounterKind{Name: "cgroup_throttled", Scope: "job", Open: j.Throttled},
		polled.CounterKind{Name: "cgroup_mem_limit", Scope: "job", Open: j.MemoryLimit},
		polled.CounterKind{Name: "cgroup_cpu_limit", Scope: "job", Open: j.CPULimit},
	)
}
