package summary

import (
	"testing"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// cyclesOf returns successive iterations of these lengths; the samples of each are its number.
func cyclesOf(lengths ...int) (q periodicity.Period, set series.Set) {
	at := 0
	var v series.Values
	for i, n := range lengths {
		q.Instances = append(q.Instances, periodicity.Instance{First: at, Length: n})
		for range n {
			v = append(v, float32(i))
		}
		at += n
	}
	return q, series.Set{StartS: 2, StepS: 0.5, Columns: []series.Column{{Name: "x", Values: v}}}
}

// Ten of many iterations are kept: the first, some of usual length from each quarter, and
// the longest wherever they are.
func TestExamples(t *testing.T) {
	lengths := make([]int, 100)
	for i := range lengths {
		lengths[i] = 400
	}
	lengths[50], lengths[51], lengths[70], lengths[99] = 600, 500, 700, 401
	q, set := cyclesOf(lengths...)
	got := examplesOf(q, set, "x")
	count := map[ExampleReason]int{}
	for i, e := range got {
		count[e.Why]++
		if i > 0 && e.StartS <= got[i-1].StartS {
			t.Errorf("not in the order of the run: %+v", got)
		}
		if len(e.Values) == 0 || len(e.Values) > examplePoints || e.Values[0] != e.Values[len(e.Values)-1] {
			t.Errorf("samples of other iterations: %+v", e)
		}
		if slow := e.Values[0] == 50 || e.Values[0] == 51 || e.Values[0] == 70; slow != (e.Why == Slowest) {
			t.Errorf("%s: iteration %g", e.Why, e.Values[0])
		}
	}
	if len(got) != 10 || count[Start] != 3 || count[Typical] != 4 || count[Slowest] != 3 || got[0].StartS != 2 ||
		got[0].LengthS != 200 {
		t.Errorf("%v of %+v", count, got)
	}
}

func TestExamplesOfFew(t *testing.T) {
	q, set := cyclesOf(4, 4, 4, 4)
	if got := examplesOf(q, set, "x"); len(got) != 4 || got[3].Why != Typical {
		t.Errorf("%+v", got)
	}
	if got := examplesOf(q, set, "y"); got != nil {
		t.Errorf("a column that is not there: %+v", got)
	}
}
