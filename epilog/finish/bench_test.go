package finish

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"jobgait/agent/profile/profiletest"
)

// BenchmarkFinish is from a sealed profile to the report and the row in the
// history. The day is made only when JOBGAIT_BENCH_DAY is set: it takes minutes.
func BenchmarkFinish(b *testing.B) {
	hours := []float64{1. / 60, 1}
	if os.Getenv("JOBGAIT_BENCH_DAY") != "" {
		hours = append(hours, 24)
	}
	for _, h := range hours {
		b.Run(fmt.Sprint(time.Duration(h*float64(time.Hour))), func(b *testing.B) {
			s := newSite(b)
			dir := s.run("n1", "n1", seven, profiletest.Options{Seconds: h * 3600, PeriodS: 1.3, Seal: true}, true)
			for b.Loop() {
				if err := os.RemoveAll(dir.Path(reportedFile)); err != nil {
					b.Fatal(err)
				}
				if err := s.finisher("n1").Finish(context.Background(), dir); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
