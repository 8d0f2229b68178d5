package forecast

import (
	"testing"

	"jobgait/analysis/history"
)

// TestMemoryOfCompletedRuns gives six runs of which the newest three failed. The forecast of the memory uses the
// newest three completed ones.
func TestMemoryOfCompletedRuns(t *testing.T) {
	var runs []history.Run
	for i, state := range []string{"COMPLETED", "COMPLETED", "COMPLETED", "FAILED", "OUT_OF_MEMORY", "TIMEOUT"} {
		bytes := 2e9 + 1e6*float64(i)
		if state != "COMPLETED" {
			bytes = 64e9
		}
		runs = append(runs, history.Run{State: state, PeakMemBytes: &bytes})
	}
	requested := 8e9
	a := PlannedRun{Nodes: 2, Runs: 3}
	a.setMemory(runs, &requested, Default())
	if a.Memory == nil || a.Memory.Value < 1e9 || a.Memory.Value > 1.002e9 {
		t.Fatalf("memory per node %+v, want about 1.001e9 bytes", a.Memory)
	}
	if a.Request == nil || a.Request.Bytes != requested || a.Request.AtRisk > .01 {
		t.Errorf("judgement of the request: %+v", a.Request)
	}
}
