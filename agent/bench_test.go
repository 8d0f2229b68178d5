package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/rawcall"
	"jobgait/configs"
)

// status reads a number of kB of /proc/PID/status.
func status(t testing.TB, pid int, name string) float64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			var kb float64
			if _, err := fmt.Sscan(value, &kb); err != nil {
				t.Fatal(err)
			}
			return kb
		}
	}
	t.Fatalf("no %s", name)
	return 0
}

// BenchmarkResident runs the real agent as on an exclusive node, both CPUs busy,
// and reports its memory after the first 20 s and after the last, and what it
// costs. A round is 20 s.
func BenchmarkResident(b *testing.B) {
	needPerf(b)
	a := startAgent(b, runDirOf(b, job.Run{Exclusive: true, Job: jobOfUser(os.Getuid())}))
	for range 2 {
		busy(b, fmt.Sprint(os.Getpid()), "while :; do :; done")
	}
	var resident []float64
	began, cpu := time.Now(), cpuSeconds(a.Process.Pid)
	for b.Loop() {
		jobtest.WorkloadPause(20 * time.Second)
		resident = append(resident, status(b, a.Process.Pid, "VmRSS")/1024)
	}
	used := (cpuSeconds(a.Process.Pid) - cpu) / time.Since(began).Seconds()
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", a.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	a.end(b)
	b.ReportMetric(resident[0], "MB-after-20s")
	b.ReportMetric(resident[len(resident)-1], "MB-at-end")
	b.ReportMetric(1000*used, "ms-CPU/s")
	b.ReportMetric(float64(len(files)), "descriptors")
	b.ReportMetric(loadProfile(b, a.dir).Quality.OverheadPct, "%-of-each-CPU")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkKillAgent kills the real agent at random moments, 67 times in a round
// and eight abreast, and reports how many seconds of samples were lost.
func BenchmarkKillAgent(b *testing.B) {
	const kills, abreast = 67, 8
	var losses []float64
	for b.Loop() {
		loss, next := make(chan float64), make(chan struct{}, kills)
		for range kills {
			next <- struct{}{}
		}
		close(next)
		for range abreast {
			go func() {
				for range next {
					loss <- lossAtKill(b, 200*time.Millisecond+time.Duration(rand.Int64N(int64(2*time.Second))))
				}
			}()
		}
		for range kills {
			losses = append(losses, <-loss)
		}
	}
	slices.Sort(losses)
	n := len(losses)
	b.ReportMetric(float64(n), "kills")
	b.ReportMetric(losses[n/2], "s-lost-median")
	b.ReportMetric(losses[n*95/100], "s-lost-95%")
	b.ReportMetric(losses[n-1], "s-lost-worst")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkRhythm is what following the loop costs the agent beside a program with one:
// pairs of runs of a minute, or of JOBGAIT_SECONDS, with it and without, the first of
// them in turn. A round is a pair. JOBGAIT_BESIDE is a command of the shell that is run
// instead of that program.
func BenchmarkRhythm(b *testing.B) {
	needPerf(b)
	seconds := 60.0
	if text := os.Getenv("JOBGAIT_SECONDS"); text != "" {
		if _, err := fmt.Sscan(text, &seconds); err != nil {
			b.Fatal(err)
		}
	}
	var with, without, asked, growth []float64
	for n := 0; b.Loop(); n++ {
		var cpu [2]float64
		for k := range 2 {
			follow := (n + k) % 2
			used, questions := ownCPU(b, seconds, follow == 1)
			if cpu[follow] = used; follow == 1 {
				asked = append(asked, questions)
			}
		}
		without, with = append(without, 1000*cpu[0]), append(with, 1000*cpu[1])
		growth = append(growth, 100*(cpu[1]/cpu[0]-1))
	}
	mean, off := meanOf(growth)
	b.ReportMetric(mean, "%-more")
	b.ReportMetric(off, "%-error")
	mean, _ = meanOf(with)
	b.ReportMetric(mean, "ms-CPU/s")
	mean, _ = meanOf(without)
	b.ReportMetric(mean, "ms-CPU/s-without")
	mean, _ = meanOf(asked)
	b.ReportMetric(1000*mean, "ms-asked")
	b.ReportMetric(0, "ns/op")
}

// ownCPU returns the CPU time per second of an agent in this process, and the total part of it that detection
// took.
func ownCPU(b *testing.B, seconds float64, follow bool) (cpu, asked float64) {
	b.Helper()
	limitRuntime()
	dir := runDirOf(b, job.Run{Job: jobOfUser(os.Getuid())})
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	program := exec.Command(self)
	if line := os.Getenv("JOBGAIT_BESIDE"); line != "" {
		program = exec.Command("sh", "-c", "exec "+line)
	}
	program.Env = []string{workloadEnv + "=1000000", "SLURM_JOB_ID=" + fmt.Sprint(os.Getpid()), "PATH=" +
		os.Getenv("PATH")}
	if err := program.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = program.Process.Kill(); _ = program.Wait() }()
	c := configs.Default().Agent
	c.LiveDir = b.TempDir()
	a := agentHere(b, dir, c, assumedPrices(host{proc: "/proc", sys: "/sys", open: perf.Open}))
	r := a.rhythm
	if !follow {
		a.rhythm = nil
	}
	before := rawcall.CPU()
	end := a.lives(b)
	jobtest.WorkloadPause(time.Duration(seconds * 1e9))
	cpu = float64(rawcall.CPU()-before) / 1e9 / seconds
	end()
	return cpu, float64(r.detection.usedNS) / 1e9
}

// meanOf returns a mean and its standard error.
func meanOf(x []float64) (mean, off float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		off += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(off / float64(max(1, len(x)-1)) / float64(len(x)))
}
