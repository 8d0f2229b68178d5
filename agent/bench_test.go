package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job"
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
		time.Sleep(20 * time.Second)
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
