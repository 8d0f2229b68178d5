package main

import (
	"encoding/csv"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"jobgait/analysis/history"
)

// Every query of the catalogue can be run with the values of the flags.
func TestHistory(t *testing.T) {
	env := storedRuns(t)
	all := history.CatalogueQueries()
	if got := askIn(env, "history"); got.status != 0 || strings.Count(got.out, "\n") != len(all) ||
		!strings.Contains(got.out, "week_slower ") {
		t.Errorf("%+v", got)
	}
	for _, q := range all {
		got := askIn(env, "history", q.Name, "-j", "7", "--app", "melt", "--csv")
		rows, err := csv.NewReader(strings.NewReader(got.out)).ReadAll()
		if got.status != 0 || err != nil || len(rows) == 0 || rows[0][0] == "" {
			t.Errorf("%s: %v %+v", q.Name, err, got)
		}
	}
	table := askIn(env, "history", "job", "-j", "7")
	if lines := strings.Split(table.out, "\n"); table.status != 0 || len(lines) != 3 ||
		!strings.HasPrefix(lines[1], "7 ") {
		t.Errorf("%+v", table)
	}
	var row map[string]any
	if got := askIn(env, "history", "job", "-j", "7", "--json"); json.Unmarshal([]byte(got.out), &row) != nil ||
		row["JobID"] != "7" {
		t.Errorf("%+v", got)
	}
	if got := askIn(env, "history", "user_last", "-u", "o'brien$1"); got.status != 0 || strings.Count(got.out, "\n") != 1 {
		t.Errorf("a user who is not there: %+v", got)
	}
	if got := askIn(env, "history", "--path"); got.status != 0 || !strings.HasSuffix(got.out, "/history.db\n") ||
		strings.Count(got.out, "\n") != 1 {
		t.Errorf("%+v", got)
	}
	for _, args := range [][]string{{"moon"}, {"job"}, {"site_builds"}, {"job", "-j", "x'"}, {"job", "job"},
		{"job", "--path"}, {"job", "-j", "7", "--json", "--csv"}} {
		if got := askIn(env, append([]string{"history"}, args...)...); got.status != 2 || got.out != "" ||
			strings.Count(got.complaint, "\n") != 1 {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// No query runs with the example values of the catalogue.
func TestHistoryReplacesExampleValues(t *testing.T) {
	o := historyOptions{job: "7", user: "me", app: "mine"}
	for _, q := range history.CatalogueQueries() {
		asked, err := o.querySQL(q.Name)
		if err != nil {
			t.Error(err)
		}
		if found := regexp.MustCompile(`8123\d\d|8124\d\d|alice|lmp melt`).FindString(asked); found != "" {
			t.Errorf("%s asks about %s:\n%s", q.Name, found, asked)
		}
	}
}

// Rows of several histories begin with the cluster.
func TestHistoryOfSeveral(t *testing.T) {
	a, b := historyOf(t, "alpha", "melt", 100, 1), historyOf(t, "beta", "ocean", 120, 1.2)
	got := ask("history", "site_applications", "--csv", "--history="+a+","+b)
	rows, err := csv.NewReader(strings.NewReader(got.out)).ReadAll()
	if err != nil || got.status != 0 || len(rows) < 3 || rows[0][0] != "Of" || rows[1][0] == rows[len(rows)-1][0] {
		t.Errorf("%v %+v", err, got)
	}
}
