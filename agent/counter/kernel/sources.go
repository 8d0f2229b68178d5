package kernel

import "jobgait/agent/counter/polled"

// Node opens what can be read of the whole node, and names what cannot. On a
// shared node the caller leaves it: it is not the job's alone.
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

// Busy opens the node's CPU time, for a node without perf events.
func Busy(r Roots) polled.Opener {
	return polled.Open(polled.CounterKind{Name: "node_cpu", Scope: "node", Open: func() (polled.Meter, error) {
		return NodeCPU(r)
	}})
}

// Job opens what can be read of the job's cgroup. It may appear later; until
// then, and if it never does, there are no readings.
func Job(j JobCgroup) polled.Opener {
	return polled.Open(
		polled.CounterKind{Name: "cgroup_cpu", Scope: "job", Open: j.CPU},
		polled.CounterKind{Name: "cgroup_mem", Scope: "job", Open: j.Memory},
		polled.CounterKind{Name: "cgroup_anon", Scope: "job", Open: j.Anonymous},
		polled.CounterKind{Name: "cgroup_disk", Scope: "job", Open: j.Disk},
		polled.CounterKind{Name: "cgroup_psi", Scope: "job", Open: j.Pressure},
	)
}

// Limits opens what bounds a job, and what that did to it: of the job's cgroup, or of
// the one that a command lies in.
func Limits(j JobCgroup) polled.Opener {
	return polled.Open(
		polled.CounterKind{Name: "cgroup_oom_kills", Scope: "job", Open: j.OOMKills},
		polled.CounterKind{Name: "cgroup_throttled", Scope: "job", Open: j.Throttled},
		polled.CounterKind{Name: "cgroup_mem_limit", Scope: "job", Open: j.MemoryLimit},
		polled.CounterKind{Name: "cgroup_cpu_limit", Scope: "job", Open: j.CPULimit},
	)
}
