package summary

import (
	"math"

	"jobgait/analysis/pattern"
	"jobgait/analysis/run"
)

// waitColumn is the column with the time for which tasks were runnable and not running.
const waitColumn = run.CPUWait

// StepCPUS returns the CPU time, in seconds, of one cycle of the application's reference pattern, summed over the tasks
// on all nodes: the cost of the code, which other jobs hardly affect. It returns nil if the run has no such cycle, a
// node's record is missing, or a node's CPU time is unknown.
func (s Summary) StepCPUS() *float64 {
	if !s.Complete() {
		return nil
	}
	return s.perStep(s.BusyCPUs(), busyColumn)
}

// StepWaitS returns for how long, in seconds, tasks waited for a CPU in one cycle of the application's reference
// pattern, summed over all nodes. It returns nil if the run has no such cycle, a node's record is missing, or the wait
// was not measured.
func (s Summary) StepWaitS() *float64 {
	if !s.Complete() {
		return nil
	}
	return s.perStep(s.Resources().CPU.Waiting, waitColumn)
}

// perStep converts a mean over the run to the amount in one cycle: mean times step, times the ratio of the
// column while the pattern runs to that of the whole run. It returns nil without a mean, a step or a pattern.
func (s Summary) perStep(mean *float64, column string) *float64 {
	if mean == nil || s.StepS == nil || len(s.Patterns) == 0 {
		return nil
	}
	v := *s.StepS * *mean * s.Timeline.patternRatio(column, s.stepPattern())
	if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return nil
	}
	return &v
}

// stepPattern returns the pattern whose period is nearest to the step.
func (s Summary) stepPattern() pattern.Pattern {
	best := s.Patterns[0]
	off := func(p pattern.Pattern) float64 { return math.Abs(math.Log(p.PeriodS / *s.StepS)) }
	for _, p := range s.Patterns[1:] {
		if off(p) < off(best) {
			best = p
		}
	}
	return best
}

// patternRatio returns the mean of a column while a pattern runs, divided by that of the whole run; 1 if
// unknown.
func (t Timeline) patternRatio(column string, p pattern.Pattern) float64 {
	for _, c := range t.Columns {
		if c.Name != column {
			continue
		}
		var all, in mean
		for i, v := range c.Mean {
			if math.IsNaN(float64(v)) {
				continue
			}
			all.add(float64(v))
			at := t.StartS + (float64(i)+0.5)*t.StepS
			for _, r := range p.Regions {
				if at >= r.StartS && at < r.EndS {
					in.add(float64(v))
					break
				}
			}
		}
		if all.sum > 0 && in.n > 0 {
			return in.sum / in.n / (all.sum / all.n)
		}
	}
	return 1
}

type mean struct{ sum, n float64 }

func (m *mean) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }
