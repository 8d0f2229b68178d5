package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// The stored runs of melt took 60 s and take 69 s since the build changed; those of ocean take 10 s and 2 s a node.
func TestAsk(t *testing.T) {
	env := storedRuns(t)
	script := fileOf(t, "run.sh", "#!/bin/sh\n#SBATCH -J melt -N1\n#SBATCH --time=10\nsrun melt\n")
	late := fileOf(t, "late.sh", "#!/bin/sh\n#SBATCH --job-name=melt --time=0:48\nsrun melt\n")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"melt"}, []string{"melt on 1 node: from ", "elapsed  00:01:09, 95 % interval 00:01:0",
			"\n#SBATCH --time=00:05:00"}},
		{[]string{"3"}, []string{"melt on 1 node", "elapsed  00:01:09"}},
		{[]string{script}, []string{"limit    00:10:00: exceeded with a chance of below 0.1 %"}},
		{[]string{late}, []string{"limit    00:01:00: exceeded with a chance of above 99.9 %"}},
		{[]string{"--nodes", "2", "melt"}, []string{"melt on 2 nodes: missing for an answer: 3 completed runs on 2 nodes"}},
		{[]string{"ocean", "--nodes", "48"}, []string{"from the scaling law", "elapsed  00:01:4"}},
		{[]string{"ocean"}, []string{"missing for an answer: 1 completed run more on", "there are 2."}},
		{[]string{"melt", "--size", "XL"}, []string{"melt: missing for an answer: a completed run"}},
		{[]string{"nothing"}, []string{"nothing: missing for an answer: a completed run of it."}},
	} {
		got := askIn(env, append([]string{"ask"}, c.args...)...)
		for _, want := range c.want {
			if out := strings.Join(strings.Fields(got.out), " "); got.status != 0 ||
				!strings.Contains(out, strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%v: no %q in %+v", c.args, want, got)
			}
		}
		if strings.Contains(got.out, "missing") && strings.Contains(got.out, "SBATCH") {
			t.Errorf("%v: something beside what is missing: %s", c.args, got.out)
		}
	}
	plain := fileOf(t, "plain.sh", "#!/bin/sh\nls\n")
	for _, args := range [][]string{{"ask", plain}, {"ask", "99999999"}, {"ask"}, {"ask", "--nodes", "-1", "melt"}} {
		if got := askIn(env, args...); got.status == 0 || strings.TrimSpace(got.complaint) == "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// ask --json has the numbers of the text, and follows its schema; where runs are missing it says so and nothing else.
func TestAskJSON(t *testing.T) {
	env, wanted := storedRuns(t), schemas(t)["ask"]
	late := fileOf(t, "late.sh", "#!/bin/sh\n#SBATCH --job-name=melt --time=0:48\nsrun melt\n")
	type answer struct {
		App     string
		Nodes   int
		Missing *string
		Runs    int
		Source  *string
		Elapsed *struct{ Value, Lo, Hi float64 } `json:"elapsed_s"`
		Limit   *float64                         `json:"limit_s"`
		Risk    *float64                         `json:"limit_risk"`
		Counts  []any                            `json:"node_counts"`
		Ask     *struct {
			Time float64 `json:"time_s"`
			Line string
		}
	}
	read := func(args ...string) answer {
		got := askIn(env, append([]string{"ask", "--json"}, args...)...)
		if got.status != 0 {
			t.Fatalf("%v: %+v", args, got)
		}
		follows(t, wanted, strings.Join(args, " "), []byte(got.out))
		var a answer
		if err := json.Unmarshal([]byte(got.out), &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := read(late)
	if a.App != "melt" || a.Nodes != 1 || a.Missing != nil || a.Elapsed == nil || a.Elapsed.Lo > 69 || a.Elapsed.Hi < 69 ||
		a.Limit == nil || *a.Limit != 60 || a.Risk == nil || *a.Risk < 0.999 || *a.Source != "runs" || a.Ask == nil ||
		a.Ask.Time != 300 || a.Ask.Line != "#SBATCH --time=00:05:00" {
		t.Errorf("%+v", a)
	}
	if a := read("ocean", "--nodes", "48"); *a.Source != "scaling_law" || a.Runs < 3 || len(a.Counts) < 3 {
		t.Errorf("%+v", a)
	}
	if a := read("melt", "--size", "XL"); a.Missing == nil || a.Elapsed != nil || a.Ask != nil || a.Runs != 0 {
		t.Errorf("%+v", a)
	}
}

// The memory that a script requests is judged by what earlier runs used.
func TestAskMemory(t *testing.T) {
	home := t.TempDir()
	db, err := history.Open(t.Context(), filepath.Join(home, ".local/share/jobgait/history.db"))
	if err != nil {
		t.Fatal(err)
	}
	now := float64(time.Now().Unix())
	for i := range 12 {
		peak, start := 2e9*(1+0.01*math.Sin(float64(i*i))), now-float64(12-i)*86400
		s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "local:host", JobID: run.JobID(i + 1)},
			Job:   run.Job{Name: "fluid", App: "fluid", User: userName(), NNodes: 2},
			Start: start, End: start + 600, ElapsedS: 600 + float64(i%3), Exit: &run.Exit{},
			Memory: &summary.Memory{PeakBytes: &peak}, Quality: run.Quality{Scope: "job"}}
		if err := db.Put(t.Context(), s, history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]string{
		"--mem=900":             "request  944 MB on each node: exceeded with a chance of above 99.9 %",
		"--mem-per-cpu=700 -n8": "request  2.94 GB on each node: exceeded with a chance of below 0.1 %",
	} {
		script := fileOf(t, "run.sh", "#!/bin/sh\n#SBATCH -J fluid -N2 "+request+"\nsrun fluid\n")
		got := askIn([]string{"HOME=" + home}, "ask", script)
		if got.status != 0 || got.complaint != "" || !strings.Contains(got.out, want) ||
			!strings.Contains(got.out, "memory   ") || !strings.Contains(got.out, "--mem=") {
			t.Errorf("%s: %+v", request, got)
		}
	}
}

// Each fault of a script is one line, and the answer is still given.
func TestAskOfOddScripts(t *testing.T) {
	env := storedRuns(t)
	for _, c := range []struct{ text, complaint, want string }{
		{"#!/bin/sh\r\n#SBATCH -J melt -t 5\r\nmelt\r\n", "has DOS line ends: sbatch rejects it", "limit    00:05:00"},
		{"#SBATCH -J melt -t 5\nmelt\n", "does not begin with \"#!\": sbatch rejects it", "limit    00:05:00"},
		{"#!/bin/sh\n#SBATCH -J melt\n#SBATCH hetjob\n#SBATCH -N4\nmelt\n", "the answer is for its first component",
			"melt on 1 node"},
		{"#!/bin/sh\nmelt\n#SBATCH -t 5\n", "has no #SBATCH lines: the answer judges no limit", "elapsed"},
		{"#!/bin/sh\n#SBATCH --jobgait=app=melt\t--time=0-1:0 # an hour\nmelt\n", "", "limit    01:00:00"},
	} {
		script := fileOf(t, "melt", c.text)
		got := askIn(env, "ask", script)
		lines := 0
		if c.complaint != "" {
			lines = 1
		}
		if got.status != 0 || strings.Count(got.complaint, "\n") != lines || !strings.Contains(got.complaint, c.complaint) ||
			!strings.Contains(got.out, c.want) {
			t.Errorf("%q: %+v", c.text, got)
		}
	}
}
