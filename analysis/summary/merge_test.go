package summary

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// node is the record of a node that was busy with a period of p seconds; 0 means no period.
func node(name string, busy, p float64) NodeRecord {
	r := NodeRecord{Key: run.Key{Cluster: "c", JobID: 7}, Node: name, Start: 100, End: 110, ElapsedS: 10,
		Quality: run.Quality{Scope: "job", CPUs: 2, Blocks: 10, Samples: 2000, Sealed: true, OverheadPct: 0.4}}
	r.Timeline.Columns = []TimelineColumn{{Name: busyColumn, Mean: series.Values{float32(busy), float32(busy)}}}
	if p > 0 {
		r.Patterns = []pattern.Pattern{{ID: "A", Timing: periodicity.Timing{PeriodS: p, Coverage: 0.9}}}
	}
	return r.Normal()
}

func hasNote(notes []note.Note, code note.Code) bool {
	for _, n := range notes {
		if n.Code == code {
			return true
		}
	}
	return false
}

func TestMergeAgrees(t *testing.T) {
	s := Merge([]NodeRecord{node("n1", 2, 0.5), node("n2", 2, 0.505), node("n3", 2, 0.9)},
		[]string{"n1", "n2", "n3", "n4"})
	if p, ok := s.Period(); !ok || p != 0.5 || s.LeadNode != "n1" {
		t.Errorf("period %v of %s", p, s.LeadNode)
	}
	for _, code := range []note.Code{note.NodesDisagree, note.MissingNodes} {
		if !hasNote(s.Notes, code) {
			t.Errorf("no note %s in %v", code, s.Notes)
		}
	}
	if s.Complete() || len(s.Nodes) != 4 || s.Nodes[3].Reported {
		t.Errorf("nodes %+v", s.Nodes)
	}
	if s.Quality.CPUs != 6 || s.Quality.Samples != 6000 || math.Abs(s.Quality.OverheadPct-0.4) > 1e-9 {
		t.Errorf("quality %+v", s.Quality)
	}
}

// The result of the first node is not used for the run if the other nodes disagree with it.
func TestMergeFollowsTheMajority(t *testing.T) {
	s := Merge([]NodeRecord{node("n1", 2, 0.9), node("n2", 2, 0.5), node("n3", 2, 0.51)}, []string{"n1", "n2", "n3"})
	if p, _ := s.Period(); p != 0.5 || s.LeadNode != "n2" {
		t.Errorf("period %v of %s", p, s.LeadNode)
	}
}

// Nodes without steps have no result: the node that worked becomes the lead node.
func TestMergeOfIdleNodes(t *testing.T) {
	s := Merge([]NodeRecord{node("n1", 0, 0), node("n2", 2, 0)}, []string{"n1", "n2"})
	if s.LeadNode != "n2" || s.ImbalancePct == nil || math.Abs(*s.ImbalancePct-100) > 1e-6 {
		t.Errorf("lead %s, imbalance %v", s.LeadNode, s.ImbalancePct)
	}
}

func TestMergeWithoutAnySamples(t *testing.T) {
	r := NodeRecord{Key: run.Key{Cluster: "c", JobID: 7}, Node: "n1", Quality: run.Quality{Scope: "none"}}.Normal()
	s := Merge([]NodeRecord{r}, []string{"n1"})
	if s.Sampled() || s.Quality.Scope != "none" || s.Quality.Sealed || s.ImbalancePct != nil {
		t.Errorf("%+v", s)
	}
}

func TestJSONHasNoNullListsAndNoNaN(t *testing.T) {
	r := node("n1", 1, 0)
	r.Timeline.Columns[0].Max = series.Values{series.Missing(), 1}
	b, err := json.Marshal(Merge([]NodeRecord{r}, []string{"n1"}))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, list := range []string{"nodes", "patterns", "phases", "counters", "notes", "sources", "columns"} {
		if strings.Contains(text, `"`+list+`":null`) {
			t.Errorf("%s is null", list)
		}
	}
	var back Summary
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(float64(back.Timeline.Columns[0].Max[0])) {
		t.Error("a missing sample came back as a number")
	}
}

func TestDecimateKeepsPeaksAndGaps(t *testing.T) {
	v := make(series.Values, 1000)
	v[417] = 9
	for i := 500; i < 600; i++ {
		v[i] = series.Missing()
	}
	set := series.Set{StepS: 0.005, Columns: []series.Column{{Name: "x", Values: v}}}
	line := decimate(set, []string{"x", "x", "absent"}, 100)
	if len(line.Columns) != 1 || len(line.Columns[0].Max) != 100 || line.StepS != 0.05 {
		t.Fatalf("%+v", line)
	}
	c := line.Columns[0]
	if c.Max[41] != 9 || math.Abs(float64(c.Mean[41])-0.9) > 1e-6 || c.Min[41] != 0 {
		t.Errorf("bin 41: %v %v %v", c.Min[41], c.Mean[41], c.Max[41])
	}
	if !math.IsNaN(float64(c.Mean[55])) {
		t.Error("a bin without samples has a value")
	}
}

// Nodes that differ are merged to a table, an imbalance and totals.
func TestMergeOfUnequalNodes(t *testing.T) {
	a, b, c := node("n1", 4, 0.5), node("n2", 1, 0.502), node("n3", 1, 0)
	a.Counters = []run.Counter{{Name: "cycles", Scope: "job", Total: 5}, {Name: "cycles", Scope: "node", Total: 50}}
	b.Counters = []run.Counter{{Name: "cycles", Scope: "job", Total: 7}}
	s := Merge([]NodeRecord{a, b, c}, []string{"n1", "n2", "n3"})
	if s.ImbalancePct == nil || math.Abs(*s.ImbalancePct-100) > 1e-9 { // 4 of a mean of 2
		t.Errorf("imbalance %v", s.ImbalancePct)
	}
	if n := s.Nodes; n[0].PeriodS == nil || *n[0].PeriodS != 0.5 || n[1].Coverage == nil || n[2].PeriodS != nil ||
		*n[0].BusyCPUs != 4 {
		t.Errorf("nodes %+v", n)
	}
	if got := fmt.Sprint(s.Counters); len(s.Counters) != 2 || s.Counters[0].Total != 12 || s.Counters[1].Total != 50 {
		t.Errorf("counters %s", got)
	}
}

// The quality is the sum over the sampled nodes, in any order.
func TestQualityOfUnequalNodes(t *testing.T) {
	a, b, c := node("n1", 1, 0), node("n2", 1, 0), node("n3", 1, 0)
	a.Quality = run.Quality{Scope: "none"}
	b.Quality.Sources = []run.CounterSource{{Name: "cycles"}}
	c.Quality.Scope, c.Quality.OverheadPct, c.Quality.CPUs, c.Quality.Sealed = "node", 1.6, 6, false
	names := []string{"n1", "n2", "n3"}
	s := Merge([]NodeRecord{a, b, c}, names)
	q := s.Quality
	if q.Scope != "mixed" || q.CPUs != 8 || q.Samples != 4000 || q.Blocks != 20 || q.Sealed ||
		math.Abs(q.OverheadPct-1.3) > 1e-9 || len(q.Sources) != 1 {
		t.Errorf("%+v", q)
	}
	if !s.Complete() || Merge([]NodeRecord{a, b}, names).Complete() {
		t.Error("complete is when all nodes have reported")
	}
}

// The longest stretch of similar periods is chosen; of equally long ones, the first.
func TestLargestGroup(t *testing.T) {
	for _, c := range []struct {
		periods  []float64
		from, to int
	}{
		{[]float64{1}, 0, 1}, {[]float64{1, 1.01, 1.5}, 0, 2}, {[]float64{1, 1.5, 1.51, 1.52}, 1, 4},
		{[]float64{1, 1.01, 2, 2.01}, 0, 2},
		{[]float64{1, 1.02, 1.04, 1.06, 1.08}, 0, 3}, {[]float64{1, 2, 3}, 0, 1},
	} {
		var sorted []*NodeRecord
		for _, p := range c.periods {
			r := node("n", 1, p)
			sorted = append(sorted, &r)
		}
		if from, to := largestGroup(sorted); from != c.from || to != c.to {
			t.Errorf("%v: %d to %d, want %d to %d", c.periods, from, to, c.from, c.to)
		}
	}
}

func TestDisplayID(t *testing.T) {
	array, task := int64(123), int64(7)
	s := Summary{Key: run.Key{JobID: 130}}
	if got := s.DisplayID(); got != "130" {
		t.Error(got)
	}
	s.Job.ArrayJobID = &array
	if got := s.DisplayID(); got != "130" {
		t.Errorf("an array without a task: %s", got)
	}
	s.Job.ArrayTaskID = &task
	if got := s.DisplayID(); got != "123_7" {
		t.Error(got)
	}
	first, offset := int64(129), int64(1)
	s.Job = run.Job{HetJobID: &first, HetOffset: &offset}
	if got := s.DisplayID(); got != "129+1" {
		t.Error(got)
	}
}
