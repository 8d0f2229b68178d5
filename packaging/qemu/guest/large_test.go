package guest

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
	"jobgait/analysis/run"
)

// large is what was opened of a set of events that the PMU may have no room for.
type large struct {
	Extra   int                 `json:"extra"`
	Columns []string            `json:"columns"`
	Sources []run.CounterSource `json:"sources"`
	// Silent are the columns that counted nothing.
	Silent []string `json:"silent"`
}

// measureLarge makes more hardware events of the agent's events than the PMU has counters: six, and one for
// cycles only. Events that the emulation does not have count instructions, and so do the first few of the
// kernel's own. Finally cycles do, too. The kernel refuses the group.
func measureLarge() (any, error) {
	var all []large
	for extra := 2; extra <= 5; extra++ {
		l, err := openLarge(extra)
		if err != nil {
			return all, fmt.Errorf("%d extra: %w", extra, err)
		}
		all = append(all, l)
	}
	return all, nil
}

// ofTheKernel are the kernel's own events, in the order of the columns.
func ofTheKernel() []uint64 {
	return []uint64{unix.PERF_COUNT_SW_CONTEXT_SWITCHES, unix.PERF_COUNT_SW_PAGE_FAULTS,
		unix.PERF_COUNT_SW_PAGE_FAULTS_MAJ,
		unix.PERF_COUNT_SW_CPU_MIGRATIONS}
}

func openLarge(extra int) (large, error) {
	kernel := ofTheKernel()
	c, err := openCounters(func(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
		b := *a
		cycles := a.Config == unix.PERF_COUNT_HW_CPU_CYCLES && extra <= len(kernel)
		hardware := a.Type == unix.PERF_TYPE_HARDWARE && !cycles
		chosen := a.Type == unix.PERF_TYPE_SOFTWARE && slices.Contains(kernel[:min(extra, len(kernel))], a.Config)
		if hardware || chosen {
			b.Type, b.Config = retired().Type, retired().Config
		}
		return perf.Open(&b, pid, cpu, group, flags)
	})
	if err != nil {
		return large{}, err
	}
	defer c.Close()
	l := large{Extra: extra, Sources: c.Sources()}
	sink, err := counted(c, func() error { spin(turns / 5); return nil })
	if err != nil {
		return l, err
	}
	last, ok := sink.Last(0)
	for i, col := range c.Columns() {
		l.Columns = append(l.Columns, col.Name)
		if ok && last.Counts[i] == 0 {
			l.Silent = append(l.Silent, col.Name)
		}
	}
	return l, nil
}
