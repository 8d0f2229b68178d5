package job

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/reports/plot"
	"jobgait/reports/text"
)

// patternRows returns the table of patterns.
func (r Rhythm) patternRows() []text.Row {
	rows := []text.Row{{text.Left("pattern"), text.Right("period"), text.Right("varies by"), text.Right("times"),
		text.Right("share"),
		text.Right("95 % interval"), text.Right("confidence")}}
	for i, q := range r.Patterns {
		rows = append(rows, text.Row{text.Swatched(q.ID, fmt.Sprintf("p%d", i%4)),
			text.Right(quantity.Period(q.Period.value())), text.Right(quantity.Share(q.PeriodCV)),
			text.Right(quantity.Count(q.Instances)), text.Right(quantity.Share(q.Coverage)), text.Right(q.Period.interval()),
			text.Right(quantity.Hundredths(q.Confidence))})
	}
	return rows
}

// foundIn says in which columns the periods were found.
func (r Rhythm) foundIn() string {
	var ids, labels []string
	for _, q := range r.Patterns {
		if i := slices.Index(labels, q.Label); i >= 0 {
			ids[i] += ", " + q.ID
			continue
		}
		ids, labels = append(ids, q.ID), append(labels, q.Label)
	}
	for i := range ids {
		ids[i] += " found in: " + labels[i]
	}
	return strings.Join(ids, "; ")
}

// listedPhases is the largest number of phases at which each has a line.
const listedPhases = 10

// phaseRows returns the phases in time order, or the totals by kind if there are more than listedPhases or
// checkpoints among them; nil for a run without distinct phases.
func (r Report) phaseRows() []text.Row {
	if !slices.ContainsFunc(r.Rhythm.Phases, func(p RunPhase) bool { return p.Kind != phase.Aperiodic }) {
		return nil // the whole run is one phase without a name
	}
	at := func(s float64) text.Cell { return text.Right(quantity.Position(s, r.Job.ElapsedS)) }
	checkpoints := slices.ContainsFunc(r.Rhythm.Totals, func(t PhaseTotal) bool { return t.Kind == phase.Checkpoint })
	if len(r.Rhythm.Phases) <= listedPhases && !checkpoints {
		rows := []text.Row{{text.Left("phase"), text.Left(""), text.Right("from"), text.Right("to"), text.Right("lasts"),
			text.Right("share")}}
		for _, p := range r.Rhythm.Phases {
			rows = append(rows, text.Row{text.Swatched(string(p.letter()), r.phaseClass(p)), text.Left(p.name()), at(p.StartS),
				at(p.EndS),
				text.Right(quantity.Duration(p.length())), text.Right(quantity.Share(p.Share))})
		}
		return rows
	}
	rows := []text.Row{{text.Left("phase"), text.Left(""), text.Right("stretches"), text.Right("in all"),
		text.Right("share"), text.Right("each, mean")}}
	for _, t := range r.Rhythm.Totals {
		p := RunPhase{Kind: t.Kind, Pattern: t.Pattern}
		rows = append(rows, text.Row{text.Swatched(string(p.letter()), r.phaseClass(p)), text.Left(p.name()),
			text.Right(quantity.Count(t.Count)),
			text.Right(quantity.Duration(t.S)), text.Right(quantity.Share(t.Share)),
			text.Right(quantity.Duration(t.S / float64(max(1, t.Count))))})
	}
	return rows
}

// listedNodes is the largest number of nodes at which each has a line; with more nodes only odd ones do, at
// most listedOdd.
const listedNodes, listedOdd = 16, 12

// nodesToList returns every node, or only the first listedOdd odd ones if there are more than listedNodes
// nodes.
func (r Report) nodesToList() []ComparedNode {
	if r.Nodes.Total <= listedNodes {
		return r.Nodes.List
	}
	odd := r.Nodes.odd()
	return odd[:min(len(odd), listedOdd)]
}

// nodeRows returns the table of nodes, nil for a run on one node.
func (r Report) nodeRows() []text.Row {
	list := r.nodesToList()
	if r.Nodes.Total <= 1 || len(list) == 0 {
		return nil // there is nothing to compare
	}
	var busy []float64
	for _, m := range r.Nodes.List {
		if m.BusyCPUs != nil {
			busy = append(busy, *m.BusyCPUs)
		}
	}
	_, maxBusy, _ := plot.Extent(busy)
	rows := []text.Row{{text.Left("node"), text.Right("busy CPUs"), {Left: true, Wide: true}, text.Right("period"),
		text.Right("periodic"), text.Right("missing"), text.Left("")}}
	for _, m := range list {
		rows = append(rows, m.row(maxBusy))
	}
	return rows
}

// meter returns a bar of the node's busy CPUs on a scale from 0 to maxBusy.
func (m ComparedNode) meter(maxBusy float64) text.Cell {
	art := text.Cell{Left: true, Wide: true}
	if m.BusyCPUs != nil {
		class := "value"
		if len(m.Odd) > 0 {
			class = "value odd"
		}
		art.Art = template.HTML(plot.Meter(class, *m.BusyCPUs, maxBusy, m.Name+": "+quantity.Hundredths(*m.BusyCPUs)+
			" busy CPUs"))
	}
	return art
}

// maxRemark is the width in columns for what is odd about a node, beside names of 12 columns.
const maxRemark = 25

// row returns the node's row of the table; maxBusy is the largest number of busy CPUs of any node. A node without a
// report has only its name and a remark.
func (m ComparedNode) row(maxBusy float64) text.Row {
	if !m.Reported {
		return text.Row{text.Left(m.Name), text.Right(quantity.Missing), m.meter(maxBusy), text.Right(quantity.Missing),
			text.Right(quantity.Missing), text.Right(quantity.Missing), text.Left("no report from this node")}
	}
	remarks := slices.Clone(m.Odd)
	if !m.Sealed {
		remarks = append(remarks, "salvaged")
	}
	remark := strings.Join(remarks, "; ")
	if len(remarks) > 1 && text.Width(remark) > maxRemark {
		remark = remarks[0] + ", ..." // the rest stands below the table
	}
	missing := quantity.Missing
	if m.Samples > 0 {
		missing = quantity.Share(float64(m.Missing) / float64(m.Samples))
	}
	return text.Row{text.Left(m.Name), text.Right(quantity.Optional(m.BusyCPUs, quantity.Hundredths)), m.meter(maxBusy),
		text.Right(quantity.Optional(m.PeriodS, quantity.Period)),
		text.Right(quantity.Optional(m.Coverage, quantity.Share)), text.Right(missing), text.Left(remark)}
}

// gaugeCounters are the counters that the lines of resources already print.
var gaugeCounters = [...]string{run.CPUWait, run.StorageWait, "proc_read_bytes", "proc_write_bytes",
	"cgroup_read_bytes",
	"cgroup_write_bytes", "cgroup_oom_kills",
	"cgroup_throttled", "cgroup_psi_io_full", "stolen_cpu", "others_cpu"}

// listedCounters returns the counters that get a line. It leaves out what is printed elsewhere. The counters of
// CPU time all count the same thing and disagree for an idle run, so it keeps only the one closest to the busy
// CPUs. The JSON form has all counters.
func (r Report) listedCounters() []Counter {
	best, apart := "", math.Inf(1)
	for _, c := range r.Counters {
		if v := c.cpus(); r.Resources.CPU.Busy != nil && math.Abs(v-*r.Resources.CPU.Busy) < apart {
			best, apart = c.Name, math.Abs(v-*r.Resources.CPU.Busy)
		}
	}
	return slices.DeleteFunc(slices.Clone(r.Counters), func(c Counter) bool {
		return run.IsGPUColumn(c.Name) || slices.Contains(gaugeCounters[:], c.Name) && c.Scope == "job" ||
			c.Name == "others_cpu" || !math.IsNaN(c.cpus()) && best != "" && c.Name != best
	})
}

// counterRows returns the table of counters without those that stayed 0: a node has a dozen counters that most
// jobs never change. The JSON form has them.
func (r Report) counterRows() []text.Row {
	rows := []text.Row{{text.Left("counter"), text.Right("total"), text.Right("mean rate"), text.Left("counted on")}}
	for _, c := range r.listedCounters() {
		if c.Total == 0 {
			continue
		}
		rows = append(rows, text.Row{text.Left(c.Label), text.Right(c.total()), text.Right(c.rate()),
			text.Left(c.Scope.String())})
	}
	if len(rows) == 1 {
		return nil
	}
	return rows
}

// runRows returns the table of the newest earlier runs, at most listedRuns.
func (r Report) runRows() []text.Row {
	rows := []text.Row{{text.Left("job"), text.Left("start"), text.Right("elapsed"), text.Right("period"),
		text.Right("periodic"), text.Left("state")}}
	for _, x := range r.Earlier.List[:min(len(r.Earlier.List), listedRuns)] {
		rows = append(rows, text.Row{text.Left(x.ID), text.Left(moment(x.StartEpochS).In(r.zone).Format("2006-01-02 15:04")),
			text.Right(quantity.Duration(x.ElapsedS)), text.Right(quantity.Optional(x.PeriodS, quantity.Period)),
			text.Right(quantity.Optional(x.Coverage, quantity.Share)), text.Left(x.State.String())})
	}
	return rows
}
