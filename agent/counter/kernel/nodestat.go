package kernel

import (
	"path/filepath"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// NodeCPU returns a meter of the node's busy CPU time, from the first line of /proc/stat, in ns with a
// resolution of 10 ms. It is for nodes without perf events. Reading the file is costly on large nodes, since
// the kernel also formats all interrupt counts.
//
//	cpu  user nice system idle iowait irq softirq steal guest guest_nice
func NodeCPU(r Roots) (polled.Meter, error) {
	f := newRecord(filepath.Join(r.Proc, "stat"))
	return polled.Meter{
		Columns: []profile.Column{{Name: "node_cpu", Unit: "ns", Scope: "node"}},
		Event:   "user+nice+system+irq+softirq", PMU: "proc", Config: f.path, EveryNS: every10Hz,
		Read: func(cells []uint64) error {
			b, err := f.read()
			if err != nil {
				return err
			}
			cells[0], err = parseNodeCPU(b)
			return err
		},
		Close: f.close,
	}, nil
}

// parseNodeCPU returns the busy time of all CPUs in ns: user, nice, system, irq and softirq, without idle and iowait.
// Guest time is in user time already; stolen time belongs to another machine.
func parseNodeCPU(b []byte) (uint64, error) {
	line, _ := cutLine(b)
	name, rest := cutField(line)
	if string(name) != "cpu" {
		return 0, errUnexpectedFormat
	}
	var n [7]uint64
	ok := false
	for k := range n {
		if n[k], rest, ok = cutNumber(rest); !ok || n[k] > 1<<40 {
			return 0, errUnexpectedFormat
		}
	}
	return (n[0] + n[1] + n[2] + n[5] + n[6]) * tick, nil
}
