package testcluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	db "jobgait/analysis/history"
)

// history is the whole contents of a history: the rows of each view, and under "summary" the data from which a
// report is drawn.
type history map[string][]map[string]any

// sqlite queries a history with the sqlite3 shell.
func sqlite(path, query string) ([]map[string]any, error) {
	out, err := exec.Command("sqlite3", "-json", "-cmd", ".timeout 60000", path, query).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("sqlite3: %w: %s", err, out)
	}
	var rows []map[string]any
	if len(out) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(out, &rows); err != nil {
		return nil, fmt.Errorf("sqlite3: %w: %.300s", err, out)
	}
	return rows, nil
}

// count returns the number of rows, 0 if there is no history yet.
func count(path, of string) int {
	rows, err := sqlite("file:"+path+"?mode=ro", "select count(*) n from "+of)
	if err != nil || len(rows) == 0 {
		return 0
	}
	n, _ := rows[0]["n"].(float64)
	return int(n)
}

// history reads all of one, but for the numbers of its rows and when something was put.
func (p past) history(t *testing.T, path string) history {
	t.Helper()
	all := history{}
	views, err := sqlite(path, "select name from sqlite_master where type = 'view' and name <> 'ingest' and "+
		"name not like 'internal%'")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		name := v["name"].(string)
		if all[name], err = sqlite(path, "select * from "+name); err != nil {
			t.Fatal(err)
		}
		for _, row := range all[name] {
			for _, column := range []string{"RunID", "SeriesID", "EventID", "At", "AtEpoch"} {
				delete(row, column)
			}
		}
		all[name] = inOrder(all[name])
	}
	all["summary"] = summaries(t, path, all["jobs"])
	return all
}

// summaries are the stored summaries of runs.
func summaries(t *testing.T, path string, jobs []map[string]any) (all []map[string]any) {
	t.Helper()
	// Root opens no database in a directory of another account, so a copy is read.
	copied := filepath.Join(t.TempDir(), "history.db")
	if _, err := sqlite(path, fmt.Sprintf("VACUUM INTO '%s'", copied)); err != nil {
		t.Fatal(err)
	}
	from, err := db.OpenReadOnly(t.Context(), copied)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	for _, j := range jobs {
		s, _, err := from.Summary(t.Context(), j["JobID"].(string))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		one := map[string]any{"JobID": j["JobID"]}
		if err := json.Unmarshal(text, &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// learnedLater lists what a history made from profiles alone may lack: only the deliverer knows where a report
// went, and only the scheduler, which is queried once more after the last Epilog, how a run ended. Values that
// are present must be equal.
func learnedLater() map[string][]string {
	return map[string][]string{"jobs": {"Report", "State", "ExitCode"}, "summary": {"state", "exit"}}
}

// print says of how many rows each view is.
func (h history) print() {
	for _, view := range slices.Sorted(maps.Keys(h)) {
		fmt.Printf("%s %d, ", view, len(h[view]))
	}
	fmt.Println("rows in the hooks' history")
}

// mustBe fails the test unless two histories are equal, except for columns of views that may be missing.
func (h history) mustBe(t *testing.T, got history, lacking map[string][]string) {
	t.Helper()
	for view, want := range h {
		have, others := got[view], map[string]int{}
		if len(want) != len(have) {
			t.Errorf("%s: %d rows, the hooks' has %d", view, len(have), len(want))
			continue
		}
		for i := range want {
			columns := maps.Clone(want[i])
			maps.Copy(columns, have[i])
			for column := range columns {
				a, b := asText(want[i][column]), asText(have[i][column])
				if a == b || b == "null" && slices.Contains(lacking[view], column) ||
					rounded(column, want[i], have[i]) || sameButEnding(column, a, b) {
					continue
				}
				if others[column]++; others[column] < 3 {
					t.Errorf("%s: %s of job %v is %.400s, the hooks' is %.400s", view, column, want[i]["JobID"], b, a)
				}
			}
		}
		if len(others) > 0 {
			t.Errorf("%s: of %d rows there are others in %v", view, len(want), others)
		}
	}
}

// rounded reports whether a column is derived from a timeline, whose values have six digits if they pass
// through a file, as in a reanalysis, and is equal except for that.
func rounded(column string, a, b map[string]any) bool {
	x, ok := a[column].(float64)
	y, too := b[column].(float64)
	return ok && too && (column == "StepCPUS" || column == "StepWaitS") && math.Abs(x-y) <= 1e-5*math.Abs(x)
}

// sameButEnding reports whether two texts are the evidence of a finding on how a run ended that
// differ in what only the scheduler knows: the job's final state.
func sameButEnding(column, a, b string) bool {
	if column != "Evidence" {
		return false
	}
	var known, made map[string]any
	for text, to := range map[string]*map[string]any{a: &known, b: &made} {
		var inner string
		if json.Unmarshal([]byte(text), &inner) != nil || json.Unmarshal([]byte(inner), to) != nil {
			return false
		}
	}
	if made["state"] != "" {
		return false
	}
	for _, m := range []map[string]any{known, made} {
		delete(m, "state")
		delete(m, "ended")
	}
	return asText(known) == asText(made)
}

// inOrder sorts rows by job, then by their other columns.
func inOrder(rows []map[string]any) []map[string]any {
	type keyed struct {
		key string
		row map[string]any
	}
	var all []keyed
	for _, r := range rows {
		all = append(all, keyed{asText(r["JobID"]) + asText(r), r})
	}
	slices.SortFunc(all, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	for i, k := range all {
		rows[i] = k.row
	}
	return rows
}

func asText(v any) string {
	b, _ := json.Marshal(v) // what came of JSON
	return string(b)
}
