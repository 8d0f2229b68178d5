package history

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

var update = flag.Bool("update", false, "write the golden files")

// TestMain runs tests in UTC, and is the writer that tests start as processes
// of their own: what it puts is in JOBGAIT_TEST_PUT, "path first count". It
// leaves without closing the history, as a killed worker would.
func TestMain(m *testing.M) {
	os.Setenv("TZ", "UTC")
	time.Local = time.UTC
	if job := os.Getenv("JOBGAIT_TEST_PUT"); job != "" {
		if err := putProcess(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if job := os.Getenv("JOBGAIT_TEST_ASK"); job != "" {
		if err := askProcess(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func putProcess(job string) error {
	var path string
	var first, count int64
	if _, err := fmt.Sscan(job, &path, &first, &count); err != nil {
		return err
	}
	db, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	for id := first; id < first+count; id++ {
		if err := db.Put(context.Background(), oneNode(id), Ingest{}); err != nil {
			return err
		}
	}
	return nil
}

// t0 is when the jobs of tests begin: 2026-11-20 02:14:00 UTC.
const t0 = 1795140840

func ptr[T any](x T) *T { return &x }

// oneNode returns the summary of a one-minute job on one node.
func oneNode(id int64) summary.Summary {
	return summary.Summary{
		Schema: summary.Schema,
		Key:    run.Key{Cluster: "hpc", JobID: run.JobID(id)},
		Job: run.Job{
			Name: "melt-" + strconv.FormatInt(id, 10), User: "alice", UID: 1001, GID: 100,
			Partition: "cpu", NNodes: 1, NodeList: "n1", NTasks: ptr(4), NCPUs: ptr(4), CPUsPerTask: ptr(1),
			WorkDir: "/home/alice", Executable: "lmp",
		},
		Start: t0 + float64(100*(id%1000)), End: t0 + float64(100*(id%1000)) + 60, ElapsedS: 60.25,
		Exit:     &run.Exit{},
		Nodes:    []summary.Node{{Name: "n1", Reported: true, BusyCPUs: ptr(3.5), Samples: 12000, Missing: 12, Sealed: true}},
		Patterns: []pattern.Pattern{mainPattern(0.5)},
		Quality: run.Quality{
			Scope: "node", CPUs: 4, RateHz: 200, Samples: 12000, Missing: 12, OverheadPct: 0.12,
			Sources: []run.CounterSource{{Name: "context_switches", PMU: "software"}},
		},
	}
}

func mainPattern(period float64) pattern.Pattern {
	return pattern.Pattern{
		ID: "A", Column: "code", Timing: periodicity.Timing{PeriodS: period, PeriodLoS: 0.99 * period,
			PeriodHiS: 1.01 * period,
			PeriodCV:  0.02, Confidence: 0.8, Coverage: 0.9}, Instances: 108,
	}
}

// onGPUs returns two GPUs of a node, one of which was read without any known value.
func onGPUs() []summary.GPU {
	board := run.GPUDevice{Name: "NVIDIA A100", UUID: "GPU-0", MemoryBytes: 80e9}
	return []summary.GPU{{Node: "n1", GPUDevice: board, ReadS: 50, EnergyJ: ptr(12500.0), PowerW: ptr(250.0),
		ActiveS: ptr(34.5), SlowedS: ptr(0.0), SM: ptr(.612), Occupancy: ptr(.305),
		MemoryPeakBytes: ptr(71e9), Cycle: &summary.GPUCycle{Pattern: "A", Count: 100, IdleShare: .31}},
		{Node: "n1", GPUDevice: run.GPUDevice{Index: 1}, ReadS: 50}}
}

// fixture is a small history that has one of everything.
func fixture() []summary.Summary {
	array := oneNode(812346)
	array.Job.ArrayJobID, array.Job.ArrayTaskID = ptr(int64(812340)), ptr(int64(7))
	array.State, array.ElapsedS = "COMPLETED", 90061.5

	wide := oneNode(812345)
	wide.Key.Restart, wide.Key.SLUID = 1, "s0123456789ABC"
	wide.Job.Account, wide.Job.QOS, wide.Job.StdOut = "ocean", "normal", "/home/alice/slurm-812345.out"
	wide.Job.NNodes, wide.Job.NodeList, wide.Job.NTasks, wide.Job.NCPUs = 3, "n[1-3]", ptr(12), ptr(12)
	wide.Job.App, wide.Job.Size, wide.Job.SchedulerStart = "nemo", "gyre", ptr(int64(t0))
	wide.Exit = &run.Exit{Code: 0, Signal: 15}
	wide.Job.Fields = map[string]string{run.FieldCommit: "9e66dad"}
	wide.Counters = []run.Counter{{Name: "page_faults", Unit: "faults", Scope: "node", Total: 4100, Share: 0.5}}
	wide.Nodes = []summary.Node{
		{Name: "n1", Reported: true, BusyCPUs: ptr(4.0), PeriodS: ptr(6.2), Coverage: ptr(0.88), Samples: 12000,
			Sealed: true},
		{Name: "n2", Reported: true, BusyCPUs: ptr(3.0), Samples: 11000, Missing: 1100},
		{Name: "n3"},
	}
	wide.GPUs = onGPUs()
	small := mainPattern(0.1)
	small.ID, small.Column = "B", "busy_cpus"
	wide.Patterns = []pattern.Pattern{mainPattern(6.2), small}
	wide.ImbalancePct = ptr(14.3)
	wide.Code, wide.StepS = consistsOf(map[anatomy.Function]float64{{Library: "nemo.exe", Name: "dynspg::solve"}: 300,
		{Library: "libmpi.so.40", Start: 64}: 100, {Library: anatomy.KernelCode}: 8}), ptr(6.2)
	wide.Quality.Sources = append(wide.Quality.Sources, run.CounterSource{Name: "instructions", PMU: "cpu"})
	missing := note.New(note.MissingNodes, "1 of 3 nodes sent no record: n3")
	missing.Node = "n3"
	wide.Notes = []note.Note{missing, note.New(note.Requeued, "ended by signal 15")}

	bare := summary.Summary{
		Schema: summary.Schema, Key: run.Key{Cluster: "local:host", JobID: 1, Sub: 2},
		Job: run.Job{UID: 1002}, Notes: []note.Note{note.New(note.NoAgent, "no agent ran")},
	}
	return []summary.Summary{oneNode(812344), array, wide, bare}
}

// open returns a new history that is closed after the test.
func open(t testing.TB) *DB {
	t.Helper()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// openFixture returns a history with the runs of fixture.
func openFixture(t testing.TB) *DB {
	t.Helper()
	db := open(t)
	for i, s := range fixture() {
		mustPut(t, db, s, Ingest{ReportDir: fmt.Sprintf("/home/alice/out%d", i), Source: "record", NowS: t0 + float64(i),
			Findings: found})
	}
	return db
}

func mustPut(t testing.TB, db *DB, s summary.Summary, at Ingest) {
	t.Helper()
	if err := db.Put(t.Context(), s, at); err != nil {
		t.Fatal(err)
	}
}

// golden compares got with a file of testdata, or writes it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it); got:\n%s", path, got)
	}
}

// past returns the query for the earlier runs of the same user, application
// and shape.
func past(s summary.Summary) Query {
	return Query{
		Cluster: s.Key.Cluster,
		User:    User(s),
		App:     Application(s),
		Shape:   Shape(s),
		Before:  s.Start,
	}
}
