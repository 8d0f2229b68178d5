package address

import (
	"math/rand/v2"
	"testing"

	"jobgait/agent/peek"
	"jobgait/agent/rawcall"
)

// BenchmarkHit is what a sample costs the agent beside the taking of it from the
// ring: code of three libraries, half of the samples at sixteen places and the rest
// at 600, as real runs have them.
func BenchmarkHit(b *testing.B) {
	tb := newTable(peek.Direct{Proc: b.TempDir()}, nil)
	tb.hitTable = newHitTable()
	tb.apply(event{kind: execed, pid: 7})
	for i := range uint64(3) {
		tb.apply(event{time: 1, kind: mapped, pid: 7,
			area: area{start: 0x1000000 * (i + 1), end: 0x1000000*(i+1) + 0x400000, file: 5 + i}})
	}
	r := rand.New(rand.NewPCG(1, 2))
	samples := make([]sample, 1<<12)
	for i := range samples {
		n := r.Uint64N(600)
		if i%2 == 0 {
			n %= 16
		}
		samples[i] = user(7, 0x1000000*(n%3+1)+n*6151%0x400000, 2)
	}
	b.ResetTimer()
	before := rawcall.CPU() // elapsed time also counts other work
	for i := range b.N {
		tb.hit(samples[i&(len(samples)-1)])
	}
	b.ReportMetric(float64(rawcall.CPU()-before)/float64(b.N), "cpu-ns/op")
}
