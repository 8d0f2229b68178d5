package main

import (
	"context"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/configs"
)

// Each variable that the Epilog reads gets each hostile value in turn: it returns 0, prints at most one line,
// and creates nothing outside the spool.
func TestHostileVariables(t *testing.T) {
	asked := variables(t)
	if len(asked) < 15 {
		t.Fatalf("the Epilog asks for %q only", asked)
	}
	for _, name := range asked {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := hostileSite(t, "ends")
			good := env[name]
			for what, value := range jobtest.Hostile() {
				env[name] = value
				status, out, said := call(t, env)
				if status != 0 || out != "" {
					t.Errorf("%s: status %d, said %q", what, status, out)
				}
				jobtest.CheckLogLine(t, what, said)
				checkInside(t, what, filepath.Dir(env["JOBGAIT_CONFIG"]))
			}
			env[name] = good
		})
	}
}

// A run in which all texts are hostile is finished by the worker: the history has its row, or its run directory
// is left for a sweep with a line that says why.
func TestHostileRun(t *testing.T) {
	asked := variables(t)
	for what, value := range jobtest.Hostile() {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			env := hostileSite(t, "works")
			for _, name := range asked {
				if name != "SLURM_JOB_ID" && name != "SPANK_JOBGAIT" {
					env[name] = value
				}
			}
			status, _, said := call(t, env)
			if status != 0 {
				t.Errorf("status %d", status)
			}
			jobtest.CheckLogLine(t, what, said)
			top := filepath.Dir(env["JOBGAIT_CONFIG"])
			checkInside(t, what, top)
			logs, _ := filepath.Glob(filepath.Join(top, "spool", "*", "*.log"))
			more, _ := filepath.Glob(filepath.Join(top, "spool", "*", "*", "*.log"))
			for _, path := range append(logs, more...) {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(text), "panic") || strings.Contains(string(text), "goroutine") {
					t.Errorf("%s:\n%.2000s", path, text)
				}
				for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
					jobtest.CheckLogLine(t, what, line)
				}
			}
			if _, err := os.Stat(filepath.Join(top, "history.db")); err != nil && len(logs) == 0 {
				t.Error("neither a history nor a line why there is none")
			}
		})
	}
}

// hostileSite is an environment whose worker works or ends at once.
func hostileSite(t *testing.T, worker string) map[string]string {
	t.Helper()
	env := environment(t, "")
	top := filepath.Dir(env["JOBGAIT_CONFIG"])
	if err := os.WriteFile(filepath.Join(top, "worker"), []byte(worker), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(top, "collect"), 0o700); err != nil {
		t.Fatal(err)
	}
	// The sweep after a worker may still be at work when the test is over.
	t.Cleanup(func() {
		jobtest.Until(t, "the directory of the test can be removed", func() bool { return os.RemoveAll(top) == nil })
	})
	return env
}

// variables returns the variables of Slurm that the Epilog reads.
func variables(t *testing.T) []string {
	t.Helper()
	env := hostileSite(t, "ends")
	return jobtest.VariablesRead(func(name string) string { return env[name] }, func(getenv func(string) string) {
		runEpilog(context.Background(), getenv, nil, strings.NewReader(""), io.Discard, io.Discard)
	}, "SLURM", "SPANK")
}

// checkInside fails if a file was created outside the allowed directories.
func checkInside(t *testing.T, what, top string) {
	t.Helper()
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // the worker's sweep removes files
		}
		below := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, top), "/"), "/")
		known := slices.Contains([]string{"", "jobgait.toml", "worker", "history.db", "history.db-wal", "history.db-shm",
			"history.db-journal"}, below[0]) && len(below) == 1
		inside := (below[0] == "spool" || below[0] == "collect") && len(below) <= 5 &&
			!strings.ContainsFunc(d.Name(), func(r rune) bool { return r < ' ' || r > '~' })
		if !known && !inside {
			t.Errorf("%s: made %.200q", what, path)
		}
		return nil
	})
}

// With damaged settings a job loses its report and nothing else.
func TestDamagedSettings(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 2))
	env := hostileSite(t, "ends")
	path := env["JOBGAIT_CONFIG"]
	spool := filepath.Join(filepath.Dir(path), "spool")
	shipped, err := os.ReadFile("../configs/jobgait.toml")
	if err != nil {
		t.Fatal(err)
	}
	good := strings.Replace(string(shipped), `dir = "/var/spool/jobgait"`, `dir = "`+spool+`"`, 1)
	called := 0
	for range jobtest.Rounds(300) {
		if err := os.WriteFile(path, []byte(jobtest.Mutate(random, good)), 0o644); err != nil {
			t.Fatal(err)
		}
		cfg, _ := configs.Load(func(name string) string { return env[name] }, "")
		if cfg.Spool.Dir != "" && cfg.Spool.Dir != spool {
			continue // it would make a spool there
		}
		called++
		status, out, said := call(t, env)
		if status != 0 || out != "" || strings.Contains(said, "panic") {
			t.Fatalf("seed %d: status %d, said %q %q", seed, status, out, said)
		}
		jobtest.CheckLogLine(t, "settings", said)
		checkInside(t, "settings", filepath.Dir(path))
	}
	if called == 0 {
		t.Errorf("seed %d: never called", seed)
	}
}
