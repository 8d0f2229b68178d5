package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/run"
	"jobgait/epilog/finish"
)

// BenchmarkWait measures how long the end of a job waits for the Epilog, for runs of a minute, an hour and, with
// JOBGAIT_BENCH_DAY, a day, whose agent has sealed its profile. It also measures when the report was written.
// The runs take turns, so that machine load affects all of them equally.
func BenchmarkWait(b *testing.B) {
	lengths := []time.Duration{time.Minute, time.Hour}
	if os.Getenv("JOBGAIT_BENCH_DAY") != "" {
		lengths = append(lengths, 24*time.Hour)
	}
	dir := b.TempDir()
	for _, l := range lengths {
		o := profiletest.SyntheticRun{Node: "n1", Seconds: l.Seconds(), PeriodS: 1.3, Seal: true}
		if err := profiletest.Write(filepath.Join(dir, l.String()), o); err != nil {
			b.Fatal(err)
		}
	}
	waits, reports := make([][]float64, len(lengths)), make([][]float64, len(lengths))
	for b.Loop() {
		for i, l := range lengths {
			wait, report := ended(b, filepath.Join(dir, l.String()), l)
			waits[i], reports[i] = append(waits[i], wait), append(reports[i], report)
		}
	}
	for i, l := range lengths {
		b.ReportMetric(median(waits[i]), "s-wait-"+l.String())
		b.ReportMetric(median(reports[i]), "s-report-"+l.String())
	}
	b.ReportMetric(0, "ns/op")
}

func median(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

// ended returns after how many seconds the Epilog of a run has returned and its report exists.
func ended(b *testing.B, profile string, length time.Duration) (wait, report float64) {
	b.Helper()
	dir := b.TempDir()
	env := environment(b, "[watch]\nroot = true\n[spool]\ndir = \""+dir+"/spool\"\n[collect]\ndir = \""+dir+
		"/collect\"\naccount = \"\"\n"+
		"[history]\npath = \""+dir+"/history.db\"\n[slurm]\nscontrol = \"\"\n[report]\nmin_elapsed_s = 0\n")
	env["SLURM_JOB_UID"], env["SLURM_JOB_GID"] = fmt.Sprint(os.Getuid()), fmt.Sprint(os.Getgid())
	key := run.Key{Cluster: "test", JobID: 7}
	rd := job.Dir(dir+"/spool", "n1", key)
	real, mono := job.Clock()
	r := job.Run{Key: key, Node: "n1", BootID: job.BootID(), StartReal: real - length.Seconds(),
		StartMono: mono - length.Seconds(),
		Job:       run.Job{NNodes: 1, NodeList: "n1", WorkDir: dir, UID: os.Getuid()}}
	if err := errors.Join(job.MakeNodeDir(dir+"/spool", "n1"), rd.Make(), rd.WriteRun(r),
		os.Link(profile, rd.ProfilePath()),
		os.WriteFile(filepath.Join(filepath.Dir(env["JOBGAIT_CONFIG"]), "worker"), []byte("works"), 0o600)); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	status, _, complaint := call(b, env)
	wait = time.Since(began).Seconds()
	for ; !finish.Done(rd); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 10*time.Minute {
			b.Fatalf("status %d, %s: no report", status, complaint)
		}
	}
	return wait, time.Since(began).Seconds()
}
