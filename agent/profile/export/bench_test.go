package export

import (
	"io"
	"runtime"
	"testing"
)

// counting counts bytes and measures the heap as they arrive.
type counting struct {
	n, seen int64
	top     uint64
}

func (c *counting) Write(p []byte) (int, error) {
	if c.n += int64(len(p)); c.n-c.seen > 1<<18 {
		c.seen = c.n
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		c.top = max(c.top, m.HeapInuse)
	}
	return len(p), nil
}

var _ io.Writer = (*counting)(nil)

// BenchmarkExport prints how fast profiles of 10 minutes and of an hour are
// written, and the largest heap.
func BenchmarkExport(b *testing.B) {
	for _, form := range []struct {
		name   string
		format Format
		column string
	}{{"csv", CSV, ""}, {"f32", Float32, "ipc"}} {
		for name, seconds := range map[string]float64{"10min": 600, "1h": 3600} {
			b.Run(form.name+"/"+name, func(b *testing.B) {
				path := synthetic(b, seconds)
				var out counting
				for b.Loop() {
					runtime.GC()
					if _, err := Write(&out, path, ExportOptions{Format: form.format, Column: form.column}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(out.top)/1e6, "peak-MB")
				b.ReportMetric(float64(out.n)/float64(b.N)/1e6, "MB")
			})
		}
	}
}
