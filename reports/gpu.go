package reports

import (
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
)

// newGPUs returns the run's GPUs with all text cleaned and without what is no number.
func newGPUs(s summary.Summary) []summary.GPU {
	out := make([]summary.GPU, 0, len(s.GPUs))
	for _, g := range s.GPUs {
		g.Node, g.Name, g.UUID = Clean(g.Node), Clean(g.Name), Clean(g.UUID)
		g.ReadS, g.MemoryBytes = number(g.ReadS), number(g.MemoryBytes)
		for _, v := range []**float64{&g.EnergyJ, &g.PowerW, &g.ActiveS, &g.SlowedS, &g.MemoryPeakBytes} {
			*v = known(*v)
		}
		out = append(out, g)
	}
	return out
}

// unproven says on what all that is told of GPUs rests.
const unproven = "built to the documentation, not yet run on a GPU"

// textGPUs says what the GPUs did; a run without any has no section.
func (r Report) textGPUs(p *page) {
	rows := r.gpuRows()
	if len(rows) == 0 {
		return
	}
	p.section("GPUS", unproven)
	p.table(rows)
	p.text("  ", r.gpuRest())
}

// listedGPUs is how many have a line of their own.
const listedGPUs = 16

// gpuRows are a line for each GPU, none without any.
func (r Report) gpuRows() []row {
	var rows []row
	several := slices.ContainsFunc(r.GPUs, func(g summary.GPU) bool { return g.Node != r.GPUs[0].Node })
	for i, g := range r.GPUs[:min(len(r.GPUs), listedGPUs)] {
		if i == 0 {
			rows = append(rows, row{left("GPU"), left("board"), right("active"), right("mean"), right("energy"), right("most memory"), right("slowed")})
		}
		where := fmt.Sprint(g.Index)
		if several {
			where = cut(g.Node, 20) + " " + where
		}
		rows = append(rows, row{left(where), left(cut(g.Name, 30)), right(gpuPart(g, g.ActiveS)), right(gpuAmount(g.PowerW, "W")), right(gpuAmount(g.EnergyJ, "J")),
			right(gpuMemory(g)), right(gpuPart(g, g.SlowedS))})
	}
	return rows
}

// gpuRest says what those are like that have no line, and what all took.
func (r Report) gpuRest() string {
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

// gpuPart is a time as the part of that in which the GPU was read.
func gpuPart(g summary.GPU, s *float64) string {
	if s == nil || g.ReadS <= 0 {
		return quantity.Missing
	}
	return quantity.Share(min(1, *s/g.ReadS))
}

func gpuAmount(v *float64, unit string) string {
	return quantity.Optional(v, func(v float64) string { return quantity.Amount(v, unit) })
}

func gpuMemory(g summary.GPU) string {
	text := gpuAmount(g.MemoryPeakBytes, "bytes")
	if g.MemoryPeakBytes != nil && g.MemoryBytes > 0 {
		text += " of " + quantity.Amount(g.MemoryBytes, "bytes")
	}
	return text
}
