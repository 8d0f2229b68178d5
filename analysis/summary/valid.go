package summary

import (
	"fmt"
	"strings"

	"jobgait/analysis/pattern"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// Valid returns nil if a node can have written the record until now, in UTC epoch seconds. The account of the
// collection directory can write anything there, and disks lose bits, so a record is checked when it is read,
// not when it is written. A valid record is not necessarily true.
func (r NodeRecord) Valid(now float64) error {
	var c checker
	c.keep(r.Key.Valid())
	c.name("node", r.Node)
	c.path("work_dir", r.Job.WorkDir)
	c.path("stdout", r.Job.StdOut)
	c.times(r.Start, r.End, r.ElapsedS, now)
	c.scheduled(r.Job, now)
	c.missing(r.Quality.Missing, r.Quality.Samples)
	c.shapes(r.Patterns, r.Phases, r.Loops)
	c.timelines(r.Timeline, r.Minute)
	c.gpus(r.GPUs)
	c.keep(bounded(r, 1))
	c.keep(r.Silence.valid(nodeTasks))
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
	c.times(s.Start, s.End, s.ElapsedS, now)
	c.scheduled(s.Job, now)
	c.missing(s.Quality.Missing, s.Quality.Samples)
	for _, n := range s.Nodes {
		c.missing(n.Missing, n.Samples)
	}
	c.shapes(s.Patterns, s.Phases, s.Loops)
	c.timelines(s.Timeline, s.Minute)
	c.gpus(s.GPUs)
	c.keep(bounded(s, max(1, len(s.Nodes))))
	c.keep(s.Silence.valid(jobTasks))
	return c.err
}

// What the numbers of a record lie within.
const (
	earliest = 946684800.0 // 2000-01-01: before that there was no Slurm
	// ahead is how far a node's clock may be ahead of this one, in seconds; half of how far it may have been set
	// back during a run.
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

// name wants the name of a node: it is part of a file's name.
func (c *checker) name(what, s string) {
	if c.err == nil && (s == "" || len(s) > 1024 || strings.ContainsAny(s, "/\x00")) {
		c.err = fmt.Errorf("%s %.60q is not a valid name", what, s)
	}
}

// path wants an absolute path where there is one.
func (c *checker) path(what, s string) {
	if c.err == nil && s != "" && !strings.HasPrefix(s, "/") {
		c.err = fmt.Errorf("%s %.60q is not an absolute path", what, s)
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

// scheduled wants a start that the scheduler can have given, in the local time of
// another zone perhaps.
func (c *checker) scheduled(j run.Job, now float64) {
	if t := j.SchedulerStart; t != nil {
		c.within("scheduler_start", float64(*t), earliest, now+2*ahead)
	}
}

func (c *checker) missing(missing, samples int64) {
	c.within("missing", float64(missing), 0, float64(samples))
}

// shapes are the patterns, phases and loops: lists that belong together must have equal lengths, or drawing
// them would read beyond the end of one.
func (c *checker) shapes(patterns []pattern.Pattern, phases []phase.Phase, loops []Loop) {
	for _, p := range patterns {
		c.alike("values", p.Values, p.P10, p.P90)
		for _, r := range p.Regions {
			c.within("region", r.StartS, -maxSpan, r.EndS)
		}
	}
	for _, p := range phases {
		c.within("phase", p.StartS, -maxSpan, p.EndS)
	}
	for _, l := range loops {
		if d := l.Drift; d != nil {
			c.alike("lengths", d.Lengths.MeanS, d.Lengths.TS, d.Lengths.MaxS)
		}
	}
}

// timelines of the run, and of a minute if there is one.
func (c *checker) timelines(t Timeline, minute *Timeline) {
	for _, col := range t.Columns {
		c.alike(col.Name, col.Mean, col.Min, col.Max)
	}
	if minute != nil {
		c.timelines(*minute, nil)
	}
}

func (c *checker) gpus(list []GPU) {
	for _, g := range list {
		if i := g.IdleStretch; i != nil {
			c.within("idle stretch", i.StartS, -maxSpan, i.EndS)
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
