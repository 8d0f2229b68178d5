package kernel

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/polled"
	"jobgait/agent/job/jobtest"
)

// TestAnAdapterThatHangsIsAbsent blocks a reading in the kernel: opening a pipe waits for its writer. With
// GOMAXPROCS=1 no goroutine can run unless the runtime knows of the system call.
func TestAnAdapterThatHangsIsAbsent(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, file := range map[string]string{"its counter": "counters/port_rcv_data", "its state": "state"} {
		t.Run(name, func(t *testing.T) {
			r := node(t)
			pipe := filepath.Join(r.Sys, "class/infiniband/mlx5_0/ports/1", file)
			if err := errors.Join(os.Remove(pipe), unix.Mkfifo(pipe, 0o600)); err != nil {
				t.Fatal(err)
			}
			goroutines := runtime.NumGoroutine()
			have, lack := Node(r)(monotonic)
			for _, p := range have {
				defer p.Close()
			}
			found := false
			for _, s := range lack {
				found = found || s.Name == "infiniband" && strings.Contains(s.Absent, "does not respond")
			}
			if !found || len(have) < 5 {
				t.Errorf("%d sources, absent %+v", len(have), lack)
			}
			w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // it answers after all
			if err != nil {
				t.Fatal(err)
			}
			w.Close()
			jobtest.Until(t, "its goroutine ends", func() bool { return runtime.NumGoroutine() <= goroutines })
		})
	}
}

// BenchmarkAside is what it costs to read an adapter's files in a goroutine of
// their own, CPU time of a reading, against the loop's, in turns.
func BenchmarkAside(b *testing.B) {
	r := node(b)
	var spentNS [2]time.Duration
	var ratios []float64
	var sources [2]*polled.Source
	for i := range sources {
		m, err := InfiniBand(r)
		if err != nil {
			b.Fatal(err)
		}
		m.Hangs = i == 1
		if sources[i], err = polled.New(m, monotonic); err != nil {
			b.Fatal(err)
		}
		defer sources[i].Close()
	}
	const readings = 500
	to := &none{}
	for b.Loop() {
		for range 5 {
			var spent [2]time.Duration
			for i, p := range sources {
				begun := processCPU()
				for range readings {
					if err := p.Drain(to); err != nil {
						b.Fatal(err)
					}
				}
				spent[i] = processCPU() - begun
				spentNS[i] += spent[i]
			}
			ratios = append(ratios, float64(spent[1])/float64(spent[0]))
		}
	}
	n := float64(b.N * 5 * readings)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(spentNS[0])/n, "ns-in-the-loop")
	b.ReportMetric(float64(spentNS[1])/n, "ns-aside")
	b.ReportMetric(slices.Min(ratios), "ratio-min")
	b.ReportMetric(slices.Max(ratios), "ratio-max")
}
