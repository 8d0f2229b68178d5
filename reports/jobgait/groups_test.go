package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// An array is one line of list and one text of show: states, spread, and the slowest task with its node. A task that
// was requeued counts once.
func TestArraysAreRolledUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(id int64, array, task *int64, restart int, elapsed float64, state string) {
		if err := db.Put(t.Context(), summary.Summary{Schema: summary.Schema,
			Key: run.Key{Cluster: "c1", JobID: run.JobID(id), Restart: restart},
			Job: run.Job{App: "sweep", User: userName(), NNodes: 1, NodeList: fmt.Sprintf("n%d", id), ArrayJobID: array,
				ArrayTaskID: task}, Start: 1.79e9 + float64(1000*id+int64(restart)), End: 1.79e9 + float64(1000*id) + elapsed,
			ElapsedS: elapsed, State: state, Exit: &run.Exit{}, Quality: run.Quality{Scope: "job"}},
			history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	put(90, nil, nil, 0, 50, "COMPLETED")
	array := int64(100)
	for task := int64(1); task <= 5; task++ {
		state, elapsed := "COMPLETED", 60+float64(task)
		if task == 2 {
			state, elapsed = "FAILED", 600
		}
		put(100+task, &array, &task, 0, elapsed, state)
	}
	three := int64(3)
	put(103, &array, &three, 1, 63, "COMPLETED")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + t.TempDir()}
	list := askIn(env, "list", "--history", path, "-p", "-n")
	lines := strings.Split(strings.TrimSpace(list.out), "\n")
	if list.status != 0 || len(lines) != 2 || !strings.HasPrefix(lines[0], "100_[5]|") ||
		!strings.Contains(lines[0], "|COMPLETED 4,FAILED 1|-|") || !strings.Contains(lines[0], "|00:01:04|") ||
		!strings.Contains(lines[0], "|slowest:100_2|") || !strings.HasPrefix(lines[1], "90|") {
		t.Errorf("%+v", list)
	}
	if got := askIn(env, "list", "--history", path, "-p", "-n", "--tasks"); strings.Count(got.out, "\n") != 7 {
		t.Errorf("%+v", got)
	}
	want := `Array 100: 5 tasks
  states   COMPLETED 4, FAILED 1
  elapsed  00:01:01 .. 00:10:00, median 00:01:04
  slowest  100_2, 00:10:00 on n102
jobgait show 100_2 prints its report.
`
	if got := askIn(env, "show", "--history", path, "100"); got.status != 0 || got.out != want {
		t.Errorf("%+v", got)
	}
	for _, args := range [][]string{{"100_2"}, {"90"}} {
		got := askIn(env, append([]string{"show", "--history", path}, args...)...)
		if got.status != 0 || strings.HasPrefix(got.out, "Array") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// The components of a heterogeneous job are one line of list and one text of show; each is shown by its own id. A
// component is found by the id of sacct and by its raw id.
func TestHeterogeneousJobsAreOneJob(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	first := int64(9)
	for offset, app := range []string{"ocean", "ice"} {
		at := int64(offset)
		s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "c1", JobID: run.JobID(first + at)},
			Job: run.Job{App: app, User: userName(), NNodes: 1, NodeList: fmt.Sprintf("n%d", at+1), HetJobID: &first,
				HetOffset: &at}, Start: 1.79e9, End: 1.79e9 + 60 + float64(at), ElapsedS: 60 + float64(at),
			State: "COMPLETED", Exit: &run.Exit{}, Quality: run.Quality{Scope: "job"}}
		if err := db.Put(t.Context(), s, history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + t.TempDir()}
	list := askIn(env, "list", "--history", path, "-p", "-n")
	if list.status != 0 || strings.Count(list.out, "\n") != 1 || !strings.HasPrefix(list.out, "9+[2]|") ||
		!strings.Contains(list.out, "|COMPLETED 2|-|") || !strings.Contains(list.out, "|slowest:9+1|") {
		t.Errorf("%+v", list)
	}
	if got := askIn(env, "list", "--history", path, "-p", "-n", "--tasks"); !strings.Contains(got.out, "9+0|") ||
		!strings.Contains(got.out, "9+1|") {
		t.Errorf("%+v", got)
	}
	want := `Heterogeneous job 9: 2 components
  states   COMPLETED 2
  elapsed  00:01:00 .. 00:01:01, median 00:01:00
  slowest  9+1, 00:01:01 on n2
  9+0  COMPLETED, 00:01:00 on n1, ocean
  9+1  COMPLETED, 00:01:01 on n2, ice
jobgait show 9+1 prints its report.
`
	if got := askIn(env, "show", "--history", path, "9"); got.status != 0 || got.out != want {
		t.Errorf("%+v", got)
	}
	for id, shown := range map[string]string{"9+0": "9+0", "9+1": "9+1", "10": "9+1"} {
		if got := askIn(env, "show", "--history", path, id); got.status != 0 || !strings.Contains(got.out, "Job "+shown) {
			t.Errorf("%s: %+v", id, got)
		}
	}
}
