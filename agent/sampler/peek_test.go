package sampler

import (
	"slices"
	"testing"

	"jobgait/agent/profile"
)

// What a look shows is what is emitted later, slot for slot, whether anybody looked or
// not; slots that are too young, or were shown, are not shown.
func TestALookTakesNothing(t *testing.T) {
	run := func(look bool) (seen, out []uint32, counts, peeked []int64) {
		s := New(Grid{StepNS: step}, true, Shape{Columns: 1, Lanes: 1, PeriodNS: step})
		next := int64(0)
		for now := int64(1); now <= 200; now++ {
			s.Track(0).Record(0, now*step, []uint64{uint64(now * now)})
			for k := range now % 3 {
				s.Track(0).Hit(now*step-step/2+k, uint64(7+k), 0)
			}
			if look && now%7 == 0 {
				var b profile.Block
				for s.Peek(next, now*step, &b) {
					if b.First != next || b.First+int64(b.N) > now {
						t.Fatalf("at slot %d: %d slots from %d on", now, b.N, b.First)
					}
					next = b.First + int64(b.N)
					seen, peeked = append(seen, b.Samples...), append(peeked, b.Columns[0]...)
					for i := range b.N {
						sum := 0
						for _, p := range b.Pages {
							sum += int(p.Counts[i])
						}
						if sum != int(b.Samples[i]) {
							t.Fatalf("pages of slot %d have %d of %d", b.First+int64(i), sum, b.Samples[i])
						}
					}
				}
			}
			if now%50 == 0 {
				for _, b := range emit(s, now*step) {
					out, counts = append(out, b.Samples...), append(counts, column([]profile.Block{b}, 0)...)
				}
			}
		}
		return seen, out, counts, peeked
	}
	seen, out, counts, peeked := run(true)
	_, alone, aloneCounts, _ := run(false)
	if !slices.Equal(out, alone) || !slices.Equal(counts, aloneCounts) {
		t.Error("to look changed what is written")
	}
	n := len(out)
	if len(seen) < n || !slices.Equal(seen[:n], out) || !slices.Equal(peeked[:n], counts) {
		t.Errorf("%d slots seen, %d written: %v, %v", len(seen), n, seen[:20], out[:20])
	}
	if len(seen) < 190 {
		t.Errorf("%d slots of 200 seen", len(seen))
	}
}
