package earlier

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// coded is run i of a program whose cycles take longer from run 20 on, for one
// function does, and with it a library is another; another function is renamed then.
func coded(i int) summary.Summary {
	s := pastRun(i)
	noise := func(k int) float64 { return 1 + .004*math.Sin(float64(i*(7+k)+3*k)) }
	pair, build, helper := .0547, "aa11", "NPair::build"
	if i >= 20 {
		pair, build, helper = .0645, "bb22", "NPair::build_bin"
	}
	parts := []anatomy.Share{{Function: anatomy.Function{Library: "liblammps.so.0", Name: "PairLJCut::compute"},
		Seconds: 100 * pair * noise(1)},
		{Function: anatomy.Function{Library: "liblammps.so.0", Name: helper}, Seconds: 1.05 * noise(2)},
		{Function: anatomy.Function{Library: "libm.so.6", Name: "exp"}, Seconds: .6 * noise(3)}}
	c := anatomy.Cycle{Pattern: "A", Count: 100}
	for _, f := range parts {
		c.BusyS += f.Seconds
	}
	for _, f := range parts {
		f.Share = f.Seconds / c.BusyS
		c.Functions = append(c.Functions, f)
		c.Classes = append(c.Classes, anatomy.Part{Name: string(anatomy.ClassOf(f.Library)), Share: f.Share,
			Seconds: f.Seconds})
	}
	s.Code = &anatomy.Anatomy{Samples: 9000, Run: c.Split, Cycles: []anatomy.Cycle{c}}
	step := c.BusyS / 100
	s.StepS, s.Patterns = &step, []pattern.Pattern{{ID: "A",
		Timing: periodicity.Timing{PeriodS: step, Confidence: .9, Coverage: .9}}}
	s.Job.Fields = map[string]string{"library.liblammps.so.0": build}
	return s
}

// A change names the function that explains it, and the library with another build; a renamed function is not a
// change.
func TestJudgeNamesTheFunction(t *testing.T) {
	db, err := history.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range 30 {
		if err := db.Put(t.Context(), coded(i), history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	j, err := judgeOf(t.Context(), db, coded(29), application.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(j.Across.Changes.Text, "\n")
	for _, want := range []string{"slower since", "; PairLJCut::compute has 9.", " of the 9.",
		" ms of CPU time a cycle that were added", "liblammps.so.0 changed then"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if strings.Contains(text, "NPair") || len(j.Across.Changes.Text) != 1 {
		t.Errorf("%s", text)
	}
	if len(j.Events) != 1 || !strings.Contains(j.Events[0].Causes,
		`"field":"function_replaced","from":"NPair::build","to":"NPair::build_bin"`) {
		t.Errorf("%+v", j.Events)
	}
	var data struct {
		Series []struct {
			Changes []struct {
				Causes []struct {
					Field    string
					Function *struct {
						Name   string
						TotalS float64 `json:"total_s"`
					}
				}
			}
		}
	}
	if err := json.Unmarshal(j.Across.Changes.Data, &data); err != nil {
		t.Fatal(err)
	}
	causes := data.Series[0].Changes[0].Causes
	if causes[0].Field != "function" || causes[0].Function.Name != "PairLJCut::compute" ||
		math.Abs(causes[0].Function.TotalS-.0098) > .0005 {
		t.Errorf("%s", j.Across.Changes.Data)
	}
}

// sized is run i on n nodes of a program whose communication grows with them.
func sized(i, n int) summary.Summary {
	s := coded(0)
	s.Key.JobID = run.JobID(100*n + i + 1)
	s.Start += float64(3600 * (i + 3*n))
	s.End = s.Start + 60
	s.Job.NNodes, s.Job.NTasks = n, ptr(4*n)
	s.Nodes = nil
	for k := range n {
		s.Nodes = append(s.Nodes, summary.Node{Name: fmt.Sprintf("n%d", k), Reported: true})
	}
	noise := 1 + .004*math.Sin(float64(i*7+n))
	parts := []anatomy.Share{{Function: anatomy.Function{Library: "lmp", Name: "Pair::compute"},
		Seconds: 4 / float64(n) * noise},
		{Function: anatomy.Function{Library: "libmpi.so.40", Name: "MPI_Alltoall"}, Seconds: .1 * float64(n) * noise}}
	c := anatomy.Cycle{Pattern: "A", Count: 10, Split: anatomy.Split{BusyS: parts[0].Seconds + parts[1].Seconds}}
	for _, f := range parts {
		f.Share = f.Seconds / c.BusyS
		c.Functions = append(c.Functions, f)
		c.Classes = append(c.Classes, anatomy.Part{Name: string(anatomy.ClassOf(f.Library)), Share: f.Share,
			Seconds: f.Seconds})
	}
	step := c.BusyS / 10
	s.Code, s.StepS = &anatomy.Anatomy{Samples: 9000, Run: c.Split, Cycles: []anatomy.Cycle{c}}, &step
	s.Patterns = []pattern.Pattern{{ID: "A", Timing: periodicity.Timing{PeriodS: step, Confidence: .9, Coverage: .9}}}
	return s
}

// If the sizes permit, a report names the function that grows.
func TestJudgementNamesGrowingFunctions(t *testing.T) {
	db, err := history.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var last summary.Summary
	for i := range 2 {
		for _, n := range []int{1, 2, 4, 8, 16, 32} {
			last = sized(i, n)
			if err := db.Put(t.Context(), last, history.Ingest{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	j, err := judgeOf(t.Context(), db, last, application.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(j.Across.Scaling.Text, "\n")
	if !strings.Contains(text, "MPI_Alltoall libmpi 4 times") || strings.Contains(text, "Pair::compute") {
		t.Errorf("%s", text)
	}
}
