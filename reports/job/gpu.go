package job

import (
	"fmt"
	"strings"

	"jobgait/analysis/finding"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// newGPUs returns the run's GPUs with their lanes cleaned for drawing.
func newGPUs(s summary.Summary) []summary.GPU {
	out := make([]summary.GPU, 0, len(s.GPUs))
	for _, g := range s.GPUs {
		g.Lane = cleanGPULane(g.Lane)
		out = append(out, g)
	}
	return out
}

// gpusRemark warns where the way the GPUs are read has not been tested on a board.
func (r Report) gpusRemark() string {
	for _, n := range r.Notes {
		if n.Code == note.GPUUnproven {
			return "according to the documentation, not yet checked on a GPU"
		}
	}
	return ""
}

// textGPUs prints the section on the GPUs; a run without GPUs has none.
func (r Report) textGPUs(p *text.Page) {
	rows := r.gpuRows()
	if len(rows) == 0 {
		return
	}
	p.Section("GPUS", r.gpusRemark())
	p.Table(rows)
	for _, text := range r.gpuTexts() {
		p.Text("  ", text)
	}
	r.gpuShapes(p)
}

// gpuTexts returns the sentences below the table.
func (r Report) gpuTexts() []string {
	var out []string
	for _, text := range []string{r.gpuOthersText(), r.gpuUseText(), r.gpuDifferenceText(), r.gpuClockText()} {
		if text != "" {
			out = append(out, text)
		}
	}
	if idle := r.gpuIdleText(); idle != "" {
		out = append(out, idle+" "+betweenSyncs)
	}
	return out
}

// listedGPUs is the largest number of GPUs that get a line each.
const listedGPUs = 16

// gpuRows returns a head and a row for each of the first listedGPUs GPUs, no rows without GPUs. It leaves out
// the columns on slowing and on cycles where no GPU was slowed or no cycle was seen.
func (r Report) gpuRows() []text.Row {
	if len(r.GPUs) == 0 {
		return nil
	}
	var rows []text.Row
	var several, slowed bool
	pattern := ""
	for _, g := range r.GPUs {
		several = several || g.Node != r.GPUs[0].Node
		slowed = slowed || g.SlowedS != nil && *g.SlowedS > 0
		if g.Cycle != nil && r.likelyPattern(g.Cycle.Pattern) {
			pattern = g.Cycle.Pattern
		}
	}
	for i, g := range append([]summary.GPU{{}}, r.GPUs[:min(len(r.GPUs), listedGPUs)]...) {
		cells := text.Row{text.Left("GPU"), text.Left("board"), text.Right("active"), text.Right("mean"),
			text.Right("energy"), text.Right("most memory")}
		if i > 0 {
			where := fmt.Sprint(g.Index)
			if several {
				where = text.Cut(g.Node, 20) + " " + where
			}
			cells = text.Row{text.Left(where), text.Left(text.Cut(g.Name, 30)), text.Right(gpuPart(g, g.ActiveS)),
				text.Right(gpuAmount(g.PowerW, "W")), text.Right(gpuAmount(g.EnergyJ, "J")), text.Right(gpuMemory(g))}
		}
		if slowed {
			cells = append(cells, text.Right(headerOrCell(i, "slowed", gpuPart(g, g.SlowedS))))
		}
		if pattern != "" {
			cells = append(cells, text.Right(headerOrCell(i, "idle in "+pattern, gpuIdleShare(g))))
		}
		rows = append(rows, cells)
	}
	return rows
}

// headerOrCell returns the column's name for row 0, and text for the other rows.
func headerOrCell(i int, name, text string) string {
	if i == 0 {
		return name
	}
	return text
}

// gpuOthersText says how many GPUs have no line and, if the energy of every GPU is known, how much all took; "" for
// fewer than two GPUs.
func (r Report) gpuOthersText() string {
	if len(r.GPUs) < 2 {
		return ""
	}
	joules, known := 0.0, 0
	for _, g := range r.GPUs {
		if g.EnergyJ != nil {
			joules, known = joules+*g.EnergyJ, known+1
		}
	}
	var parts []string
	if more := len(r.GPUs) - listedGPUs; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more are in the JSON.", more))
	}
	if known == len(r.GPUs) {
		parts = append(parts, fmt.Sprintf("All %d took %s.", known, quantity.Amount(joules, "J")))
	}
	return strings.Join(parts, " ")
}

// leastActive is the share of the time from which it is reported how much of a GPU was used.
const leastActive = 0.001

// gpuUseText returns a sentence on how much of the GPUs was used, in the mean of those that count it; "" if
// none does or hardly any kernel ran.
func (r Report) gpuUseText() string {
	var parts []string
	if idle := r.idleShares(idleOfTime); idle.ok && idle.lo > 1-leastActive {
		return ""
	}
	for _, f := range []struct {
		of   func(summary.GPU) *float64
		text string
	}{
		{func(g summary.GPU) *float64 { return g.SM }, "%s of the multiprocessors had work"},
		{func(g summary.GPU) *float64 { return g.Occupancy }, "%s of the warp slots were occupied"},
		{func(g summary.GPU) *float64 { return g.Tensor }, "tensor cores worked %s of the time"},
		{func(g summary.GPU) *float64 { return g.DRAM }, "memory worked %s of the time"},
	} {
		sum, n := 0.0, 0
		for _, g := range r.GPUs {
			if v := f.of(g); v != nil {
				sum, n = sum+*v, n+1
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf(f.text, quantity.Share(sum/float64(n))))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "In the mean over the run " + strings.Join(parts, ", ") + "."
}

// minGPUDifference is the smallest difference between GPUs that is reported, as a part of the largest value.
const minGPUDifference = 0.1

// gpuDifferenceText returns a sentence on how far the GPUs are apart in energy and active time, "" where they
// differ little. Whether they should be alike is unknown here.
func (r Report) gpuDifferenceText() string {
	var parts []string
	for _, f := range []struct {
		what string
		of   func(summary.GPU) *float64
		text func(summary.GPU) string
	}{
		{"energy", func(g summary.GPU) *float64 { return g.EnergyJ }, func(g summary.GPU) string {
			return gpuAmount(g.EnergyJ, "J")
		}},
		{"active", func(g summary.GPU) *float64 { return g.ActiveS }, func(g summary.GPU) string {
			return gpuPart(g, g.ActiveS)
		}},
	} {
		lowest, highest := extremes(r.GPUs, f.of)
		if highest != nil && *f.of(*highest)-*f.of(*lowest) > minGPUDifference**f.of(*highest) {
			parts = append(parts, fmt.Sprintf("%s from %s (%s) to %s (%s)", f.what, f.text(*lowest), r.gpuName(*lowest),
				f.text(*highest), r.gpuName(*highest)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "The GPUs differ: " + strings.Join(parts, ", ") + "."
}

// extremes returns the GPUs with the smallest and the largest value of a quantity, nil where no GPU has it.
func extremes(list []summary.GPU, of func(summary.GPU) *float64) (lowest, highest *summary.GPU) {
	for i, g := range list {
		v := of(g)
		if v == nil {
			continue
		}
		if lowest == nil || *v < *of(*lowest) {
			lowest = &list[i]
		}
		if highest == nil || *v > *of(*highest) {
			highest = &list[i]
		}
	}
	return lowest, highest
}

// gpuClockText returns a sentence on the mean clock of the GPUs whose drivers report it.
func (r Report) gpuClockText() string {
	lo, hi := extremes(r.GPUs, func(g summary.GPU) *float64 { return g.ClockMHz })
	switch {
	case lo == nil:
		return ""
	case gpuAmount(lo.ClockMHz, "MHz") == gpuAmount(hi.ClockMHz, "MHz"):
		return fmt.Sprintf("The shaders' clock was %s in the mean.", gpuAmount(lo.ClockMHz, "MHz"))
	}
	return fmt.Sprintf("The shaders' clock was %s (%s) to %s (%s) in the mean.", gpuAmount(lo.ClockMHz, "MHz"),
		r.gpuName(*lo), gpuAmount(hi.ClockMHz, "MHz"), r.gpuName(*hi))
}

// gpuName returns "GPU 0", with the node's name where the run has several nodes.
func (r Report) gpuName(g summary.GPU) string {
	name := fmt.Sprintf("GPU %d", g.Index)
	if r.Nodes.Total > 1 {
		name += " of " + text.Cut(g.Node, 20)
	}
	return name
}

// gpuPart prints a time s in seconds as a share of the time in which the GPU was read; "-" if either is unknown.
func gpuPart(g summary.GPU, s *float64) string {
	if s == nil || g.ReadS <= 0 {
		return quantity.Missing
	}
	return quantity.Share(min(1, *s/g.ReadS))
}

// gpuAmount prints an amount in a unit, or "-" where it is unknown.
func gpuAmount(v *float64, unit string) string {
	return quantity.Optional(v, func(v float64) string { return quantity.Amount(v, unit) })
}

// gpuMemory prints the peak of a GPU's memory, and its size where that is known.
func gpuMemory(g summary.GPU) string {
	if g.MemoryPeakBytes == nil || g.MemoryBytes <= 0 {
		return gpuAmount(g.MemoryPeakBytes, "bytes")
	}
	return quantity.AmountOf(*g.MemoryPeakBytes, g.MemoryBytes, "bytes")
}

// gpuIdleShare prints the share of a cycle in which the GPU is idle.
func gpuIdleShare(g summary.GPU) string {
	if g.Cycle == nil {
		return quantity.Missing
	}
	return quantity.Share(g.Cycle.IdleShare)
}

// setGPUFacts fills in what the run's GPUs did, for the findings.
func (r Report) setGPUFacts(n *finding.RunFacts) {
	for _, g := range r.GPUs {
		x := finding.GPU{Name: r.gpuName(g), ReadS: g.ReadS, ActiveS: g.ActiveS, PowerCappedS: g.PowerCappedS,
			HeatSlowedS: g.HeatSlowedS}
		if i := g.IdleStretch; i != nil {
			x.StretchS, x.FromS = i.EndS-i.StartS, i.StartS
		}
		n.GPUs = append(n.GPUs, x)
	}
	if cycles, idle := r.gpuIdleText(), r.gpuIdleTime(); cycles != "" {
		n.GPUIdle = &finding.GPUIdle{Share: r.idleShares(idleOfCycle).mean, OfCycles: true, Text: cycles}
	} else if idle != "" {
		n.GPUIdle = &finding.GPUIdle{Share: r.idleShares(idleOfTime).mean, Text: idle}
	}
	for _, x := range r.Notes {
		if x.Code != note.GPUsNotHeld {
			continue
		}
		n.GPUsNotHeld = append(n.GPUsNotHeld, x.Nodes...)
		for _, m := range r.Nodes.List {
			if len(x.Nodes) == 0 && m.Reported { // it is of all
				n.GPUsNotHeld = append(n.GPUsNotHeld, m.Name)
			}
		}
	}
}
