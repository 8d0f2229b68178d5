package summary

import (
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// seconds returns the total length of the intervals in seconds.
func seconds(all []run.Interval) float64 {
	s := 0.0
	for _, i := range all {
		s += max(0, i.EndS-i.StartS)
	}
	return s
}

// RanS returns for how long, in seconds, the run was not suspended, as sacct counts Elapsed.
func (s Summary) RanS() float64 { return max(0, s.ElapsedS-s.SuspendedS) }

// cut is where the samples of a suspension were: one missing sample stands for them, so that the samples before
// and after it do not count as neighbours.
type cut struct {
	at int // the missing sample
	n  int // samples left out beside it
}

// cuts maps samples and times without suspensions back to those of the run.
type cuts struct {
	startS, stepS float64
	list          []cut
}

// withoutSuspensions returns the set without the samples of suspensions, and the intervals themselves. known
// holds stretches that contain suspensions, from the agent's last check that found the job running to the first
// that found it running again: the suspension is the longest part of each without CPU time.
func withoutSuspensions(set series.Set, known []run.Interval) (series.Set, cuts, []run.Interval) {
	c := cuts{startS: set.StartS, stepS: set.StepS}
	var found []run.Interval
	removed, last := 0, 0
	for _, k := range known {
		from, to := longestWithoutCPU(set, max(last, c.sample(k.StartS)), c.sample(k.EndS))
		if to-from < 2 {
			continue
		}
		found = append(found, run.Interval{StartS: c.time(from), EndS: c.time(to)})
		c.list = append(c.list, cut{from - removed, to - from - 1})
		removed, last = removed+to-from-1, to
	}
	if len(found) == 0 {
		return set, c, nil
	}
	out := set
	out.Columns = slices.Clone(set.Columns)
	for i, column := range out.Columns {
		out.Columns[i].Values = c.leaveOut(column.Values)
	}
	out.Also = nil
	for _, o := range set.Also {
		out.Also = append(out.Also, o.Within(c.pieces(set.Len())))
	}
	return out, c, found
}

// pieces returns the stretches between the suspensions in a run of the given number of samples. A piece has the times
// of its ends in the run, and the time at which it begins in the set without suspensions.
func (c cuts) pieces(samples int) []series.Piece {
	var out []series.Piece
	from, removed := 0, 0
	for _, x := range c.list {
		at := x.at + removed
		out = append(out, series.Piece{FromS: c.time(from), ToS: c.time(at), AtS: c.time(from - removed)})
		removed += x.n
		from = at + x.n + 1
	}
	return append(out, series.Piece{FromS: c.time(from), ToS: c.time(samples), AtS: c.time(from - removed)})
}

// sample returns the index of the sample whose beginning is nearest to time s, in seconds.
func (c cuts) sample(s float64) int { return int((s-c.startS)/c.stepS + 0.5) }
func (c cuts) time(i int) float64   { return c.startS + float64(i)*c.stepS }

// longestWithoutCPU returns the longest stretch of samples without CPU time of the job, by the finest clock
// that was read then; the whole range without such a clock.
func longestWithoutCPU(set series.Set, from, to int) (int, int) {
	to = min(to, set.Len())
	if from >= to {
		return 0, 0
	}
	for _, name := range []string{busyColumn, "task_clock", "proc_cpu"} {
		c, ok := set.Column(name)
		if !ok || !slices.ContainsFunc(c.Values[from:to], func(v float32) bool { return !series.IsMissing(v) }) {
			continue
		}
		a, b, begin := from, from, from
		for i := from; i < to; i++ {
			if c.Values[i] > 0 {
				begin = i + 1
			} else if i+1-begin > b-a {
				a, b = begin, i+1
			}
		}
		return a, b
	}
	return from, to
}

// leaveOut returns the values with one missing sample for each suspension.
func (c cuts) leaveOut(v series.Values) series.Values {
	out := make(series.Values, 0, len(v))
	from := 0
	for _, x := range c.list {
		begin := from + x.at - len(out)
		out = append(append(out, v[from:begin]...), series.Missing())
		from = begin + x.n + 1
	}
	return append(out, v[from:]...)
}

// unbroken returns the periods without the instances that contain a suspension, whose lengths say nothing about
// the loop.
func (c cuts) unbroken(periods []periodicity.Period) []periodicity.Period {
	out := slices.Clone(periods)
	for i, p := range out {
		out[i].Instances = slices.DeleteFunc(slices.Clone(p.Instances), func(in periodicity.Instance) bool {
			return slices.ContainsFunc(c.list, func(x cut) bool { return in.First <= x.at && x.at < in.First+in.Length })
		})
	}
	return out
}

// begin converts the beginning of a stretch from time without suspensions to time of the run: a stretch that
// begins at a suspension begins after it. end converts its end: a stretch that ends at a suspension ends before
// it.
func (c cuts) begin(s float64) float64 { return c.runTime(s, 0.5) }
func (c cuts) end(s float64) float64   { return c.runTime(s, 1.5) }

// runTime converts a time s without suspensions to the run's time, both in seconds. It adds the samples of each
// suspension whose missing sample begins at least from samples before s.
func (c cuts) runTime(s, from float64) float64 {
	n := 0
	for _, x := range c.list {
		if s < c.time(x.at)+from*c.stepS {
			break
		}
		n += x.n
	}
	return s + float64(n)*c.stepS
}

// split divides the stretch from a to b, in time without suspensions, at the suspensions in it. A suspension at an end
// of the stretch does not divide it.
func (c cuts) split(a, b float64) []run.Interval {
	var out []run.Interval
	for _, x := range c.list {
		if at := c.time(x.at); at > a+c.stepS/2 && at+c.stepS < b-c.stepS/2 {
			out = append(out, run.Interval{StartS: a, EndS: at})
			a = at + c.stepS
		}
	}
	return append(out, run.Interval{StartS: a, EndS: b})
}

// restore converts the times in the patterns, phases and loops of a record from time without suspensions to time of the
// run, which ends at endS. It adds the suspensions to the phases.
func (c cuts) restore(r *NodeRecord, periods []periodicity.Period, endS float64) {
	if len(c.list) == 0 {
		return
	}
	for i := range r.Patterns {
		r.Patterns[i].Regions = c.regions(r.Patterns[i].Regions, periods[i].Instances)
	}
	r.Phases = c.phases(r.Phases, endS)
	for i := range r.Loops {
		l := &r.Loops[i]
		for k, s := range l.Boundaries {
			l.Boundaries[k] = c.begin(s)
		}
		for k := range l.Examples {
			l.Examples[k].StartS = c.begin(l.Examples[k].StartS)
		}
		if l.Drift == nil {
			continue
		}
		for k := range l.Drift.Steps {
			l.Drift.Steps[k].TS = c.begin(l.Drift.Steps[k].TS)
		}
		for k := range l.Drift.Slow {
			l.Drift.Slow[k].StartS = c.begin(l.Drift.Slow[k].StartS)
		}
		for k, s := range l.Drift.Lengths.TS {
			l.Drift.Lengths.TS[k] = float32(c.begin(float64(s)))
		}
	}
}

// regions divides regions at suspensions and converts their times to those of the run. in holds the pattern's
// instances, by which the parts are counted.
func (c cuts) regions(all []periodicity.Region, in []periodicity.Instance) []periodicity.Region {
	var out []periodicity.Region
	for _, g := range all {
		left := g.Count
		pieces := c.split(g.StartS, g.EndS)
		for k, p := range pieces {
			n := left
			if k < len(pieces)-1 {
				n = 0
				for _, x := range in {
					if s := c.time(x.First) + c.stepS/2; s >= p.StartS && s < p.EndS {
						n++
					}
				}
			}
			left -= n
			out = append(out, periodicity.Region{StartS: c.begin(p.StartS), EndS: c.end(p.EndS), Count: n})
		}
	}
	return out
}

// phases inserts the suspensions between the phases that they interrupt. Shares are of the sampled time,
// including suspensions.
func (c cuts) phases(table []phase.Phase, endS float64) []phase.Phase {
	var out []phase.Phase
	at := c.startS
	suspended := func(until float64) {
		if until > at+1.5*c.stepS {
			out = append(out, phase.Phase{Kind: phase.Suspended, StartS: at, EndS: until})
			at = until
		}
	}
	for _, p := range table {
		for _, piece := range c.split(p.StartS, p.EndS) {
			suspended(c.begin(piece.StartS))
			p.StartS, p.EndS = at, c.end(piece.EndS)
			at = p.EndS
			out = append(out, p)
		}
	}
	suspended(endS)
	for i := range out {
		out[i].Share = (out[i].EndS - out[i].StartS) / (endS - c.startS)
	}
	return out
}

// maxSuspensions is the most suspensions that are listed, so that a record does not grow with the run: gang
// scheduling suspends a job every half minute.
const maxSuspensions = 100

// addSuspensions sets the suspensions of a record and adds a note about them.
func (r *NodeRecord) addSuspensions(all []run.Interval, endS float64) {
	r.Suspended, r.SuspendedS = nil, seconds(all)
	if len(all) == 0 {
		return
	}
	r.Suspended = all[:min(len(all), maxSuspensions)]
	var places []string
	for _, i := range all[:min(len(all), 3)] {
		places = append(places, fmt.Sprintf("from %s to %s", quantity.Duration(i.StartS), quantity.Duration(i.EndS)))
	}
	if len(all) > len(places) {
		places = append(places, "...")
	}
	times := ""
	if len(all) > 1 {
		times = fmt.Sprintf(" %d times,", len(all))
	}
	r.Notes = append(r.Notes, note.New(note.Suspended, "the job was suspended%s for %s: %s; without the suspensions "+
		"it ran for %s",
		times, quantity.Duration(r.SuspendedS), strings.Join(places, ", "),
		quantity.Duration(max(r.ElapsedS, endS)-r.SuspendedS)))
}
