package profile_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

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

// kinds are the synthetic node with and without code addresses.
var kinds = []struct {
	name      string
	addressHz float64
}{{"columns", -1}, {"addresses", 1000}}

func synthetic(b *testing.B, seconds, addressHz float64, slots int, lossless bool) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "profile.jgp")
	err := profiletest.Write(path,
		profiletest.SyntheticRun{Seconds: seconds, PeriodS: 0.8, AddressHz: addressHz, Slots: slots, Lossless: lossless,
			Seal: true})
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

// cpuTime is what this process has used, in seconds.
func cpuTime() float64 {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func BenchmarkLoad(b *testing.B) {
	for name, seconds := range hours() {
		b.Run(name, func(b *testing.B) {
			path := synthetic(b, seconds, 1000, 200, false)
			top, cpu := 0.0, cpuTime()
			for b.Loop() {
				top = max(top, peak(func() {
					if _, err := profile.Load(path); err != nil {
						b.Fatal(err)
					}
				}))
			}
			b.ReportMetric(top, "peak-MB")
			b.ReportMetric((cpuTime()-cpu)/float64(b.N), "cpu-s")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	path := synthetic(b, 3600, 1000, 200, false)
	top := 0.0
	for b.Loop() {
		top = max(top, peak(func() {
			if _, err := profile.Read(path); err != nil {
				b.Fatal(err)
			}
		}))
	}
	b.ReportMetric(top, "peak-MB")
}

// BenchmarkSize prints what 24 hours take, from 10 minutes: every block stands
// for itself, so that size is linear in time (5 minutes are printed as the
// share that they have of 10). Blocks have a second; those of 0.8 s, which the
// agent writes, have a line of their own.
func BenchmarkSize(b *testing.B) {
	for _, kind := range kinds {
		whole := readAll(b, synthetic(b, 600, kind.addressHz, 200, true))
		short := readAll(b, synthetic(b, 600, kind.addressHz, 160, true))
		for _, c := range []struct {
			name    string
			options profile.WriterOptions
			from    *profile.Profile
		}{
			{"rounded", profile.WriterOptions{}, whole}, {"rounded-0.8s", profile.WriterOptions{}, short},
			{"lossless", profile.WriterOptions{Lossless: true}, whole},
		} {
			b.Run(kind.name+"/"+c.name, func(b *testing.B) {
				size, half := 0.0, 0.0
				for b.Loop() {
					size, half = rewrite(b, c.from, c.options)
				}
				b.ReportMetric(size/600*86400/1e6, "MB/24h")
				b.ReportMetric(size/120_000, "bytes/row")
				b.ReportMetric(half/size, "half")
			})
		}
	}
}

func readAll(b *testing.B, path string) *profile.Profile {
	b.Helper()
	p, err := profile.Read(path)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// rewrite returns how long a profile is, and how long it was in the middle.
func rewrite(b *testing.B, p *profile.Profile, o profile.WriterOptions) (size, half float64) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "again.jgp")
	_ = os.Remove(path)
	w, err := profile.Create(path, p.Header, o)
	if err != nil {
		b.Fatal(err)
	}
	for k, block := range p.Blocks {
		if k == len(p.Blocks)/2 {
			half = lengthOf(b, path)
		}
		if err := w.Append(block); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return lengthOf(b, path), half
}

func lengthOf(b *testing.B, path string) float64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return float64(info.Size())
}

// BenchmarkEncode is what the agent pays: the CPU time of Append, with the write
// to a file, as a share of the second that a block stands for.
func BenchmarkEncode(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			p := readAll(b, synthetic(b, 60, kind.addressHz, 200, true))
			w, err := profile.Create(filepath.Join(b.TempDir(), "again.jgp"), p.Header)
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			next, blocks, cpu := int64(0), 0, cpuTime()
			for b.Loop() {
				for range 10 {
					for _, block := range p.Blocks {
						block.First = next
						next += int64(block.N)
						blocks++
						if err := w.Append(block); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
			perBlock := (cpuTime() - cpu) / float64(blocks)
			b.ReportMetric(100*perBlock, "%core")
			b.ReportMetric(perBlock/200*1e9, "cpu-ns/row")
		})
	}
}

// BenchmarkDecode is the rate of raw samples, 8 bytes for each value of each
// column, pages not counted.
func BenchmarkDecode(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			path := synthetic(b, 600, kind.addressHz, 200, false)
			decode(b, path) // the file is in memory
			raw, best, cpu, start := 0.0, 0.0, cpuTime(), time.Now()
			for b.Loop() {
				began := time.Now()
				mb := decode(b, path) / 1e6
				raw += mb
				best = max(best, mb/time.Since(began).Seconds())
			}
			b.ReportMetric(raw/time.Since(start).Seconds(), "MB/s")
			b.ReportMetric(raw/(cpuTime()-cpu), "MB/cpu-s")
			b.ReportMetric(best, "best-MB/s")
		})
	}
}

// decode returns how many bytes of raw samples a profile has.
func decode(b *testing.B, path string) (bytes float64) {
	r, err := profile.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for {
		block, err := r.Next()
		if err == io.EOF {
			return bytes
		}
		bytes += float64(8 * block.N * len(block.Columns))
	}
}

// BenchmarkCap prints how long a profile goes on within its size. Each stage has
// a fixed share of the size, so that hours are in proportion to it: 8 MB are
// filled, and the hours are those of 500 MB, which the agent has by default.
func BenchmarkCap(b *testing.B) {
	const limit, shipped = 8e6, 500e6
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			p := readAll(b, synthetic(b, 60, kind.addressHz, 160, true))
			hours := 0.0
			for b.Loop() {
				path := filepath.Join(b.TempDir(), strconv.FormatUint(rand.Uint64(), 36))
				w, err := profile.Create(path, p.Header, profile.WriterOptions{MaxBytes: limit})
				if err != nil {
					b.Fatal(err)
				}
				slots := int64(0)
				for k := 0; err == nil; k++ {
					block := p.Blocks[k%(len(p.Blocks)-1)] // the last one is short
					block.First = slots
					if err = w.Append(block); err == nil {
						slots += int64(block.N)
					}
				}
				if !errors.Is(err, profile.ErrFull) || lengthOf(b, path) > limit {
					b.Fatal(err, lengthOf(b, path))
				}
				_ = w.Close()
				_ = os.Remove(path)
				hours = float64(slots) * 0.005 / 3600 * shipped / limit
			}
			b.ReportMetric(hours, "hours-of-500MB")
			b.ReportMetric(192/hours*shipped/1e6, "MB-for-192h")
		})
	}
}
