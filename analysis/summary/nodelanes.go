package summary

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
)

// NodeLane is the number of CPUs that a node kept busy in each of equal stretches of the run; NaN for a stretch
// without samples. If there are more nodes than lanes, each represents several: it shows the one that differs
// most from the median of all.
type NodeLane struct {
	Node   string        `json:"node"`
	Of     int           `json:"of"` // nodes that it stands for
	StartS float64       `json:"start_s"`
	StepS  float64       `json:"step_s"`
	Busy   series.Values `json:"busy_cpus"`
}

const (
	// maxLanes is how many lanes can be distinguished in a picture of some hundred pixels, nodeBins the number of
	// stretches.
	maxLanes = 32
	nodeBins = 120
)

// nodeLanes returns at most maxLanes lanes in the order of the job's nodes. If there are more nodes, each lane
// stands for a group of neighbouring nodes and shows the one whose busy CPUs differ most from the median. It
// returns nil unless two nodes have busy CPUs.
func nodeLanes(records []NodeRecord, nodes []Node) (out []NodeLane) {
	by := recordByNode(records)
	var busy []float64
	for _, n := range nodes {
		if n.BusyCPUs != nil {
			busy = append(busy, *n.BusyCPUs)
		}
	}
	if len(busy) < 2 {
		return nil
	}
	slices.Sort(busy)
	middle := busy[len(busy)/2]
	off := func(n Node) float64 {
		if n.BusyCPUs == nil {
			return -1
		}
		return math.Abs(*n.BusyCPUs - middle)
	}
	for group := range slices.Chunk(nodes, (len(nodes)+maxLanes-1)/maxLanes) {
		farthest := slices.MaxFunc(group, func(a, b Node) int { return cmp.Compare(off(a), off(b)) })
		r, reported := by[farthest.Name]
		if !reported {
			continue
		}
		if lane, ok := laneOfNode(r); ok {
			lane.Node, lane.Of = farthest.Name, len(group)
			out = append(out, lane)
		}
	}
	return out
}

// laneOfNode returns the lane of a node from its timeline; false without a column of busy CPUs.
func laneOfNode(r *NodeRecord) (NodeLane, bool) {
	i := slices.IndexFunc(r.Timeline.Columns, func(c TimelineColumn) bool { return c.Name == busyColumn })
	if i < 0 {
		return NodeLane{}, false
	}
	busy, per := means(r.Timeline.Columns[i].Mean, nodeBins)
	lane := NodeLane{StartS: r.Timeline.StartS, StepS: r.Timeline.StepS * float64(per)}
	for _, v := range busy { // three figures; NaN stays
		lane.Busy = append(lane.Busy, float32(quantity.Rounded(float64(v), 3)))
	}
	return lane, len(busy) > 0
}
