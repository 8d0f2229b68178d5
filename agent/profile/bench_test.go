package profile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"jobgait/agent/profile"
	"jobgait/agent/profile/profiletest"
)

// hours are the lengths that Read and Load are measured with. A day takes
// half a minute to make: JOBGAIT_BENCH_DAY=1 adds it.
func hours() map[string]float64 {
	h := map[string]float64{"1h": 3600}
	if os.Getenv("JOBGAIT_BENCH_DAY") != "" {
		h["24h"] = 86400
	}
	return h
}

func synthetic(b *testing.B, seconds float64) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "profile.jgp")
	err := profiletest.Write(path, profiletest.Options{Seconds: seconds, PeriodS: 0.8, Seal: true})
	if err != nil {
		b.Fatal(err)
	}
	return path
}

// peak runs f and returns the largest heap seen meanwhile, in MB.
func peak(f func()) float64 {
	runtime.GC()
	done, largest := make(chan struct{}), make(chan uint64)
	go func() {
		top := uint64(0)
		var m runtime.MemStats
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			runtime.ReadMemStats(&m)
			top = max(top, m.HeapInuse)
			select {
			case <-done:
				tick.Stop()
				largest <- top
				return
			case <-tick.C:
			}
		}
	}()
	f()
	close(done)
	return float64(<-largest) / 1e6
}

func BenchmarkLoad(b *testing.B) {
	for name, seconds := range hours() {
		b.Run(name, func(b *testing.B) {
			path := synthetic(b, seconds)
			info, _ := os.Stat(path)
			top := 0.0
			for b.Loop() {
				top = max(top, peak(func() {
					if _, err := profile.Load(path, profile.Default()); err != nil {
						b.Fatal(err)
					}
				}))
			}
			b.ReportMetric(top, "peak-MB")
			b.ReportMetric(float64(info.Size())/seconds, "bytes/s-of-run")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for name, seconds := range hours() {
		b.Run(name, func(b *testing.B) {
			path := synthetic(b, seconds)
			top := 0.0
			for b.Loop() {
				top = max(top, peak(func() {
					if _, err := profile.Read(path); err != nil {
						b.Fatal(err)
					}
				}))
			}
			b.ReportMetric(top, "peak-MB")
		})
	}
}

// BenchmarkAppend is what the agent pays for one second of a profile.
func BenchmarkAppend(b *testing.B) {
	p, err := profile.Read(synthetic(b, 10))
	if err != nil {
		b.Fatal(err)
	}
	w, err := profile.Create(filepath.Join(b.TempDir(), "profile.jgp"), p.Header)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	block := p.Blocks[5]
	for b.Loop() {
		if err := w.Append(block); err != nil {
			b.Fatal(err)
		}
		block.First += int64(block.N)
	}
}
