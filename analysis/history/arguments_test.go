package history

import (
	"slices"
	"testing"

	"jobgait/analysis/run"
)

// TestRunsWithOtherArgumentsAreAnotherHistory puts runs that were recorded without
// arguments, then runs of two fingerprints: the first of them continues the history, the
// second has one of its own.
func TestRunsWithOtherArgumentsAreAnotherHistory(t *testing.T) {
	db := open(t)
	job := int64(0)
	put := func(arguments string, n int) {
		for range n {
			job++
			s := oneNode(job)
			s.Job.Name, s.Job.Size, s.Start = "solver", "L [*]?", t0+60*float64(job)
			if arguments != "" {
				s.Job.Fields = map[string]string{run.FieldArguments: arguments}
			}
			mustPut(t, db, s, Ingest{NowS: t0})
		}
	}
	shapes := func() (out []string) {
		list, err := db.Histories(t.Context(), HistoryQuery{Since: t0 - 1, Series: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range list {
			l, ok := LayoutOf(h.Shape)
			if !ok || l.Size != "L [*]?" {
				t.Errorf("shape %q is %+v, %v", h.Shape, l, ok)
			}
			out = append(out, string(rune('0'+len(h.Runs)))+" "+l.Arguments)
		}
		slices.Sort(out)
		return out
	}
	const a, b = "00c0ffee00c0ffee", "0123456789abcdef"
	put("", 3)
	put(a, 2)
	if got, want := shapes(), []string{"5 " + a}; !slices.Equal(got, want) {
		t.Errorf("histories %q, want %q", got, want)
	}
	put(b, 2)
	put("", 1)
	put(b, 1)
	if got, want := shapes(), []string{"1 ", "3 " + b, "5 " + a}; !slices.Equal(got, want) {
		t.Errorf("histories %q, want %q", got, want)
	}
}
