package summary

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/series"
)

// node is the record of a node that was busy with a period of p seconds; 0 is
// none.
func node(name string, busy, p float64) NodeRecord {
	r := NodeRecord{Key: RunKey{Cluster: "c", JobID: 7}, Node: name, Start: 100, End: 110, ElapsedS: 10,
		Quality: Quality{Scope: "job", CPUs: 2, Blocks: 10, Samples: 2000, Sealed: true, OverheadPct: 0.4}}
	r.Timeline.Columns = []TimelineColumn{{Name: busyColumn, Mean: series.Values{float32(busy), float32(busy)}}}
	if p > 0 {
		r.Patterns = []pattern.Pattern{{ID: "A", PeriodS: p, Coverage: 0.9}}
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
	s := Merge([]NodeRecord{node("n1", 2, 0.5), node("n2", 2, 0.505), node("n3", 2, 0.9)}, []string{"n1", "n2", "n3", "n4"}, Default())
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

// The first node does not stand for the run when the others disagree with it.
func TestMergeFollowsTheMajority(t *testing.T) {
	s := Merge([]NodeRecord{node("n1", 2, 0.9), node("n2", 2, 0.5), node("n3", 2, 0.51)}, []string{"n1", "n2", "n3"}, Default())
	if p, _ := s.Period(); p != 0.5 || s.LeadNode != "n2" {
		t.Errorf("period %v of %s", p, s.LeadNode)
	}
}

// Nodes without steps have nothing to show: the one that worked leads.
func TestMergeOfIdleNodes(t *testing.T) {
	s := Merge([]NodeRecord{node("n1", 0, 0), node("n2", 2, 0)}, []string{"n1", "n2"}, Default())
	if s.LeadNode != "n2" || s.ImbalancePct == nil || math.Abs(*s.ImbalancePct-100) > 1e-6 {
		t.Errorf("lead %s, imbalance %v", s.LeadNode, s.ImbalancePct)
	}
}

func TestMergeWithoutAnySamples(t *testing.T) {
	r := NodeRecord{Key: RunKey{Cluster: "c", JobID: 7}, Node: "n1", Quality: Quality{Scope: "none"}}.Normal()
	s := Merge([]NodeRecord{r}, []string{"n1"}, Default())
	if s.Sampled() || s.Quality.Scope != "none" || s.Quality.Sealed || s.ImbalancePct != nil {
		t.Errorf("%+v", s)
	}
}

func TestJSONHasNoNullListsAndNoNaN(t *testing.T) {
	r := node("n1", 1, 0)
	r.Timeline.Columns[0].Max = series.Values{series.Missing(), 1}
	b, err := json.Marshal(Merge([]NodeRecord{r}, []string{"n1"}, Default()))
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

func TestWorseExit(t *testing.T) {
	ok, code, signal := &Exit{}, &Exit{Code: 3}, &Exit{Signal: 15}
	for _, c := range []struct{ a, b, want *Exit }{
		{nil, nil, nil}, {ok, nil, ok}, {nil, code, code}, {ok, code, code}, {code, ok, code}, {code, signal, signal}, {signal, code, signal},
	} {
		if got := WorseExit(c.a, c.b); got != c.want {
			t.Errorf("WorseExit(%v, %v) = %v", c.a, c.b, got)
		}
	}
}

func TestRunKeyIsOnePathElement(t *testing.T) {
	for key, want := range map[RunKey]string{
		{Cluster: "c", JobID: 7}:                          "c-7.r0",
		{Cluster: "local:vm", JobID: 7, Sub: 2}:           "local_vm-7.r0.run2",
		{Cluster: "../../etc", JobID: 7, Restart: 1}:      "_.._etc-7.r1",
		{Cluster: "", JobID: 7}:                           "cluster-7.r0",
		{Cluster: "c", JobID: 7, SLUID: "s0123456789abc"}: "c-7.s0123456789abc",
		{Cluster: "a/b c\x00d", JobID: 1}:                 "a_b_c_d-1.r0",
	} {
		if got := key.String(); got != want {
			t.Errorf("%+v: %q, want %q", key, got, want)
		}
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
