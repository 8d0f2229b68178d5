package job

import (
	"math"
	"slices"

	"jobgait/analysis/run"
)

// quietCPUs is the mean number of busy or wanted CPUs below which no process of a run did anything.
const quietCPUs = 0.02

// trailingIdleS returns for how long, in s, no process of the run used or wanted a CPU before it ended; 0 if the busy
// CPUs are unknown, if the run has several nodes, or if its node did not report. What it used in the last maxAfterEndS
// does not count: the end itself takes CPU time.
func (r Report) trailingIdleS() float64 {
	t := r.Rhythm.Timeline
	i := slices.IndexFunc(t.Columns, func(c Curve) bool { return c.Name == busyColumn })
	if i < 0 || r.Nodes.Total > 1 || r.partial() || !(t.StepS > 0) {
		return 0
	}
	wanted := slices.IndexFunc(t.Columns, func(c Curve) bool { return c.Name == run.CPUWait })
	last := 0.0 // when a CPU was last used or wanted
	for k, v := range t.Columns[i].Mean {
		used := float64(v)
		if wanted >= 0 && k < len(t.Columns[wanted].Mean) {
			if w := float64(t.Columns[wanted].Mean[k]); !math.IsNaN(w) {
				used = math.Max(used, w)
			}
		}
		if end := t.StartS + float64(k+1)*t.StepS; used >= quietCPUs && end <= r.Job.ElapsedS-maxAfterEndS {
			last = end
		}
	}
	return math.Max(0, r.Job.ElapsedS-last)
}
