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
	c.keepFirst(r.Key.Valid())
	c.name("node", r.Node)
	c.path("work_dir", r.Job.WorkDir)
	c.path("stdout", r.Job.StdOut)
	c.times(r.Start, r.End, r.ElapsedS, now)
	c.scheduled(r.Job, now)
	c.missing(r.Quality.Missing, r.Quality.Samples)
	c.shapes(r.Patterns, r.Phases, r.Loops)
	c.timelines(r.Timeline, r.Minute)
	c.gpus(r.GPUs)
	c.keepFirst(checkBounds(r, 1))
	c.keepFirst(r.Silence.valid(nodeTasks))
	if busy := r.busyCPUs(); busy != nil {
		c.inRange("busy CPUs", *busy, 0, maxCPUs)
	}
	return c.err
}

// Valid returns nil if Merge can have made the summary of valid records until now, in UTC epoch seconds.
func (s Summary) Valid(now float64) error {
	var c checker
	c.keepFirst(s.Key.Valid())
	c.path("work_dir", s.Job.WorkDir)
	c.path("stdout", s.Job.StdOut)
	for _, n := range s.Nodes {
		c.name("node", n.Name)
	}
	c.keepFirst(s.Plausible(now))
	return c.err
}

// Plausible returns nil if a run can have had the summary's times and numbers. Unlike Valid, it does not check
// names, which a history accepts as they are.
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
	c.keepFirst(checkBounds(s, max(1, len(s.Nodes))))
	c.keepFirst(s.Silence.valid(jobTasks))
	return c.err
}

// Limits for the numbers of a record.
const (
	earliest = 946684800.0 // 2000-01-01: before that there was no Slurm
	// maxClockAhead is how far, in seconds, a node's clock may be ahead of this one; half of how far it may have
	// been set back during a run.
	maxClockAhead = 86400.0
	maxSpan       = 10 * 366 * 86400.0 // the longest run, in seconds
	maxNodes      = 100_000            // of one job; the largest clusters have a tenth of it
	maxCPUs       = 100_000            // of one node
	maxHz         = 1e6
	// maxCounter is the largest total of one counter of one node: 1000 CPUs at 10 GHz count 7e18 in eight days.
	maxCounter = 1e20
	// shareTolerance is by how much a share may be below 0 or above 1.
	shareTolerance = 0.001
	// maxID is the largest uid, 2^32-2, and the largest job id of Slurm.
	maxID = 1<<32 - 1
)

// checker checks a record and keeps the first error.
type checker struct{ err error }

// keepFirst keeps err if it is the first error.
func (c *checker) keepFirst(err error) {
	if c.err == nil {
		c.err = err
	}
}

// inRange checks that v is in lo..hi; NaN is not.
func (c *checker) inRange(what string, v, lo, hi float64) {
	if c.err == nil && !(v >= lo && v <= hi) { // NaN is not
		c.err = fmt.Errorf("%s of the record is %g, want %g to %g", what, v, lo, hi)
	}
}

// name checks that s is a valid name of a node, which becomes part of a file's name.
func (c *checker) name(what, s string) {
	if c.err == nil && (s == "" || len(s) > 1024 || strings.ContainsAny(s, "/\x00")) {
		c.err = fmt.Errorf("%s %.60q is not a valid name: want 1 to 1024 bytes without / and NUL", what, s)
	}
}

// path checks that s is empty or an absolute path.
func (c *checker) path(what, s string) {
	if c.err == nil && s != "" && !strings.HasPrefix(s, "/") {
		c.err = fmt.Errorf("%s %.60q is a relative path: want an absolute path", what, s)
	}
}

// times checks that start and end, in UTC epoch seconds, lie between the year 2000 and now, and that elapsed, in
// seconds, is not longer than they allow. Clocks may be up to a day ahead. A start or end of 0 is unknown and not
// checked.
func (c *checker) times(start, end, elapsed, now float64) {
	if start != 0 {
		c.inRange("start", start, earliest, now+maxClockAhead)
	}
	if end != 0 {
		c.inRange("end", end, earliest, now+maxClockAhead)
	}
	c.inRange("elapsed_s", elapsed, 0, maxSpan)
	if start != 0 && end != 0 {
		c.inRange("end - start", end-start, 0, maxSpan)
		c.inRange("elapsed_s", elapsed, 0, end-start+2*maxClockAhead)
	}
}

// scheduled checks that the scheduler can have given the start, perhaps in the local time of another zone.
func (c *checker) scheduled(j run.Job, now float64) {
	if t := j.SchedulerStart; t != nil {
		c.inRange("scheduler_start", float64(*t), earliest, now+2*maxClockAhead)
	}
}

// missing checks that no more samples are missing than were taken.
func (c *checker) missing(missing, samples int64) {
	c.inRange("missing", float64(missing), 0, float64(samples))
}

// shapes checks the patterns, phases and loops: lists that belong together must have equal lengths, or drawing
// them would read beyond the end of one.
func (c *checker) shapes(patterns []pattern.Pattern, phases []phase.Phase, loops []Loop) {
	for _, p := range patterns {
		c.sameLengths("values", p.Values, p.P10, p.P90)
		for _, r := range p.Regions {
			c.inRange("region", r.StartS, -maxSpan, r.EndS)
		}
	}
	for _, p := range phases {
		c.inRange("phase", p.StartS, -maxSpan, p.EndS)
	}
	for _, l := range loops {
		if d := l.Drift; d != nil {
			c.sameLengths("lengths", d.Lengths.MeanS, d.Lengths.TS, d.Lengths.MaxS)
		}
	}
}

// timelines checks the timeline of the run, and that of a minute if there is one.
func (c *checker) timelines(t Timeline, minute *Timeline) {
	for _, col := range t.Columns {
		c.sameLengths(col.Name, col.Mean, col.Min, col.Max)
	}
	if minute != nil {
		c.timelines(*minute, nil)
	}
}

// gpus checks the idle stretches of the GPUs.
func (c *checker) gpus(list []GPU) {
	for _, g := range list {
		if i := g.IdleStretch; i != nil {
			c.inRange("idle stretch", i.StartS, -maxSpan, i.EndS)
		}
	}
}

// sameLengths checks that lists of one axis have the length of v.
func (c *checker) sameLengths(what string, v series.Values, others ...series.Values) {
	for _, o := range others {
		if c.err == nil && len(o) != len(v) {
			c.err = fmt.Errorf("%s: lists of %d and %d values, want equal lengths", what, len(v), len(o))
		}
	}
}
