package application

import (
	"math"

	"jobgait/analysis/finding"
	"jobgait/analysis/history"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/summary"
)

// fewerRuns is the least number of runs on a number of nodes from which the time of a cycle there is known.
const fewerRuns = 3

// FewerNodes compares a run with runs of the same application and of the same size, in the user's words, on
// fewer nodes: with the most of them on which each node did at least twice the work. It returns nil if there is
// no such number of nodes with at least fewerRuns runs, if the run used one node or has no time of a cycle, and
// without a size, because then it is unknown whether more nodes had more work.
func FewerNodes(stored []history.ApplicationRuns, s summary.Summary) *finding.Scaling {
	if s.StepS == nil || s.Job.Size == "" || s.Job.NNodes < 2 {
		return nil
	}
	steps := map[int][]float64{}
	for _, h := range stored {
		if !IsOfApplication(h, s) {
			continue
		}
		for _, r := range h.Runs {
			if r.NNodes != nil && r.Size == s.Job.Size && r.StepS != nil && *r.StepS > 0 && r.EndedNormally() {
				steps[*r.NNodes] = append(steps[*r.NNodes], *r.StepS)
			}
		}
	}
	best := finding.Scaling{Nodes: s.Job.NNodes, StepS: *s.StepS}
	for nodes, values := range steps {
		if nodes >= s.Job.NNodes || nodes <= best.Fewer || len(values) < fewerRuns {
			continue
		}
		if step := robust.Median(values); !math.IsNaN(step) && 2*step*float64(nodes) <= *s.StepS*float64(s.Job.NNodes) {
			best.Fewer, best.FewerStepS = nodes, step
		}
	}
	if best.Fewer == 0 {
		return nil
	}
	return &best
}
