package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"jobgait/agent/job/jobtest"
)

// Each variable that the Prolog reads gets each hostile value in turn, under settings that watch, and once with
// options of a user that the plugin would have refused: at most one line is printed, and nothing is created
// outside the spool.
func TestHostileVariables(t *testing.T) {
	asked := variables(t)
	if len(asked) < 15 {
		t.Fatalf("the Prolog asks for %q only", asked)
	}
	for _, name := range asked {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, "", "")
			for what, value := range jobtest.Hostile() {
				env := map[string]string{"JOBGAIT_CONFIG": filepath.Join(s.dir, "etc", "jobgait.toml")}
				for k, v := range s.env {
					env[k] = v
				}
				env[name] = value
				var said strings.Builder
				runProlog(context.Background(), func(name string) string { return env[name] }, nil, &said)
				jobtest.CheckLogLine(t, what, said.String())
				checkLog(t, s, what)
				s.checkInside(what)
			}
		})
	}
}

// variables returns the variables of Slurm that the Prolog reads.
func variables(t *testing.T) []string {
	t.Helper()
	s := newSite(t, "", "")
	s.env["JOBGAIT_CONFIG"] = filepath.Join(s.dir, "etc", "jobgait.toml")
	return jobtest.VariablesRead(func(name string) string { return s.env[name] }, func(getenv func(string) string) {
		runProlog(context.Background(), getenv, nil, io.Discard)
	}, "SLURM", "SPANK")
}

// checkLog is for the log of each node that came of it.
func checkLog(t *testing.T, s *site, what string) {
	t.Helper()
	logs, _ := filepath.Glob(filepath.Join(s.spool, "*", "jobgait.log"))
	for _, path := range logs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if len(lines) > 2 {
			t.Errorf("%s: %d lines in the log: %.300q", what, len(lines), text)
		}
		for _, line := range lines {
			if !strings.HasPrefix(line, "20") { // each begins with its time
				t.Errorf("%s: a line of somebody else's: %.300q", what, line)
			}
			jobtest.CheckLogLine(t, what, line)
		}
	}
}

// checkInside fails where something was made that is not a run of a node in the
// spool, and empties the spool.
func (s *site) checkInside(what string) {
	s.t.Helper()
	_ = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			s.t.Fatal(err)
		}
		below, err := filepath.Rel(s.spool, path)
		depth := strings.Count(below, "/") + 1
		known := slices.Contains([]string{".", "etc", "etc/jobgait.toml", "bin", "bin/jobgait-prolog", "var", "var/spool"},
			strings.TrimPrefix(strings.TrimPrefix(path, s.dir), "/")) || path == s.dir
		inside := err == nil && !strings.HasPrefix(below, "..") && depth <= 3 && len(d.Name()) <= 255 &&
			!strings.ContainsFunc(d.Name(), func(r rune) bool {
				return !unicode.IsPrint(r) || r > unicode.MaxASCII || strings.ContainsRune("<>'\"$`;&|* ", r)
			})
		if !known && !inside {
			s.t.Errorf("%s: made %.200q", what, path)
		}
		return nil
	})
	if err := os.RemoveAll(s.spool); err != nil {
		s.t.Fatal(err)
	}
}
