package finish

import (
	"jobgait/agent/names"
	"jobgait/agent/profile"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// Replay analyses one profile by itself, without its run directory: what the
// hooks knew of the job is not in it.
func Replay(path string) (summary.Summary, error) {
	loaded, err := profile.Load(path)
	if err != nil {
		return summary.Summary{}, err
	}
	h := loaded.Header
	r := summary.NodeRecord{Key: h.Key, Job: run.Job{NNodes: 1, NodeList: h.Node}, Node: h.Node,
		ElapsedS: loaded.End(), Start: h.RunReal, End: h.RunReal + loaded.End()}
	p := summary.Default()
	p.Periods.NodeScope = nodeScope(loaded)
	p.Code, p.GPUs = codeIn(path, loaded, names.Known{}), growthIn(path, loaded)
	r, err = fromLoaded(r, loaded, p)
	if err != nil {
		return summary.Summary{}, err
	}
	return summary.Merge([]summary.NodeRecord{r}, []string{h.Node}), nil
}

// nodeScope reports whether the agent ran with the job alone on the node: only then does it record node-wide
// counters.
func nodeScope(l profile.Loaded) bool {
	for _, c := range l.Header.Columns {
		if c.Scope == "node" {
			return true
		}
	}
	return false
}
