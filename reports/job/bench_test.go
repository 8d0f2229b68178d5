package job

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
)

// drawnNodes are the records of a run's nodes, each with a loop of 256 points and 128 boundaries; one in 37 does
// something else in a part of it.
func drawnNodes(n int) (records []summary.NodeRecord, names []string) {
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range n {
		name := fmt.Sprintf("n%05d", i)
		r := summary.NodeRecord{Key: run.Key{Cluster: "c", JobID: 7}, Node: name, Start: 100, End: 700, ElapsedS: 600,
			Quality:  run.Quality{Scope: "job", CPUs: 2, Blocks: 10, Samples: 120_000, Sealed: true, OverheadPct: 0.4},
			Counters: []run.Counter{{Name: "proc_cpu", Unit: "ns", Scope: "job", Total: 1e12}}}
		r.Patterns = []pattern.Pattern{{ID: "A", Instances: 400,
			Timing: periodicity.Timing{PeriodS: 1.1, PeriodSamples: 220, Confidence: .9, Coverage: .9}}}
		values := make(series.Values, 256)
		for k := range values {
			values[k] = float32(.4 + .02*rng.NormFloat64())
			if at := (k + i*11) % 256; at < 150 && i%37 != 5 || at < 90 {
				values[k] += 3.2
			}
		}
		loop := summary.Loop{Pattern: "A", Activity: &summary.Activity{Column: "busy_cpus", Unit: "CPUs", Values: values}}
		for k := range 128 {
			loop.Boundaries = append(loop.Boundaries, 1.1*float64(k)+.002*rng.NormFloat64())
		}
		r.Loops = []summary.Loop{loop}
		records, names = append(records, r.Normal()), append(names, name)
	}
	return records, names
}

// BenchmarkReportOf10000Nodes merges the records of 10,000 nodes and writes the report as text, page and JSON. It
// reports CPU seconds and the largest resident size in MB, that of the records included.
func BenchmarkReportOf10000Nodes(b *testing.B) {
	records, names := drawnNodes(10_000)
	runtime.GC()
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // resets the largest size
	cpu := func() float64 {
		var r syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
		return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
	}
	before, merging := cpu(), 0.0
	for b.Loop() {
		begun := cpu()
		s := summary.Merge(records, names)
		merging += cpu() - begun
		r := New(s, nil, options())
		for _, write := range []func(io.Writer, Report) error{Text, HTML, JSON} {
			if err := write(io.Discard, r); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric((cpu()-before)/float64(b.N), "CPU-s/op")
	b.ReportMetric(merging/float64(b.N), "merge-CPU-s/op")
	status, _ := os.ReadFile("/proc/self/status")
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	var kB float64
	_, _ = fmt.Sscan(peak, &kB)
	b.ReportMetric(kB/1000, "peak-MB")
}
