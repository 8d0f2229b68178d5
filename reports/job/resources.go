package job

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/finding"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/reports/text"
)

// textResources prints a line for each resource: what was used and what was allocated. Resources that were not
// measured have no line; the notes in JSON and HTML say why.
func (r Report) textResources(p *text.Page) {
	head := 0
	gauges := r.gauges()
	for _, g := range gauges {
		if g.known() || len(g.Climb) > 0 {
			head = meterWidth + 2
		}
	}
	for _, g := range gauges {
		bar := ""
		switch {
		case len(g.Climb) > 0:
			_, mean, _ := series.Parts(g.Climb, meterWidth)
			_, hi, _ := text.FromZero(mean)
			bar = text.Spark(mean, 0, max(hi, g.Of), r.ascii)
		case g.known():
			bar = meter(g.Used/g.Of, r.ascii)
		}
		p.Text("  "+text.PadRight(g.Name, 6)+text.PadRight(bar, head), g.Text)
	}
}

// gauge is the use of one resource in words and numbers. Of is the allocated amount, 0 where there was no limit
// or it is unknown.
type gauge struct {
	Name, Text string
	Used, Of   float64
	// Climb is the use over the run, drawn instead of a bar; nil unless it grew all the time.
	Climb []float64
}

// known reports whether both the used and the allocated amount are known.
func (g gauge) known() bool { return g.Of > 0 && g.Used >= 0 }

// gauges returns the resources of which something was measured.
func (r Report) gauges() []gauge {
	u := r.Resources
	given := u.CPU.Allocated
	if r.partial() {
		given = nil // the load of the other nodes is unknown
	}
	all := []gauge{
		newGauge("CPU", r.cpuLine(), u.CPU.Busy, given),
		newGauge("MEM", r.memoryLine(), u.Memory.PeakBytes, u.Memory.RequestedBytes),
		newGauge("I/O", r.ioLine(), nil, nil), newGauge("LIMIT", r.limitLine(), u.Time.UsedS, u.Time.LimitS),
		newGauge("USUAL", r.usualLine(), nil, nil)}
	if r.memoryGrowth() != nil {
		all[1].Climb = r.memoryOverTime()
	}
	return slices.DeleteFunc(all, func(g gauge) bool { return g.Text == "" })
}

// partial reports whether nodes of the run are missing in the report.
func (r Report) partial() bool { return r.Nodes.Reported < r.Nodes.Total }

// newGauge returns a gauge with the used and the allocated amount if both are known; nil means unknown.
func newGauge(name, text string, used, of *float64) gauge {
	g := gauge{Name: name, Text: text}
	if used != nil && of != nil {
		g.Used, g.Of = *used, *of
	}
	return g
}

// meterWidth is the width of a meter in columns.
const meterWidth = 16

// meter returns a bar filled to the given part; a part above 1 fills it.
func meter(part float64, ascii bool) string {
	full, empty := "█", "░"
	if ascii {
		full, empty = "#", "."
	}
	n := int(math.Round(meterWidth * math.Min(1, math.Max(0, part))))
	return strings.Repeat(full, n) + strings.Repeat(empty, meterWidth-n)
}

// cpus prints a number of CPUs, with fewer decimals for large numbers.
func cpus(v float64) string {
	switch {
	case v < 10:
		return quantity.Hundredths(v)
	case v < 100:
		return quantity.Figures(v, 3)
	}
	return quantity.Count(int64(math.Round(v)))
}

// minReportedCPUs is the smallest mean number of CPUs for which waiting and the like are reported,
// minReportedPart the smallest part of the allocated CPUs.
const minReportedCPUs, minReportedPart = 0.01, 0.02

// cpuLine says how many CPUs were busy and, where these are large enough to report, how many tasks waited for a CPU,
// and how many CPUs were held back by a limit or taken by the node's host, all on average; "" if the busy CPUs are
// unknown.
func (r Report) cpuLine() string {
	c := r.Resources.CPU
	if c.Busy == nil {
		return ""
	}
	line := cpus(*c.Busy) + " CPUs busy"
	switch {
	case r.partial():
		line += fmt.Sprintf(" on %d of %s", r.Nodes.Reported, quantity.Plural(r.Nodes.Total, "node"))
	case c.Allocated != nil:
		line = cpus(*c.Busy) + " of " + quantity.Plural(int(*c.Allocated), "CPU") + " busy"
	}
	floor, wanted := minReportedCPUs, c.Waiting
	if c.Allocated != nil {
		floor = math.Max(floor, minReportedPart**c.Allocated)
	}
	if c.Waiting != nil && c.Throttled != nil { // what a limit holds back waits too
		rest := *c.Waiting - *c.Throttled
		wanted = &rest
	}
	extra := ""
	for _, x := range []struct {
		cpus *float64
		text string
	}{{wanted, "tasks waiting"}, {c.Throttled, "held back by a limit"}, {c.Stolen, "taken by the node's host"}} {
		if x.cpus != nil && *x.cpus >= floor {
			extra += ", " + cpus(*x.cpus) + " " + x.text
		}
	}
	if extra != "" {
		extra += ", on average"
	}
	return line + extra
}

// killedText returns "3 processes killed".
func killedText(n int) string { return quantity.Plural(n, "process") + " killed" }

// memoryLine says how much memory was used at most, how much was requested, and, unless a finding says it, that it grew
// all the time and how many processes were killed for lack of it; "" if the use is unknown.
func (r Report) memoryLine() string {
	m := r.Resources.Memory
	if m.PeakBytes == nil {
		return ""
	}
	line := "highest reading " + quantity.Amount(*m.PeakBytes, "B")
	if m.RequestedBytes != nil {
		line += " of " + quantity.Amount(*m.RequestedBytes, "B")
	}
	line += " (no file cache)"
	if r.memoryGrowth() != nil && !r.inHead("memory_growing") {
		line += ", it grew all the time"
	}
	ended := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Code == "out_of_memory" })
	if k := m.OOMKills; k != nil && *k > 0 && !ended {
		line += "; " + killedText(int(*k)) + " for lack of it"
	}
	return line
}

// minReportedWaitS is the shortest waiting for files in s that is reported.
const minReportedWaitS = 1.0

// ioLine says how much was read and written, and how long processes waited for files, unless the division of the time
// says that; "" if either amount is unknown.
func (r Report) ioLine() string {
	x := r.Resources.IO
	if x.ReadBytes == nil || x.WrittenBytes == nil {
		return ""
	}
	line := quantity.Amount(*x.ReadBytes, "bytes") + " read, " + quantity.Amount(*x.WrittenBytes, "bytes") + " written"
	d := r.Resources.Time.Division // which says it, if it is known
	if x.WaitingS != nil && *x.WaitingS >= minReportedWaitS && (d == nil || d.Storage == nil) {
		line += ", waited for " + quantity.Duration(*x.WaitingS)
	}
	if share, ok := r.filesWaitInCycle(); ok {
		line += "; waiting takes " + quantity.Share(share) + " of each cycle"
	}
	return line
}

// leastLonger is the least ratio to the usual time that the line on time names.
const leastLonger = 1.3

// limitLine compares the elapsed time with its limit, "" where it had none.
func (r Report) limitLine() string {
	t := r.Resources.Time
	if t.UsedS == nil || t.LimitS == nil {
		return ""
	}
	return quantity.Duration(*t.UsedS) + " of " + quantity.Duration(*t.LimitS) + " allowed"
}

// usualLine compares the elapsed time with that of earlier runs, "" without any.
func (r Report) usualLine() string {
	used, usual := r.Resources.Time.UsedS, r.Earlier.Elapsed.Median
	if used == nil || usual == nil {
		return ""
	}
	line := quantity.Duration(*usual) + " is usual (" + quantity.Plural(r.Earlier.N, "run") + ")"
	if more := *used / *usual; *usual > 0 && more >= leastLonger {
		line += fmt.Sprintf("; this run took %s times as long", quantity.Figures(more, 2))
	}
	return line
}
