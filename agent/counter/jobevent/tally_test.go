package jobevent

import (
	"encoding/binary"
	"math"
	"testing"
)

// A count that had the PMU half of the time is doubled, interval by interval.
func TestTallyScales(t *testing.T) {
	var a eventTotal
	for i, c := range []struct{ count, enabled, running, total, wanted, ran uint64 }{
		{1000, 10e6, 10e6, 1000, 10e6, 10e6},
		{1500, 20e6, 15e6, 2000, 10e6, 5e6},
		{1500, 30e6, 15e6, 2000, 10e6, 0}, // the buffer has no room
		{1400, 29e6, 14e6, 2000, 0, 0},    // several tasks are not read at one time
		{2500, 40e6, 25e6, 3000, 10e6, 10e6},
	} {
		if w, r := a.add(c.count, c.enabled, c.running); a.total != c.total || w != c.wanted || r != c.ran {
			t.Errorf("reading %d: total %d, wanted %d, ran %d; want %+v", i, a.total, w, r, c)
		}
	}
	a.restart()
	if a.add(7, 1, 1); a.total != 3007 {
		t.Errorf("total %d after it was opened again", a.total)
	}
}

func FuzzTally(f *testing.F) {
	f.Add(uint64(5), uint64(10), uint64(5), uint64(7), uint64(20), uint64(6))
	f.Add(uint64(math.MaxUint64), uint64(math.MaxUint64), uint64(1), uint64(0), uint64(0), uint64(0))
	f.Fuzz(func(t *testing.T, c1, e1, r1, c2, e2, r2 uint64) {
		const limit = 1 << 60 // 36 years of nanoseconds
		var a eventTotal
		a.add(c1%limit, e1%limit, r1%limit)
		was := a.total
		if w, r := a.add(c2%limit, e2%limit, r2%limit); w > limit || r > limit {
			t.Errorf("wanted %d, ran %d", w, r)
		}
		if a.total < was && was < limit {
			t.Errorf("went back from %d to %d", was, a.total)
		}
	})
}

func FuzzParseReadings(f *testing.F) {
	f.Add(binary.NativeEndian.AppendUint64(nil, 2), 2)
	f.Add(make([]byte, 24), 0)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		counts := make([]uint64, n&63)
		if _, _, err := parseGroup(b, counts); err == nil && len(b) < 24+8*len(counts) {
			t.Error("a short reading was taken")
		}
		if _, _, _, err := parseOne(b); (err == nil) != (len(b) >= 24) {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	})
}
