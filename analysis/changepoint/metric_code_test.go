package changepoint_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
)

// A slowdown in which the CPU time per cycle did not change is not attributed to the code, whatever was built on
// that day; one that the CPU time shares is.
func TestChangedWaitingIsNotAttributedToCode(t *testing.T) {
	for _, code := range []bool{true, false} {
		r := rand.New(rand.NewPCG(44, 1))
		s := changepoint.Series{ID: "x", Also: map[string][]float64{}, Meta: map[string][]string{}}
		for i := range 80 {
			step, cpu, build, partition := 10.0, 20.0, "b1", "old"
			if i >= 40 {
				step, build, partition = 11.5, "b2", "new"
				if code {
					cpu = 23
				}
			}
			s.T, s.Y = append(s.T, float64(i)), append(s.Y, step*math.Exp(.01*r.NormFloat64()))
			s.Also["step_cpu_s"] = append(s.Also["step_cpu_s"], cpu*math.Exp(.01*r.NormFloat64()))
			s.Meta["build_id"] = append(s.Meta["build_id"], build)
			s.Meta["partition"] = append(s.Meta["partition"], partition)
		}
		res := judge(s)
		if len(res.Changes) != 1 {
			t.Fatalf("%d changes", len(res.Changes))
		}
		named := func(field string) bool {
			return slices.ContainsFunc(res.Changes[0].Causes, func(c changepoint.Cause) bool { return c.Field == field })
		}
		if named("build_id") != code || !named("partition") || has(res.Notes, note.Waiting) == code {
			t.Errorf("code %v: causes %+v, notes %v", code, res.Changes[0].Causes, res.Notes)
		}
	}
}

// A slowdown explained by waiting for CPUs is contention; one explained by other waiting is not.
func TestContention(t *testing.T) {
	for _, contended := range []bool{true, false} {
		r := rand.New(rand.NewPCG(45, 1))
		s := changepoint.Series{ID: "x", Also: map[string][]float64{}}
		for i := range 60 {
			step, wait := 10.0, .4 // of four tasks
			if i >= 30 {
				step = 11.5
				if contended {
					wait = 6.4
				}
			}
			around := func(v float64) float64 { return v * math.Exp(.01*r.NormFloat64()) }
			s.T, s.Y = append(s.T, float64(i)), append(s.Y, around(step))
			s.Also["step_cpu_s"] = append(s.Also["step_cpu_s"], around(39))
			s.Also["step_wait_s"] = append(s.Also["step_wait_s"], around(wait))
		}
		res := judge(s)
		if len(res.Changes) != 1 || res.Changes[0].Contention != contended || !has(res.Notes, note.Waiting) {
			t.Errorf("contended %v: changes %+v, notes %v", contended, res.Changes, res.Notes)
		}
	}
}
