package finish

import (
	"jobgait/agent/names"
	"jobgait/agent/profile"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// Replay analyses one profile without its run directory and returns its summary, which lacks what the hooks
// know of the job.
func Replay(path string) (summary.Summary, error) {
	loaded, err := profile.Load(path)
	if err != nil {
		return summary.Summary{}, err
	}
	h := loaded.Header
	r := summary.NodeRecord{Key: h.Key, Job: run.Job{NNodes: 1, NodeList: h.Node}, Node: h.Node,
		ElapsedS: loaded.EndS(), Start: h.RunReal, End: h.RunReal + loaded.EndS()}
	p := summary.Default()
	p.Periods.NodeScope = nodeScope(loaded)
	p.Code, p.GPUs = codeSamples(path, loaded, names.KnownFunctions{}), gpuGrowth(path, loaded)
	r, err = addLoadedProfile(r, loaded, p)
	if err != nil {
		return summary.Summary{}, err
	}
	return summary.Merge([]summary.NodeRecord{r}, []string{h.Node}), nil
}

// nodeScope reports whether the agent ran with the job alone on the node: only then does it record node-wide
// counters.
func nodeScope(l profile.LoadedProfile) bool {
	for _, c := range l.Header.Columns {
		if c.Scope == "node" {
			return true
		}
	}
	return false
}
