package kernel

import (
	"time"

	"jobgait/analysis/summary"
)

// kind is one Meter, and the name by which it is missed.
type kind struct {
	name, scope string
	open        func() (Meter, error)
}

// answered opens a Meter whose device may not answer, not even to tell its state.
func answered(open func() (Meter, error)) (Meter, error) {
	type opened struct {
		m   Meter
		err error
	}
	done := make(chan opened, 1)
	go func() {
		m, err := open()
		done <- opened{m, err}
	}()
	select {
	case o := <-done:
		return o.m, o.err
	case <-time.After(probePatience):
		return Meter{}, errNoAnswer
	}
}

// Node opens what can be read of the whole node, and names what cannot. On a
// shared node the caller leaves it: it is not the job's alone.
func Node(r Roots, now func() int64) ([]*Polled, []summary.Source) {
	return openAll(now,
		kind{"net", "node", func() (Meter, error) { return Network(r) }},
		kind{"infiniband", "node", func() (Meter, error) { return answered(func() (Meter, error) { return InfiniBand(r) }) }},
		kind{"disk", "node", func() (Meter, error) { return Disks(r) }},
		kind{"lustre", "node", func() (Meter, error) { return Lustre(r) }},
		kind{"nfs", "node", func() (Meter, error) { return NFS(r) }},
		kind{"mem_used", "node", func() (Meter, error) { return Memory(r) }},
		kind{"psi", "node", func() (Meter, error) { return Pressure(r) }},
	)
}

// Busy opens the node's CPU time, for a node without perf events.
func Busy(r Roots, now func() int64) ([]*Polled, []summary.Source) {
	return openAll(now, kind{"node_cpu", "node", func() (Meter, error) { return NodeCPU(r) }})
}

// Job opens what can be read of the job's cgroup. It may appear later; until
// then, and if it never does, there are no readings.
func Job(j JobCgroup, now func() int64) ([]*Polled, []summary.Source) {
	return openAll(now,
		kind{"cgroup_cpu", "job", j.CPU},
		kind{"cgroup_mem", "job", j.Memory},
		kind{"cgroup_anon", "job", j.Anonymous},
		kind{"cgroup_oom_kills", "job", j.OOMKills},
		kind{"cgroup_disk", "job", j.Disk},
		kind{"cgroup_psi", "job", j.Pressure},
	)
}

func openAll(now func() int64, kinds ...kind) (have []*Polled, lack []summary.Source) {
	for _, k := range kinds {
		m, err := k.open()
		var p *Polled
		if err == nil {
			p, err = NewPolled(m, now)
		}
		if err != nil {
			lack = append(lack, summary.Source{Name: k.name, Scope: k.scope, PMU: m.PMU, Config: m.Config, Absent: err.Error()})
			continue
		}
		have = append(have, p)
	}
	return have, lack
}
