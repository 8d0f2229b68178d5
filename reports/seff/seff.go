package seff

import (
	"fmt"
	"io"
	"math"
	"os/user"
	"strconv"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
	report "jobgait/reports/job"
	"jobgait/reports/text"
)

// Efficiency is the efficiency of a job. Digest has the values beyond seff's output; nil where no samples of
// the job are known.
type Efficiency struct {
	job.Usage
	Digest *report.Digest
}

// EfficiencyOfStored returns the efficiency of a run in the history.
func EfficiencyOfStored(s summary.Summary) Efficiency {
	digest := report.New(s, nil, report.Options{}).Digest()
	used := s.Resources()
	u := job.Usage{JobID: s.Key.JobID, Cluster: s.Key.Cluster, User: s.Job.User, Group: groupName(s.Job.GID),
		State: s.State, Nodes: max(s.Job.NNodes, len(s.Nodes)), ElapsedS: s.ElapsedS,
		MemoryUsage: job.MemoryUsage{MemoryBytes: used.Memory.PeakBytes, AllocatedBytes: s.Job.MemoryBytes}}
	if id := s.DisplayID(); strings.Contains(id, "_") { // 123+1 is a component
		u.ArrayID = id
	}
	if s.Exit != nil {
		u.ExitCode = &s.Exit.Code
	}
	if n := s.Job.NCPUs; n != nil {
		u.CPUs = *n
	}
	if h := history.HistoryOfUnstoredRun(s); len(h.Runs) > 0 {
		u.CPUSeconds = h.Runs[0].CPUS
	}
	return Efficiency{Usage: u, Digest: &digest}
}

// EfficiencyOfAccounting returns the efficiency of a job in the accounting. It uses the digest in the administrator's
// comment, if there is one.
func EfficiencyOfAccounting(u job.Usage) Efficiency {
	r := Efficiency{Usage: u}
	if d, err := report.ParseComment(u.Comment); err == nil {
		r.Digest = &d
	}
	return r
}

// groupName returns the name of a group, or its number if it has no name.
func groupName(gid int) string {
	id := strconv.Itoa(gid)
	g, err := user.LookupGroupId(id)
	if err != nil {
		return id
	}
	return g.Name
}

// Text writes the report.
func (r Efficiency) Text(w io.Writer) error {
	p := &printer{w: w}
	p.line("Job ID: %d", r.JobID)
	if r.ArrayID != "" {
		p.line("Array Job ID: %s", r.ArrayID)
	}
	p.line("Cluster: %s", text.Clean(r.Cluster))
	p.line("User/Group: %s/%s", text.Clean(r.User), text.Clean(r.Group))
	r.state(p)
	if nodes, cpus := max(r.Nodes, 1), max(r.CPUs, 1); cpus == 1 {
		p.line("Cores: %d", cpus)
	} else {
		p.line("Nodes: %d", nodes)
		p.line("Cores per node: %d", cpus/nodes)
	}
	if r.State == "PENDING" {
		p.line("Efficiency not available for jobs in the PENDING state.")
		return p.err
	}
	r.efficiency(p)
	if r.State == "RUNNING" {
		p.line("WARNING: Efficiency statistics can only be obtained after the job has ended as seff tool is based on the " +
			"accounting database data.")
	}
	if d := r.Digest; d != nil {
		p.line("Cycle: %s", d.CycleText())
		p.line("Finding: %s", d.FindingText())
		if cost := d.CostText(); cost != "" {
			p.line("Cost: %s", cost)
		}
		if d.Report != "" {
			p.line("Report: %s", d.Report)
		}
	}
	return p.err
}

// state prints the job's state and exit code.
func (r Efficiency) state(p *printer) {
	state := r.State
	if state == "" {
		state = "UNKNOWN"
	}
	switch {
	case state == "PENDING" || state == "RUNNING":
		p.line("State: %s", state)
	case r.ExitCode == nil:
		p.line("State: %s (exit code unknown)", state)
	default:
		p.line("State: %s (exit code %d)", state, *r.ExitCode)
	}
}

// efficiency prints the lines on CPU time, wall-clock time and memory: what was used, and its share of what was
// allocated. It prints "not measured" for an unknown use, and 0 % of an allocation of 0.
func (r Efficiency) efficiency(p *printer) {
	cpus := max(r.CPUs, 1)
	wall := math.Round(r.ElapsedS)
	cores := wall * float64(cpus)
	switch {
	case r.CPUSeconds == nil:
		p.line("CPU Utilized: not measured")
		p.line("CPU Efficiency: not measured, of %s core-walltime", clock(cores))
	case cores > 0: // of whole seconds, as seff
		p.line("CPU Utilized: %s", clock(*r.CPUSeconds))
		p.line("CPU Efficiency: %s of %s core-walltime",
			quantity.ParsedPercent(100*math.Floor(*r.CPUSeconds+.5)/cores), clock(cores))
	default:
		p.line("CPU Utilized: %s", clock(*r.CPUSeconds))
		p.line("CPU Efficiency: %s of %s core-walltime", quantity.ParsedPercent(0), clock(cores))
	}
	p.line("Job Wall-clock time: %s", clock(wall))
	if r.MemoryBytes == nil {
		p.line("Memory Utilized: not measured")
	} else {
		p.line("Memory Utilized: %s", size(*r.MemoryBytes))
	}
	given := 0.0
	if r.AllocatedBytes != nil {
		given = *r.AllocatedBytes
	}
	per, unit := given/float64(max(r.Nodes, 1)), "node"
	if r.PerCPU {
		per, unit = given/float64(cpus), "core"
	}
	switch {
	case r.MemoryBytes == nil:
		p.line("Memory Efficiency: not measured, of %s (%s/%s)", size(given), size(per), unit)
	case given > 0:
		p.line("Memory Efficiency: %s of %s (%s/%s)", quantity.ParsedPercent(100**r.MemoryBytes/given), size(given),
			size(per), unit)
	default:
		p.line("Memory Efficiency: %s of %s (%s/%s)", quantity.ParsedPercent(0), size(given), size(per), unit)
	}
	if maximum, mean := r.TaskMaxBytes, r.TaskMeanBytes; maximum != nil && mean != nil && *mean > 0 && *maximum > *mean {
		p.line("The task which had the largest memory consumption differs by %s from the average task max memory "+
			"consumption", quantity.ParsedPercent(100**maximum / *mean))
	}
}

// printer writes lines and keeps the writer's first error.
type printer struct {
	w   io.Writer
	err error
}

// line writes a line, unless a write has failed before.
func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// clock prints seconds as seff does: [days-]hours:minutes:seconds.
func clock(seconds float64) string {
	s := int64(math.Round(min(max(seconds, 0), 1e15)))
	days := ""
	if d := s / 86400; d > 0 {
		days = fmt.Sprintf("%d-", d)
	}
	return fmt.Sprintf("%s%02d:%02d:%02d", days, s/3600%24, s/60%60, s%60)
}

// size prints bytes as seff does, with the largest of the units kB to EB, in powers of 1,024, that does not
// exceed them; 0 as MB.
func size(bytes float64) string {
	kb := bytes / 1024
	if !(kb > 0) {
		return "0.00 MB"
	}
	unit := 0
	for units := "KMGTPE"; kb >= 1024 && unit < len(units)-1; unit++ {
		kb /= 1024
	}
	return fmt.Sprintf("%.2f %cB", kb, "KMGTPE"[unit])
}
