package sampler_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/analysis/run"
)

// buildAgent compiles the program as it is shipped.
func buildAgent(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "jobgait-agent")
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, "jobgait/agent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Skipf("build the agent: %v: %s", err, out)
	}
	return path
}

// runAgent runs the agent on an exclusive node for the given time, with the shipped settings, and returns its
// CPU time from exec to exit.
func runAgent(b *testing.B, path string, length time.Duration) time.Duration {
	b.Helper()
	dir := job.RunDir(b.TempDir())
	real, mono := job.Clock()
	err := dir.WriteRun(job.Run{Key: run.Key{Cluster: "bench", JobID: 1}, Node: "n1", Exclusive: true,
		StartReal: real, StartMono: mono, Job: run.Job{UID: os.Getuid()}})
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(path, "--run-dir", string(dir))
	var log strings.Builder
	cmd.Env, cmd.Stderr = []string{"HOME=" + b.TempDir()}, &log
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Kill() })
	jobtest.Until(b, "the agent is ready", func() bool {
		_, err := os.Stat(dir.ReadyPath())
		return err == nil
	})
	jobtest.WorkloadPause(length)
	cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		b.Fatalf("%v: %s", err, log.String())
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// The whole agent with the settings that are shipped, code addresses and files
// included, against perf stat with the node's counters only, in turns. The cost
// of starting is left out of both.
func BenchmarkAgentAgainstPerfStat(b *testing.B) {
	perfPath, err := exec.LookPath("perf")
	if err != nil {
		b.Skip("perf is not installed")
	}
	if os.Getuid() != 0 {
		b.Skip("only root samples a whole node")
	}
	agent, events := buildAgent(b), newChain(b, stepNS).events()
	const short, long = time.Second, 5 * time.Second
	var ours, theirs, ratios []float64
	for b.Loop() {
		for range 2 {
			spent := runAgent(b, agent, long) - runAgent(b, agent, short)
			us := float64(spent.Microseconds()) / (float64(long-short) / stepNS)
			stat := perfStat(b, perfPath, events, 2*time.Second)
			ours, theirs, ratios = append(ours, us), append(theirs, stat), append(ratios, us/stat)
		}
	}
	for _, s := range [][]float64{ours, theirs, ratios} {
		slices.Sort(s)
	}
	n := len(ratios)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ours[n/2], "us/sample")
	b.ReportMetric(theirs[n/2], "us/sample-perf-stat")
	b.ReportMetric(ratios[n/2], "ratio")
	b.ReportMetric(ratios[0], "ratio-min")
	b.ReportMetric(ratios[n-1], "ratio-max")
	b.ReportMetric(float64(n), "pairs")
}
