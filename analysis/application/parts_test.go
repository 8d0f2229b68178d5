package application

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/scaling"
)

// partsOf is an application whose step consists of a function that shrinks with the
// number of tasks, one that stays, communication that grows, and one of 1 %.
func partsOf(sizes []int) []history.ApplicationRuns {
	var out []history.ApplicationRuns
	for k, n := range sizes {
		h := history.ApplicationRuns{SeriesID: int64(k + 1), Cluster: "hpc", User: "alice", App: "melt",
			Shape: fmt.Sprintf("%dn %dt 4c", n, 8*n)}
		p := float64(n)
		for i := range 3 {
			noise := func(at int) float64 { return 1 + .01*math.Sin(float64(7*k+3*i+11*at)) }
			times := []history.CodeTime{{Name: "own", StepS: ptr((1/p + .1) * noise(0))},
				{Name: "communication", StepS: ptr(.01 * p * math.Log2(p) * noise(1))},
				{Library: "lmp", Name: "Pair::compute", StepS: ptr(1 / p * noise(2))},
				{Library: "lmp", Name: "Fix::setup", StepS: ptr(.1 * noise(3))},
				{Library: "libmpi.so.40", StepS: ptr(.01 * p * math.Log2(p) * noise(4))},
				{Library: "lmp", Name: "tiny", StepS: ptr(.001)}}
			total := *times[0].StepS + *times[1].StepS
			for j := range times {
				times[j].Share = *times[j].StepS / total
			}
			y := total
			h.Runs = append(h.Runs, history.Run{ID: int64(10*k + i), Start: float64(20000*day + 3600*(12*i+k)), ElapsedS: 100,
				StepS: &y, NNodes: ptr(n), Exit: &run.Exit{}})
			h.Code = append(h.Code, times)
		}
		out = append(out, h)
	}
	return out
}

func TestScalingByPart(t *testing.T) {
	for by, want := range map[CodeLevel][]string{
		ByFunction: {"Pair::compute lmp", "code of libmpi", "Fix::setup lmp"},
		ByClass:    {"own", "communication"},
	} {
		h, err := NewHistories(partsOf([]int{2, 4, 8, 16, 32, 64}), "")
		if err != nil {
			t.Fatal(err)
		}
		list := h.ScalingBy(by, changepoint.Analysis{}, ScalingOptions{})
		var names []string
		growth := map[string]float64{}
		for i, r := range scaling.Analyse(list, scaling.Likelihood) {
			names = append(names, r.ID)
			if growth[r.ID] = r.Growth(64); list[i].Metric != StepCPU || len(list[i].Observations) != 18 {
				t.Errorf("%+v", list[i])
			}
		}
		slices.Sort(names)
		if slices.Sort(want); !slices.Equal(names, want) {
			t.Errorf("%s: %v", by, names)
		}
		switch by {
		case ByFunction:
			if !(growth["code of libmpi"] > 4 && math.Abs(growth["Fix::setup lmp"]-1) < .1 && growth["Pair::compute lmp"] < .5) {
				t.Errorf("%v", growth)
			}
		case ByClass:
			if !(growth["communication"] > 4 && growth["own"] < 1.1) {
				t.Errorf("%v", growth)
			}
		}
	}
}

// Four sizes are not a series, and a size whose runs mostly lack a part does not count for it.
func TestScalingByPartNeedsFiveSizes(t *testing.T) {
	h, _ := NewHistories(partsOf([]int{2, 4, 8, 16}), "")
	if list := h.ScalingBy(ByFunction, changepoint.Analysis{}, ScalingOptions{}); len(list) != 0 {
		t.Errorf("%d series", len(list))
	}
	stored := partsOf([]int{2, 4, 8, 16, 32})
	stored[4].Code[0], stored[4].Code[1] = nil, nil
	h, _ = NewHistories(stored, "")
	if list := h.ScalingBy(ByFunction, changepoint.Analysis{}, ScalingOptions{}); len(list) != 0 {
		t.Errorf("%d series", len(list))
	}
}
