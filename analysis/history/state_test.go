package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/run"
)

// Runs without a state are listed, newest first, and take one once.
func TestStates(t *testing.T) {
	db := open(t)
	for id := range int64(6) {
		s := oneNode(id + 1)
		s.Start, s.End = t0+100*float64(id), t0+100*float64(id)+50
		switch id {
		case 1:
			s.State = "COMPLETED"
		case 2:
			s.Key.Cluster = "local:desk"
		case 3:
			s.Key.Sub = 1
		case 4:
			s.Exit = nil
		}
		mustPut(t, db, s, Ingest{NowS: t0})
	}
	ids := func() string {
		list, err := db.UnsettledRuns(t.Context(), t0+10, 10, false)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, r := range list {
			text += fmt.Sprintf("%d:%d ", r.JobID, r.UID)
		}
		return text
	}
	uid := oneNode(1).Job.UID
	if got, want := ids(), fmt.Sprintf("6:%[1]d 5:%[1]d 1:%[1]d ", uid); got != want {
		t.Errorf("runs %q, want %q", got, want)
	}
	list, err := db.UnsettledRuns(t.Context(), 0, 2, false)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	ended := []RunEnd{{list[0].RunID, "FAILED", &run.Exit{Code: 3}}, {list[1].RunID, "TIMEOUT", &run.Exit{}},
		{999, "FAILED", nil}}
	if err := db.PutStates(t.Context(), ended, t0, found); err != nil {
		t.Fatal(err)
	}
	// What is known is not changed by a later word.
	if err := db.PutStates(t.Context(), []RunEnd{{list[0].RunID, "COMPLETED", nil}}, t0, found); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(dump(t, db.sql,
		"SELECT JobID, State, ExitCode FROM jobs WHERE JobID IN ('5', '6') ORDER BY JobID")),
		" "); got != "JobID 5 State TIMEOUT ExitCode 0:0 JobID 6 State FAILED ExitCode 3:0" {
		t.Errorf("view jobs: %q", got)
	}
	if n := dump(t, db.sql, "SELECT count(*) AS N FROM ingest WHERE Status = 'state'"); strings.Join(strings.Fields(n),
		" ") != "N 2" {
		t.Errorf("view ingest has %q states", n)
	}
	s, _, err := db.Summary(t.Context(), "6")
	if err != nil || s.State != "FAILED" || s.Exit == nil || s.Exit.Code != 3 || len(s.Nodes) != 1 {
		t.Errorf("summary %+v, %v", s, err)
	}
	if got, want := ids(), fmt.Sprintf("1:%d ", uid); got != want {
		t.Errorf("runs left %q, want %q", got, want)
	}
	withState := func() (ids []int64) {
		list, err := db.UnsettledRuns(t.Context(), t0+10, 10, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			ids = append(ids, int64(r.JobID))
		}
		return ids
	}
	if got := withState(); !slices.Equal(got, []int64{1, 6, 5, 2}) {
		t.Errorf("runs without a state or a comment: %v", got)
	}
	if err := db.SetCommented(t.Context(), []int64{list[0].RunID, list[1].RunID}); err != nil {
		t.Fatal(err)
	}
	if got := withState(); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("runs without a state or a comment: %v", got)
	}
}
