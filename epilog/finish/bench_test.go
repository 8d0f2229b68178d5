package finish

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/profile"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/summary"
)

// BenchmarkFinish is from a sealed profile to the report and the row in the
// history: the median over all runs, with the fastest and the slowest. Beside it
// stand the two steps that grow with the run, each measured right after the
// whole in the same process: "load" reads the profile, "analyse" finds periods
// and patterns. Six hours (the longest that is not merged) and a day are made only
// when JOBGAIT_BENCH_DAY is set: it takes a minute.
func BenchmarkFinish(b *testing.B) {
	hours := []float64{1. / 60, 1}
	if os.Getenv("JOBGAIT_BENCH_DAY") != "" {
		hours = append(hours, 5.9, 24)
	}
	for _, h := range hours {
		b.Run(fmt.Sprint(time.Duration(h*float64(time.Hour))), func(b *testing.B) {
			s := newSite(b)
			dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: h * 3600, PeriodS: 1.3, Seal: true}, true)
			var whole, load, analyse stopwatch
			for b.Loop() {
				for _, made := range []string{reportedFile, recordFile} {
					if err := os.RemoveAll(dir.Path(made)); err != nil {
						b.Fatal(err)
					}
				}
				whole.measure(func() {
					if err := s.finisher("n1").Finish(context.Background(), dir); err != nil {
						b.Fatal(err)
					}
				})
				var loaded profile.LoadedProfile
				load.measure(func() { loaded, _ = profile.Load(dir.ProfilePath()) })
				p := summary.Default()
				p.Periods.NodeScope = true
				analyse.measure(func() { _, _ = addLoadedProfile(summary.NodeRecord{}, loaded, p) })
			}
			b.ReportMetric(float64(len(whole.wall)), "runs")
			b.ReportMetric(whole.at(0.5), "s")
			b.ReportMetric(whole.at(0), "s-fastest")
			b.ReportMetric(whole.at(1), "s-slowest")
			b.ReportMetric(whole.cpu/float64(len(whole.wall)), "cpu-s")
			b.ReportMetric(load.at(0.5), "s-load")
			b.ReportMetric(load.cpu/float64(len(load.wall)), "cpu-s-load")
			b.ReportMetric(analyse.at(0.5), "s-analyse")
			b.ReportMetric(analyse.cpu/float64(len(analyse.wall)), "cpu-s-analyse")
		})
	}
}

// stopwatch holds the elapsed times of repeated work in seconds, and their total CPU time.
type stopwatch struct {
	wall []float64
	cpu  float64
}

func (w *stopwatch) measure(f func()) {
	start, cpu := time.Now(), cpuTime()
	f()
	w.wall = append(w.wall, time.Since(start).Seconds())
	w.cpu += cpuTime() - cpu
}

// at is a quantile of the times.
func (w *stopwatch) at(q float64) float64 {
	sorted := slices.Sorted(slices.Values(w.wall))
	return sorted[int(q*float64(len(sorted)-1))]
}

// cpuTime is what this process has used, in seconds.
func cpuTime() float64 {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
