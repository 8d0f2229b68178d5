package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/profile/profiletest"
)

func profileOf(t *testing.T, seconds float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile.jgp")
	if err := profiletest.Write(path, profiletest.SyntheticRun{Seconds: seconds, PeriodS: 0.5, Seal: true}); err != nil {
		t.Fatal(err)
	}
	return path
}

// An export as CSV or float32 has the same period as the profile.
func TestExportPeriods(t *testing.T) {
	path, dir := profileOf(t, 30), t.TempDir()
	csv, f32 := filepath.Join(dir, "out.csv"), filepath.Join(dir, "out.f32")
	if a := ask("export", "--csv", "-o", csv, path); a.status != 0 || a.out != "" || a.complaint != "" {
		t.Fatal(a)
	}
	a := ask("export", "--f32", "--column", "ipc", "-o", f32, path)
	if a.status != 0 || !strings.Contains(a.complaint, "--rate 200") {
		t.Fatal(a)
	}
	for _, args := range [][]string{{path}, {csv}, {"--rate", "200", f32}} {
		a := ask(append([]string{"periods", "--json"}, args...)...)
		var got periodsJSON
		if err := json.Unmarshal([]byte(a.out), &got); a.status != 0 || err != nil || len(got.Patterns) == 0 {
			t.Fatalf("%v: %d %s %v", args, a.status, a.complaint, err)
		}
		if p := got.Patterns[0].PeriodS; p < 0.495 || p > 0.505 || got.Samples != 6000 {
			t.Errorf("%v: period %g s of %d samples", args, p, got.Samples)
		}
	}
	if a := ask("export", "--csv", "--column", "ipc", path); !strings.HasPrefix(a.out, "t_s,ipc\n0.05,") ||
		strings.Count(a.out, "\n") != 6001 {
		t.Errorf("%d %.60s", a.status, a.out)
	}
}

// Every wrong use prints one line and leaves no file.
func TestExportBadUse(t *testing.T) {
	path, dir := profileOf(t, 2), t.TempDir()
	out := filepath.Join(dir, "out")
	text := fileOf(t, "a.csv", "t_s,a\n0,1\n")
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "needs a form", []string{path}},
		{2, "give one of them: --csv --f32", []string{"--csv", "--f32", path}},
		{2, "give one of them: --csv --extra-p", []string{"--csv", "--extra-p", "text", path}},
		{2, "give one of them: --extra-p --output", []string{"--extra-p", "text", "-o", out, path}},
		{2, "give one of them: --csv --series", []string{"--csv", "--series", "a", path}},
		{2, "one profile", []string{"--csv"}},
		{2, "at most one", []string{"--csv", path, path}},
		{2, "name a file", []string{"--csv", "-"}},
		{2, "--column", []string{"--f32", "-o", out, path}},
		{2, "the profile itself", []string{"--csv", "-o", path, path}},
		{1, "float32 writes one", []string{"--f32", "--column", "code", "-o", out, path}},
		{1, "which has busy_cpus", []string{"--csv", "--column", "nonsense", "-o", out, path}},
		{1, "is not a profile of jobgait", []string{"--csv", "-o", out, text}},
		{1, "no such file", []string{"--csv", "-o", out, path + "x"}},
		{1, "no such file", []string{"--csv", "-o", filepath.Join(dir, "none", "out"), path}},
	} {
		a := ask(append([]string{"export"}, c.args...)...)
		if a.status != c.status || !strings.Contains(a.complaint, c.want) || strings.Count(a.complaint, "\n") != 1 ||
			a.out != "" {
			t.Errorf("%v: %+v, want %d %q", c.args, a, c.status, c.want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if a := ask("periods", "--rate", "100", path); a.status != 2 || !strings.Contains(a.complaint, "rate of its own") {
		t.Errorf("a rate for a profile: %+v", a)
	}
}
