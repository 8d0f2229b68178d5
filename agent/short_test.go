package main

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"jobgait/agent/job"
)

// BenchmarkShortRun runs the real agent for 12 s as on an exclusive node with both
// CPUs busy, and reports what it costs beside its budget, and what it had used of
// the CPU before its first block. A round is 12 s; -benchtime 8x gives a median.
//
// In a quiet virtual machine of 2 CPUs the installed program took .59 to .61 % of .5
// allowed, .64 to .68 before code in known functions was asked of no more and detection
// was asked once starting is paid for; this binary takes .1 more. Of its 80 ms, 20 come
// before the first block and 14 are its children's; 0.24 % are interrupts of the counters
// at 200 Hz. Jobs of 12 s that shared a node of the test cluster, budget .5, three: .70
// to .75 %. So a run that short costs more than its share on two CPUs; on more of them,
// what starting costs is spread.
func BenchmarkShortRun(b *testing.B) {
	needPerf(b)
	var pct, began, used []float64
	budget := 0.0
	for b.Loop() {
		dir := runDirOf(b, job.Run{Exclusive: true, Job: jobOfUser(os.Getuid())})
		var load []interface{ Kill() error }
		for range 2 {
			load = append(load, busy(b, fmt.Sprint(os.Getpid()), "while :; do :; done").Process)
		}
		a := startAgent(b, dir)
		time.Sleep(12 * time.Second)
		p := a.end(b)
		for _, l := range load {
			_ = l.Kill()
		}
		q := loadProfile(b, dir).Quality
		pct, budget = append(pct, q.OverheadPct), q.BudgetPct
		began, used = append(began, float64(p.Blocks[0].AgentCPUNS)/1e6), append(used, 1000*q.AgentCPUS)
		b.Logf("%.3f %%, %.1f ms before the first block, %.1f ms in all, addresses %g Hz", q.OverheadPct, began[len(began)-1], used[len(used)-1], p.Header.AddressHz)
	}
	for _, v := range [][]float64{pct, began, used} {
		slices.Sort(v)
	}
	n := len(pct)
	b.ReportMetric(budget, "%-allowed")
	b.ReportMetric(pct[n/2], "%-median")
	b.ReportMetric(pct[n-1], "%-worst")
	b.ReportMetric(began[n/2], "ms-CPU-begin")
	b.ReportMetric(used[n/2], "ms-CPU")
	b.ReportMetric(0, "ns/op")
}
