package job

import (
	"math"
	"slices"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/finding"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
	"jobgait/analysis/tracker"
	"jobgait/reports/text"
)

// Findings returns the findings of a run, of all codes, without comparing it with earlier runs: the history
// stores them (history.Finder).
func Findings(s summary.Summary) []finding.Finding { return New(s, nil, Options{}).Findings }

// runFacts returns what the findings of the run rest on.
func (r Report) runFacts() finding.RunFacts {
	n := finding.RunFacts{ElapsedS: r.Job.ElapsedS, NNodes: r.Job.NNodes, State: string(r.Job.State), Ended: r.Job.Ended,
		InOrder: !r.failed(), Sampled: r.Quality.sampled(), Periodic: r.Rhythm.Periodic, NoPeriod: r.Rhythm.whyClause(),
		ImbalancePct: r.Nodes.ImbalancePct, Others: r.otherRuns.others(), Scaling: r.otherRuns.Fewer}
	if s := r.Job.ExitSignal; s != nil {
		n.ExitSignal = *s
	}
	if c := r.Job.ExitCode; c != nil {
		n.ExitCode = *c
	}
	if s := r.Stalled; s != nil {
		n.SilentS, n.Doing, n.NoLoop = max(0, r.Job.ElapsedS-s.SinceS), s.Doing, s.NoLoop
		n.Stacks = s.Summary
		n.Idle = s.NoLoop && !tracker.Doing(s.Doing).Spins() && n.SilentS >= tracker.IdleS
	} else {
		n.TrailingIdleS = r.trailingIdleS()
	}
	if s := r.Rhythm.Stopped; s != nil {
		n.Stopped = s.Text
	}
	n.Batch = !strings.HasPrefix(r.Job.Cluster, run.LocalCluster)
	if t := r.Job.NTasks; t != nil {
		n.Tasks = *t
	}
	n.Threads = r.Job.Threads
	r.setUsedFacts(&n)
	for _, m := range r.Nodes.List {
		if m.Reported {
			n.Nodes = append(n.Nodes, finding.NodeFacts{Name: text.Cut(m.Name, 40), Busy: m.BusyCPUs, Odd: m.Odd})
		}
	}
	for _, t := range r.Rhythm.Totals {
		if r.Rhythm.Periodic && t.Kind == phase.Checkpoint {
			n.CheckpointS, n.Checkpoints = n.CheckpointS+t.S, n.Checkpoints+t.Count
		}
	}
	for _, p := range r.Rhythm.Phases {
		if r.Rhythm.Periodic && p.Kind == phase.StartUp {
			n.StartUpS, n.StartUpWaitS = n.StartUpS+p.length(), n.StartUpWaitS+r.cpuWaitS(p.StartS, p.EndS)
		}
	}
	if text := r.driftInShort(); text != "" {
		d := r.Rhythm.drift()
		n.Drift = &finding.CycleDrift{Text: text, ChangePct: d.ChangePct, CostS: d.CostS}
	}
	r.setGPUFacts(&n)
	n.Doubt, n.Code = r.doubts(), r.codeShareFacts()
	n.AsleepFor, n.Course = r.asleepFor(), r.courseSentence()
	n.PartsS = r.partsS()
	if w := r.threadWork; w != nil && r.Nodes.Total <= 1 {
		n.ThreadWork = &finding.ThreadWork{Program: text.Cut(text.Clean(w.Program), 40), Threads: w.Threads,
			BusiestS: w.BusiestS, TotalS: w.TotalS}
	}
	return n
}

// cpuWaitS returns for how many seconds between two times, in s since the run began, its tasks waited for a CPU on the
// lead node (run.CPUWaitShare); 0 if that was not recorded.
func (r Report) cpuWaitS(fromS, toS float64) (waitS float64) {
	t := r.Rhythm.Timeline
	column := func(name string) series.Values {
		i := slices.IndexFunc(t.Columns, func(c Curve) bool { return c.Name == name })
		if i < 0 {
			return nil
		}
		return t.Columns[i].Mean
	}
	busy, waiting := column(busyColumn), column(run.CPUWait)
	for k := range min(len(busy), len(waiting)) {
		at := t.StartS + float64(k)*t.StepS
		within := math.Min(toS, at+t.StepS) - math.Max(fromS, at)
		if within > 0 {
			waitS += within * run.CPUWaitShare(float64(busy[k]), float64(waiting[k]))
		}
	}
	return waitS
}

// inHead reports whether the finding with this code is printed in the head.
func (r Report) inHead(code string) bool {
	return slices.ContainsFunc(finding.Head(r.Findings), func(f finding.Finding) bool { return f.Code == code })
}

// isDisturbance reports whether a finding says that something outside the run took CPUs from it.
func isDisturbance(f finding.Finding) bool {
	return slices.Contains([]string{"crowded", "throttled", "stolen"}, f.Code)
}

// setUsedFacts fills in what the run was allocated and what it used. If some nodes did not report, it leaves
// out the use of the CPUs.
func (r Report) setUsedFacts(n *finding.RunFacts) {
	u := r.Resources
	n.CPU = finding.CPU{Allocated: u.CPU.Allocated, Busy: u.CPU.Busy, Waiting: u.CPU.Waiting, Throttled: u.CPU.Throttled,
		Stolen: u.CPU.Stolen, Others: u.CPU.Others}
	if r.Nodes.Reported < r.Nodes.Total { // nodes without a report would count as idle
		n.CPU = finding.CPU{Allocated: u.CPU.Allocated}
	}
	n.Memory = finding.MemoryFacts{Peak: u.Memory.PeakBytes, Requested: u.Memory.RequestedBytes,
		Mappable: u.Memory.AddressLimitBytes, OOMKills: u.Memory.OOMKills, Node: u.Memory.NodeBytes,
		Growth: r.memoryGrowth()}
	n.LimitS = u.Time.LimitS
	if w := u.IO.WaitingS; w != nil && r.Nodes.Reported > 0 {
		perNode := *w / float64(r.Nodes.Reported) // it is summed over the nodes
		n.FilesWaitS = &perNode
	}
	d := u.Time.Division
	if d == nil || d.Part < 1 || r.partial() {
		return
	}
	ran := r.ranS()
	asleep := d.Asleep * ran
	n.AsleepS = &asleep
	if d.CPUWait != nil {
		wait := *d.CPUWait * ran
		n.CPUWaitS = &wait
	}
	if d.Storage != nil {
		wait := *d.Storage * ran
		n.FilesWaitS = &wait
	}
}

// codeShareFacts returns how the CPU time of the run divides among code, nil where no code was sampled.
func (r Report) codeShareFacts() *finding.CodeShares {
	a := r.anatomy
	if a == nil || a.Samples == 0 {
		return nil
	}
	c := finding.CodeShares{Samples: a.Samples, Where: map[string][]string{}}
	if r.Code != nil && r.Code.rough() {
		c.Rough, c.KernelExcess = true, kernelExcess
	}
	if r.Nodes.Total > 1 && r.Code != nil {
		c.Node = text.Cut(string(r.Code.Node), 40)
	}
	for _, p := range a.Run.Libraries {
		where := []string{}
		switch anatomy.ClassOf(p.Name) {
		case anatomy.Communication:
			c.Communication += p.Share
			where = append(where, "communication")
			if anatomy.WaitsBusily(p.Name) {
				c.Spinning += p.Share
				where = append(where, "spinning")
			}
		case anatomy.Kernel:
			c.Kernel += p.Share
		case anatomy.OpenMP:
			c.OpenMP += p.Share
			where = append(where, "openmp")
		}
		for _, w := range where {
			if len(c.Where[w]) < 3 {
				c.Where[w] = append(c.Where[w], text.Cut(shortLibrary(text.Clean(p.Name)), 40))
			}
		}
	}
	return &c
}
