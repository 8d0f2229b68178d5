package summary

import (
	"fmt"
	"math"
	"testing"

	"jobgait/analysis/series"
)

// busyRecord is that of a node whose busy CPUs are level until half of the run and
// none after it.
func busyRecord(name string, level float64, bins int) NodeRecord {
	values := make(series.Values, bins)
	for i := range bins / 2 {
		values[i] = float32(level)
	}
	values[bins-1] = series.Missing()
	r := node(name, level, 0)
	r.Timeline = Timeline{StartS: 1, StepS: 2,
		Columns: []TimelineColumn{{Name: "other", Mean: series.Values{9}}, {Name: busyColumn, Mean: values}}}
	return r
}

// Each node has a lane of at most 120 stretches; a missing node has no lane.
func TestNodeLanes(t *testing.T) {
	records := []NodeRecord{busyRecord("n1", 8, 960), busyRecord("n3", 4.1234, 90)}
	busy := []float64{4, 2}
	nodes := []Node{{Name: "n1", Reported: true, BusyCPUs: &busy[0]}, {Name: "n2"},
		{Name: "n3", Reported: true, BusyCPUs: &busy[1]}}
	got := nodeLanes(records, nodes)
	if len(got) != 2 || got[0].Node != "n1" || got[1].Node != "n3" || got[0].Of != 1 {
		t.Fatalf("%+v", got)
	}
	if l := got[0]; len(l.Busy) != 120 || l.StepS != 16 || l.StartS != 1 || l.Busy[0] != 8 || l.Busy[60] != 0 {
		t.Errorf("%+v", l)
	}
	if l := got[1]; len(l.Busy) != 90 || l.StepS != 2 || l.Busy[0] != 4.12 || !math.IsNaN(float64(l.Busy[89])) {
		t.Errorf("%+v", l)
	}
	if got := nodeLanes(records[:1], nodes[:1]); got != nil {
		t.Errorf("of one node: %+v", got)
	}
}

// With many nodes, a lane shows the node of its group that differs most.
func TestNodeLanesOfMany(t *testing.T) {
	var records []NodeRecord
	var nodes []Node
	for i := range 100 {
		level := 8.0
		if i == 41 {
			level = 1
		}
		name := fmt.Sprintf("n%d", i)
		records = append(records, busyRecord(name, level, 120))
		nodes = append(nodes, Node{Name: name, Reported: true, BusyCPUs: &level})
	}
	got := nodeLanes(records, nodes)
	if len(got) != 25 || got[10].Node != "n41" || got[10].Of != 4 || got[9].Of != 4 {
		t.Fatalf("%d lanes: %+v", len(got), got[10])
	}
}
