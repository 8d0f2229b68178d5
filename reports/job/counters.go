package job

import (
	"math"
	"strings"

	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// Counter is the total of one counter over the run and its nodes.
type Counter struct {
	Name  string  `json:"name"`
	Label string  `json:"label"`
	Unit  string  `json:"unit"`
	Scope Word    `json:"scope"`
	Total float64 `json:"total"`
	// Before is the count when the run's first sample was taken; absent = 0.
	Before float64  `json:"before,omitempty"`
	PerS   *float64 `json:"per_s"`
	// Share is the part of the run that Total covers, 0 to 1; null = the whole run.
	Share *float64 `json:"share,omitempty"`
}

// newCounters returns the totals and the run's instructions per clock cycle. A rate is the mean over the time that the
// total covers; for counters of the job that excludes suspensions. The instructions per cycle are nil unless
// instructions and cycles were both counted, for the same processes.
func newCounters(s summary.Summary) ([]Counter, *float64) {
	out := make([]Counter, 0, len(s.Counters))
	totals := make(map[[2]string]float64)
	for _, c := range s.Counters {
		x := Counter{c.Name, totalLabel(c), c.Unit, Word(c.Scope), c.Total, c.Before, nil, nil}
		part := c.Part()
		if part < 1 {
			x.Share = &part
		}
		ran := s.ElapsedS
		if c.Scope == "job" {
			ran = s.RanS()
		}
		if ran *= part; ran > 0 {
			x.PerS = quantity.Finite(c.Total / ran)
		}
		out = append(out, x)
		totals[[2]string{c.Name, c.Scope}] = c.Total
	}
	for _, c := range s.Counters {
		cycles := totals[[2]string{"cycles", c.Scope}]
		if c.Name == "instructions" && cycles > 0 && c.Total > 0 {
			return out, quantity.Finite(c.Total / cycles)
		}
	}
	return out, nil
}

// totalLabel returns the label of a total: the long name of its column, except that a counter of CPU time names its
// source, because CPU time may be counted several times (by samples, /proc, perf and the cgroup), and one of energy
// names what used it.
func totalLabel(c run.Counter) string {
	switch c.Name {
	case "cpu_time":
		if part := c.Part(); part < 1 {
			return "CPU time, by samples of " + quantity.Share(part) + " of the run"
		}
		return "CPU time, by samples"
	case "proc_cpu":
		return "CPU time, by /proc"
	case "task_clock":
		return "CPU time, by perf"
	case "cgroup_cpu":
		if c.Before > c.Total/100 {
			return "CPU time, by the cgroup (" + quantity.Duration(c.Before/1e9) + " more before)"
		}
		return "CPU time, by the cgroup"
	case "energy_pkg":
		return "energy of the processors"
	case "energy_dram":
		return "energy of the memory"
	}
	return columnLabel(c.Name, c.Unit, 0).long
}

// unitOf returns the printed unit of a counter; "" for plain counts (events, operations, packets) and where the name or
// the label already contains the unit.
func (c Counter) unitOf() string {
	switch c.Unit {
	case "", "1", "events", "operations", "packets", c.Name, c.Label:
		return ""
	}
	if strings.HasSuffix(c.Label, " "+c.Unit) {
		return "" // such as context switches, whose unit is switches
	}
	return c.Unit
}

// seconds returns how many of the counter's units make a second; 0 for a counter that counts no time.
func (c Counter) seconds() float64 {
	return map[string]float64{"ns": 1e9, "us": 1e6, "s": 1}[c.Unit]
}

// total prints the counter's total; times are printed as durations.
func (c Counter) total() string {
	if unit := c.seconds(); unit > 0 {
		return quantity.Duration(c.Total / unit)
	}
	if c.Unit == "uJ" {
		return quantity.Amount(c.Total/1e6, "J")
	}
	return quantity.Amount(c.Total, c.unitOf())
}

// ofTime prints a rate in seconds per second: CPUs in use for counters of CPU time, else a share of the run.
func (c Counter) ofTime(perS float64) string {
	if cpuTime(c.Name) {
		return quantity.Figures(perS, 3) + " CPUs"
	}
	return quantity.Share(perS)
}

// cpus returns how many CPUs the job used by a counter of its CPU time; NaN for other counters.
func (c Counter) cpus() float64 {
	clock := c.Name == "cpu_time" || c.Name == "proc_cpu" || c.Name == "task_clock" || c.Name == "cgroup_cpu"
	if !clock || c.seconds() == 0 || c.Scope != "job" || c.PerS == nil {
		return math.NaN()
	}
	return *c.PerS / c.seconds()
}

// minRateEvents is the smallest number of events for which a rate is printed: one killed process is not 0.0003
// per second.
const minRateEvents = 10

// rate prints the mean rate per second. Times give a number of CPUs or a share of the run, energy gives W. It returns
// "-" if the rate is unknown, or for a count without a unit below minRateEvents.
func (c Counter) rate() string {
	unit := c.seconds()
	switch {
	case c.PerS == nil:
		return quantity.Missing
	case unit > 0:
		return c.ofTime(*c.PerS / unit)
	case c.Unit == "uJ":
		return quantity.Amount(*c.PerS/1e6, "W")
	case c.unitOf() == "" && c.Total < minRateEvents:
		return quantity.Missing
	}
	return quantity.Amount(*c.PerS, c.unitOf()) + "/s"
}
