package summary

import (
	"math"

	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// slowColumns returns the columns that are read at most a few times a second, by kind, the most useful kind
// first; of each kind the first existing column is drawn.
func slowColumns() [][]string {
	return [][]string{
		{waitColumn},
		{run.StorageWait},
		{"cgroup_mem", "mem_used", "proc_mem"},
		{"energy_pkg"},
		{"cgroup_write_bytes", "lustre_write_bytes", "nfs_write_bytes", "disk_write_bytes", "proc_write_bytes"},
		{"cgroup_read_bytes", "lustre_read_bytes", "nfs_read_bytes", "disk_read_bytes", "proc_read_bytes"},
		{"ib_tx_bytes", "net_tx_bytes"},
	}
}

// WithSlow adds to the timeline the columns that are read too rarely to show a period: memory, power, files,
// network. They have their own grid; each bin is the mean of the samples that it overlaps, so that bins
// shorter than a sample repeat its value. Of each kind it adds the first column that is not 0 throughout.
func (t Timeline) WithSlow(slow series.Set) Timeline {
	bins := 0
	for _, c := range t.Columns {
		bins = max(bins, len(c.Mean))
	}
	for _, kind := range slowColumns() {
		for _, name := range kind {
			if c, ok := slow.Column(name); ok && hasNonZero(c.Values) {
				t.Columns = append(t.Columns, t.overlay(slow, c, bins))
				break
			}
		}
	}
	return t
}

// overlay converts one column to the timeline's bins.
func (t Timeline) overlay(slow series.Set, c series.Column, bins int) TimelineColumn {
	out := TimelineColumn{Name: c.Name, Unit: c.Unit, Scope: string(c.Scope)}
	at := func(s float64) int { return min(max(0, int(math.Floor((s-slow.StartS)/slow.StepS))), len(c.Values)) }
	for i := range bins {
		from := t.StartS + float64(i)*t.StepS
		first := at(from)
		// The sample in which the bin ends counts, unless it only begins there.
		last := min(len(c.Values), max(first+1, at(from+t.StepS-1e-9*t.StepS)+1))
		lo, mean, hi := extent(c.Values[min(first, last):last])
		out.Min, out.Mean, out.Max = append(out.Min, lo), append(out.Mean, mean), append(out.Max, hi)
	}
	return out
}

// hasNonZero reports whether any value is neither 0 nor missing.
func hasNonZero(v series.Values) bool {
	for _, x := range v {
		if x != 0 && !math.IsNaN(float64(x)) {
			return true
		}
	}
	return false
}
