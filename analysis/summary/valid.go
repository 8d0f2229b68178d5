package summary

import (
	"fmt"
	"math"
	"strings"

	"jobgait/analysis/pattern"
	"jobgait/analysis/phase"
	"jobgait/analysis/series"
)

// Valid is nil for a record that a node can have written until now, in UTC epoch
// seconds. Whoever has the account of the collection directory writes what he
// likes, and disks lose bits: it is asked when a record is read, not when it is
// written. It does not make the record true.
func (r NodeRecord) Valid(now float64) error {
	var c checker
	c.keep(r.Key.Valid())
	c.name("node", r.Node)
	c.job(r.Job, now)
	c.path("work_dir", r.Job.WorkDir)
	c.path("stdout", r.Job.StdOut)
	c.times(r.Start, r.End, r.ElapsedS, now)
	c.exit(r.Exit)
	c.quality(r.Quality, 1)
	c.counters(r.Counters, 1)
	c.memory(r.Memory, 1)
	c.optional("cpu_limit", r.CPULimit, 0, maxCPUs)
	c.shapes(r.Patterns, r.Phases, r.Loops)
	c.timeline(r.Timeline)
	c.minute(r.Minute)
	c.code(r.Code)
	c.gpus(r.GPUs, 1)
	c.keep(bounded(r))
	c.silence(r.Silence)
	if busy := r.busyCPUs(); busy != nil {
		c.within("busy CPUs", *busy, 0, maxCPUs)
	}
	return c.err
}

// Valid is nil for a summary that Merge can have made of valid records until now.
func (s Summary) Valid(now float64) error {
	var c checker
	c.keep(s.Key.Valid())
	c.path("work_dir", s.Job.WorkDir)
	c.path("stdout", s.Job.StdOut)
	for _, n := range s.Nodes {
		c.name("node", n.Name)
	}
	c.keep(s.Plausible(now))
	return c.err
}

// Plausible is nil for a summary whose times and numbers a run can have had: what
// Valid asks beside names, which a history takes as they are.
func (s Summary) Plausible(now float64) error {
	var c checker
	c.job(s.Job, now)
	c.times(s.Start, s.End, s.ElapsedS, now)
	c.exit(s.Exit)
	c.within("nodes", float64(len(s.Nodes)), 0, maxNodes)
	nodes := float64(max(1, len(s.Nodes)))
	c.silence(s.Silence)
	c.quality(s.Quality, nodes)
	c.counters(s.Counters, nodes)
	c.memory(s.Memory, nodes)
	c.optional("cpu_limit", s.CPULimit, 0, nodes*maxCPUs)
	c.shapes(s.Patterns, s.Phases, s.Loops)
	c.timeline(s.Timeline)
	c.minute(s.Minute)
	c.code(s.Code)
	c.gpus(s.GPUs, nodes)
	c.nodes(s.Nodes)
	c.lanes(s.Lanes)
	c.optional("step_s", s.StepS, 0, maxSpan)
	c.optional("imbalance_pct", s.ImbalancePct, 0, 100*maxNodes)
	c.keep(bounded(s))
	return c.err
}

// What the numbers of a record lie within.
const (
	earliest = 946684800.0 // 2000-01-01: before that there was no Slurm
	// ahead is how far a node's clock may run before ours, in seconds; half of how
	// far it may have been set back during a run.
	ahead    = 86400.0
	maxSpan  = 10 * 366 * 86400.0 // the longest run, in seconds
	maxNodes = 100_000            // of one job; the largest clusters have a tenth of it
	maxCPUs  = 100_000            // of one node
	maxHz    = 1e6
	// most is what one counter of one node adds up to: 1000 CPUs at 10 GHz count
	// 7e18 in eight days.
	most = 1e20
	// rounded is how far a share may lie beyond 0 and 1.
	rounded = 0.001
	// maxID is the largest uid, 2^32-2, and the largest job id of Slurm.
	maxID = 1<<32 - 1
)

// checker keeps the first thing that is wrong.
type checker struct{ err error }

func (c *checker) keep(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *checker) within(what string, v, lo, hi float64) {
	if c.err == nil && !(v >= lo && v <= hi) { // NaN is not
		c.err = fmt.Errorf("%s is %g, not within %g to %g", what, v, lo, hi)
	}
}

func (c *checker) optional(what string, v *float64, lo, hi float64) {
	if v != nil {
		c.within(what, *v, lo, hi)
	}
}

func (c *checker) count(what string, n *int) {
	if n != nil {
		c.within(what, float64(*n), 0, math.MaxInt32)
	}
}

func (c *checker) share(what string, v float64) { c.within(what, v, -rounded, 1+rounded) }

// name wants the name of a node: it is part of a file's name.
func (c *checker) name(what, s string) {
	if c.err == nil && (s == "" || len(s) > 1024 || strings.ContainsAny(s, "/\x00")) {
		c.err = fmt.Errorf("%s %.60q is no name", what, s)
	}
}

// path wants an absolute path where there is one.
func (c *checker) path(what, s string) {
	if c.err == nil && s != "" && !strings.HasPrefix(s, "/") {
		c.err = fmt.Errorf("%s %.60q is no absolute path", what, s)
	}
}

// times wants a run between the year 2000 and now. 0 is a time that is not known.
func (c *checker) times(start, end, elapsed, now float64) {
	if start != 0 {
		c.within("start", start, earliest, now+ahead)
	}
	if end != 0 {
		c.within("end", end, earliest, now+ahead)
	}
	c.within("elapsed_s", elapsed, 0, maxSpan)
	if start != 0 && end != 0 {
		c.within("end - start", end-start, 0, maxSpan)
		c.within("elapsed_s", elapsed, 0, end-start+2*ahead)
	}
}

func (c *checker) exit(e *Exit) {
	if e != nil {
		c.within("exit code", float64(e.Code), 0, 1<<16)
		c.within("signal", float64(e.Signal), 0, 1<<10)
	}
}

func (c *checker) job(j Job, now float64) {
	c.within("uid", float64(j.UID), -1, maxID)
	c.within("gid", float64(j.GID), -1, maxID)
	c.within("nnodes", float64(j.NNodes), 0, maxNodes)
	c.count("ntasks", j.NTasks)
	c.count("ncpus", j.NCPUs)
	c.count("cpus_per_task", j.CPUsPerTask)
	for _, id := range []*int64{j.ArrayJobID, j.ArrayTaskID} {
		if id != nil {
			c.within("array id", float64(*id), 0, maxID)
		}
	}
	if t := j.SchedulerStart; t != nil { // in the local time of another zone, perhaps
		c.within("scheduler_start", float64(*t), earliest, now+2*ahead)
	}
	c.optional("time_limit_s", j.TimeLimitS, 0, maxSpan)
	c.optional("memory_bytes", j.MemoryBytes, 0, maxNodes*most)
	c.optional("address_bytes", j.AddressBytes, 0, most)
	c.within("fields", float64(len(j.Fields)), 0, 1000)
}

func (c *checker) quality(q Quality, nodes float64) {
	c.within("cpus", float64(q.CPUs), 0, nodes*maxCPUs)
	c.within("rate_hz", q.RateHz, 0, maxHz)
	c.within("address_hz", q.AddressHz, 0, maxHz)
	c.within("samples", float64(q.Samples), 0, nodes*maxSpan*2000)
	c.within("missing", float64(q.Missing), 0, float64(q.Samples))
	c.within("lost_records", float64(q.LostRecords), 0, nodes*1e15)
	c.within("blocks", float64(q.Blocks), 0, nodes*maxSpan)
	c.within("agent_cpu_s", q.AgentCPUS, 0, nodes*maxSpan)
	c.within("overhead_pct", q.OverheadPct, 0, 1e4)
	c.within("budget_pct", q.BudgetPct, 0, 100)
	c.within("interrupt_ns", q.InterruptNS, 0, 1e9)
	c.within("sources", float64(len(q.Sources)), 0, 10_000)
}

func (c *checker) counters(list []Counter, nodes float64) {
	c.within("counters", float64(len(list)), 0, 10_000)
	for _, x := range list {
		c.within(x.Name, x.Total, -nodes*most, nodes*most)
		c.within(x.Name, x.Before, 0, nodes*most)
	}
}

func (c *checker) memory(m *Memory, nodes float64) {
	if m != nil {
		c.optional("peak_bytes", m.PeakBytes, 0, nodes*most)
		c.optional("limit_bytes", m.LimitBytes, 0, nodes*most)
	}
}

func (c *checker) nodes(list []Node) {
	for _, n := range list {
		c.optional("busy_cpus", n.BusyCPUs, 0, maxCPUs)
		c.optional("period_s", n.PeriodS, 0, maxSpan)
		c.optional("coverage", n.Coverage, -rounded, 1+rounded)
		c.within("samples", float64(n.Samples), 0, maxSpan*2000)
		c.within("missing", float64(n.Missing), 0, float64(n.Samples))
	}
}

func (c *checker) lanes(list []NodeLane) {
	c.within("lanes", float64(len(list)), 0, maxLanes)
	for _, l := range list {
		c.within("lane", float64(l.Of), 1, maxNodes)
		c.within("lane", l.StartS, -maxSpan, maxSpan)
		c.within("lane", l.StepS, 1e-9, maxSpan)
		c.within("lane", float64(len(l.Busy)), 0, nodeBins)
	}
}

// shapes are the patterns, phases and loops: of the lists that belong together each
// is as long as the others, or whoever draws them reads beyond one.
func (c *checker) shapes(patterns []pattern.Pattern, phases []phase.Phase, loops []Loop) {
	for _, p := range patterns {
		c.within("period_s", p.PeriodS, 1e-9, maxSpan)
		c.within("period_ci_lo_s", p.PeriodLoS, -maxSpan, maxSpan)
		c.within("period_ci_hi_s", p.PeriodHiS, -maxSpan, maxSpan)
		c.within("period_mean_s", p.MeanS, 0, maxSpan)
		c.within("period_p10_s", p.P10S, 0, maxSpan)
		c.within("period_p90_s", p.P90S, 0, maxSpan)
		c.within("step_cpu_s", p.CPUS, 0, maxSpan*maxCPUs)
		c.within("period_samples", p.PeriodSamples, 0, maxSpan*maxHz)
		c.within("period_cv", p.PeriodCV, 0, 1e6)
		c.share("confidence", p.Confidence)
		c.share("coverage", p.Coverage)
		c.within("instances", float64(p.Instances), 0, maxSpan*2000)
		c.alike("values", p.Values, p.P10, p.P90)
		for _, r := range p.Regions {
			c.within("region", r.StartS, -maxSpan, r.EndS)
			c.within("region", r.EndS, -maxSpan, maxSpan)
		}
	}
	for _, p := range phases {
		c.within("phase", p.StartS, -maxSpan, p.EndS)
		c.within("phase", p.EndS, -maxSpan, maxSpan)
		c.share("share", p.Share)
	}
	for _, l := range loops {
		c.within("examples", float64(len(l.Examples)), 0, atStart+typical+slowest)
		for _, e := range l.Examples {
			c.within("example", e.StartS, -maxSpan, maxSpan)
			c.within("example", e.LengthS, 1e-9, maxSpan)
			c.within("example", float64(len(e.Values)), 0, examplePoints)
		}
		if d := l.Drift; d != nil {
			c.alike("lengths", d.Lengths.MeanS, d.Lengths.TS, d.Lengths.MaxS)
		}
	}
}

// alike wants lists that belong to one axis.
func (c *checker) alike(what string, v series.Values, others ...series.Values) {
	for _, o := range others {
		if c.err == nil && len(o) != len(v) {
			c.err = fmt.Errorf("%s: %d and %d", what, len(v), len(o))
		}
	}
}

func (c *checker) timeline(t Timeline) {
	c.within("timeline", t.StartS, -maxSpan, maxSpan)
	c.within("timeline", t.StepS, 0, maxSpan)
	c.within("columns", float64(len(t.Columns)), 0, 1000)
	for _, col := range t.Columns {
		c.within("bins", float64(len(col.Mean)), 0, 1e5)
		c.alike(col.Name, col.Mean, col.Min, col.Max)
	}
}

func (c *checker) minute(t *Timeline) {
	if t != nil {
		c.timeline(*t)
	}
}

func (c *checker) silence(s *Silence) {
	if s != nil {
		c.within("silence", s.SinceS, 0, maxSpan)
	}
}
