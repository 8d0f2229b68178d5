package sampler

import (
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/agent/profile"
)

const step = 5_000_000

func TestGridSlots(t *testing.T) {
	g := NewGrid(step, 12_345_678)
	if g.BaseNS != 10_000_000 {
		t.Fatalf("base %d", g.BaseNS)
	}
	for _, c := range []struct{ t, slot int64 }{
		{10_000_000, 0}, {14_999_999, 0}, {15_000_000, 1}, {9_999_999, -1}, {5_000_000, -1}, {4_999_999, -2},
	} {
		if got := g.Slot(c.t); got != c.slot {
			t.Errorf("slot of %d: %d, want %d", c.t, got, c.slot)
		}
	}
	if g.End(0) != g.Start(1) {
		t.Error("a slot does not end where the next begins")
	}
}

func newTest(addresses bool, shapes ...Shape) *Sampler {
	return New(Grid{StepNS: step}, addresses, shapes...)
}

// emit returns all that is complete, copied.
func emit(s *Sampler, now int64) (blocks []profile.Block) {
	var b profile.Block
	for s.Emit(now, &b) {
		c := b
		c.Columns, c.Samples, c.Pages = nil, slices.Clone(b.Samples), nil
		for _, col := range b.Columns {
			c.Columns = append(c.Columns, slices.Clone(col))
		}
		for _, p := range b.Pages {
			c.Pages = append(c.Pages, profile.PageCount{Key: p.Key, Counts: slices.Clone(p.Counts)})
		}
		blocks = append(blocks, c)
	}
	return blocks
}

func column(blocks []profile.Block, c int) (values []int64) {
	for _, b := range blocks {
		values = append(values, b.Columns[c]...)
	}
	return values
}

// A count that grows evenly is even on the grid, whatever the phases.
func TestInterpolationOfUnequalPhases(t *testing.T) {
	s := newTest(false, Shape{Columns: 1, Lanes: 3, PeriodNS: step})
	tr := s.Track(0)
	for lane, phase := range []int64{0, 1_530_000, 4_999_999} {
		tr.Read(lane, 0, []uint64{1000})
		for i := range int64(100) {
			at := i*step + phase
			if at > 0 {
				tr.Record(lane, at, []uint64{1000 + uint64(at/1000)})
			}
		}
	}
	got := column(emit(s, 80*step+EmitDelayNS), 0)
	if len(got) != 80 {
		t.Fatalf("%d slots, want 80", len(got))
	}
	for i, v := range got {
		// One per microsecond on three lanes; each lane rounds down.
		if want := int64(i+1) * 5000 * 3; v < want-3 || v > want {
			t.Fatalf("slot %d: %d, want %d", i, v, want)
		}
	}
}

// Whatever the order of lanes, the jitter and the gaps: at the end of a slot
// in which every lane has a record at that very time the sum is exact, and
// it never goes back.
func TestTotalsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 50 {
		const lanes = 4
		s := newTest(false, Shape{Columns: 2, Lanes: lanes, PeriodNS: step})
		tr := s.Track(0)
		var truth [2]uint64
		for _, lane := range r.Perm(lanes) {
			counts := []uint64{r.Uint64N(1 << 60), r.Uint64N(1 << 60)}
			first := slices.Clone(counts)
			tr.Read(lane, 1+r.Int64N(step-1), counts)
			for now := int64(step); now < 200*step; {
				counts[0] += r.Uint64N(1 << 34)
				counts[1] += r.Uint64N(3)
				now += 1 + r.Int64N(4*step)
				tr.Record(lane, min(now, 200*step), counts)
			}
			truth[0] += counts[0] - first[0]
			truth[1] += counts[1] - first[1]
		}
		blocks := emit(s, 200*step+EmitDelayNS)
		for c := range truth {
			got := column(blocks, c)
			if !slices.IsSorted(got) || got[0] < 0 {
				t.Fatalf("round %d: column %d goes back", round, c)
			}
			if last := got[len(got)-1]; len(got) != 200 || last != int64(truth[c]) {
				t.Fatalf("round %d: column %d of %d slots ends at %d, want %d", round, c, len(got), last, truth[c])
			}
		}
	}
}

func TestSlotThatALaneHasNotReachedHasNoValue(t *testing.T) {
	s := newTest(false, Shape{Columns: 1, Lanes: 2})
	tr := s.Track(0)
	tr.Read(0, 0, []uint64{0})
	tr.Read(1, 0, []uint64{0})
	tr.Read(0, 10*step, []uint64{10})
	tr.Read(1, 5*step, []uint64{5})
	got := column(emit(s, 10*step+EmitDelayNS), 0)
	if got[4] != 10 || got[5] != profile.NoValue {
		t.Errorf("slots 4 and 5: %d, %d", got[4], got[5])
	}
}

// A slot for which a lane gave no record is missing if more than 1 % of it may lie in
// another slot: 50 us of 5 ms of one other lane.
func TestMissing(t *testing.T) {
	for _, c := range []struct {
		name    string
		counts  uint64 // of the record after the gap, in us of CPU time
		read    int64  // requested reading in slot, 0 for none
		missing int64
	}{
		{"moved by 60 us a slot", 5 + 600, 0, 9},
		{"moved by 40 us a slot", 5 + 400, 0, 0},
		{"stood still", 5, 0, 0},
		{"moved, closed by a reading", 5 + 600, 6, 9},
	} {
		s := newTest(false, Shape{Columns: 1, Lanes: 2, PeriodNS: step, CPUNS: []float64{1000}})
		tr := s.Track(0)
		for i := range int64(20) {
			tr.Record(1, i*step, []uint64{uint64(i)})
		}
		tr.Record(0, 0, []uint64{5})
		if c.read > 0 {
			tr.Read(0, c.read*step, []uint64{5 + (c.counts-5)*uint64(c.read)/10})
		}
		tr.Record(0, 10*step+100, []uint64{c.counts})
		tr.Record(0, 11*step+100, []uint64{c.counts + 1})
		blocks := emit(s, 11*step+EmitDelayNS)
		if len(blocks) != 1 || blocks[0].UncertainSlots != c.missing {
			t.Errorf("%s: missing %d, want %d", c.name, blocks[0].UncertainSlots, c.missing)
		}
	}
}

// How many CPUs are idle and silent does not matter, what they count does: of 16 and of 128
// CPUs one is busy, CPU 0 writes records though it is idle, and the others none between two
// drains, in which each switches tasks some times.
func TestSilentCPUs(t *testing.T) {
	const slots = 1000
	for _, c := range []struct {
		lanes, perDrain int
		missing         bool
	}{{16, 10, false}, {128, 10, false}, {128, 1000, true}} {
		s := newTest(false, Shape{Columns: 1, Lanes: c.lanes, PeriodNS: step, CPUNS: []float64{3000}})
		counts, missing := make([]uint64, c.lanes), int64(0)
		for lane := range counts {
			s.Track(0).Read(lane, 0, []uint64{0})
		}
		for i := int64(1); i <= slots; i++ {
			counts[1]++
			s.Track(0).Record(0, i*step, []uint64{0})
			s.Track(0).Record(1, i*step, []uint64{counts[1]})
			if i%100 > 0 {
				continue
			}
			for lane := 2; lane < c.lanes; lane++ {
				counts[lane] += uint64(c.perDrain)
				s.Track(0).Read(lane, i*step, []uint64{counts[lane]})
			}
			for _, b := range emit(s, i*step) {
				missing += b.UncertainSlots
			}
		}
		uncertain := s.Track(0).UncertainShares()[0]
		t.Logf("%d CPUs, %d switches a drain: %d of %d slots missing, %.0f %% of the switches uncertain", c.lanes, c.perDrain,
			missing, slots, 100*uncertain)
		if c.missing != (missing > slots/2) || !c.missing && missing > slots/50 || uncertain <= 0 || uncertain > 1 {
			t.Errorf("%d CPUs: %d missing, %g uncertain", c.lanes, missing, uncertain)
		}
	}
}

func TestHitsGoToTheirSlots(t *testing.T) {
	s := newTest(true, Shape{Lanes: 2})
	tr := s.Track(0)
	// CPUs come one after the other, so times go back.
	for _, h := range []struct {
		slot int64
		page uint64
	}{{0, 7}, {1, 7}, {3, 9}, {0, 9}, {1, 7}, {30, 7}} {
		tr.Hit(h.slot*step+1, h.page, 0)
	}
	safe := EmitDelayNS
	blocks := emit(s, 10*step+safe)
	b := blocks[0]
	if !slices.Equal(b.Samples[:4], []uint32{2, 2, 0, 1}) {
		t.Errorf("samples %v", b.Samples)
	}
	if len(b.Pages) != 2 || b.Pages[0].Key != 7 || !slices.Equal(b.Pages[0].Counts[:4], []uint16{1, 2, 0, 0}) {
		t.Errorf("pages %v", b.Pages)
	}
	// The late one is lost, the early one waits.
	tr.Hit(2*step, 7, 0)
	b = emit(s, 40*step+safe)[0]
	if b.First != 10 || b.Samples[20] != 1 || b.LostRecords != 1 {
		t.Errorf("second block: first %d, samples %v, lost %d", b.First, b.Samples, b.LostRecords)
	}
}

func TestOnlyTheHottestPagesAreKept(t *testing.T) {
	s := newTest(true, Shape{Lanes: 1})
	tr := s.Track(0)
	for page := range uint64(100) {
		for range page + 1 {
			tr.Hit(step, 1000+page, 0)
		}
	}
	b := emit(s, 5*step+EmitDelayNS)[0]
	if len(b.Pages) != profile.MaxPages || b.Pages[0].Key != 1099 || b.Samples[1] != 5050 {
		t.Fatalf("%d pages, first %d, samples %d", len(b.Pages), b.Pages[0].Key, b.Samples[1])
	}
	for i, p := range b.Pages {
		if int(p.Counts[1]) != 100-i {
			t.Errorf("page %d: %d hits", p.Key, p.Counts[1])
		}
	}
}

// An agent that was not run for longer than the window leaves a gap and keeps
// the counts.
func TestStarvationLeavesAGap(t *testing.T) {
	s := newTest(true, Shape{Columns: 1, Lanes: 1, PeriodNS: step}, Shape{Lanes: 1})
	tr := s.Track(0)
	tr.Read(0, 0, []uint64{0})
	tr.Record(0, step, []uint64{1})
	const long = 100_000
	tr.Read(0, long*step, []uint64{long})
	s.Track(1).Hit((long-1)*step, 7, 0) // beyond the window: lost
	blocks := emit(s, long*step)
	last := blocks[len(blocks)-1]
	if end := last.First + int64(last.N); end != 4096 {
		t.Errorf("blocks end at slot %d, want the window's 4096", end)
	}
	if blocks[0].LostRecords != 1 {
		t.Errorf("lost %d, want 1", blocks[0].LostRecords)
	}
	tr.Record(0, (long+100)*step, []uint64{long + 100})
	blocks = emit(s, (long+100)*step)
	if first := blocks[0].First; first != long-20 {
		t.Errorf("goes on at slot %d, want %d", first, long-20)
	}
	got := column(blocks, 0)
	if v := got[len(got)-1]; v != long+80 {
		t.Errorf("count %d, want %d", v, long+80)
	}
}

func TestSkipStartsCleanly(t *testing.T) {
	s := newTest(true, Shape{Columns: 1, Lanes: 1, PeriodNS: step}, Shape{Lanes: 1})
	tr := s.Track(0)
	tr.Read(0, 0, []uint64{0})
	tr.Record(0, 10*step, []uint64{10})
	s.Track(1).Hit(5*step, 7, 0)
	s.Skip(1000)
	tr.Read(0, 1000*step, []uint64{10})
	tr.Record(0, 1010*step, []uint64{30})
	b := emit(s, 1010*step+EmitDelayNS)[0]
	if b.First != 1000 || b.Samples[0] != 0 || len(b.Pages) != 0 {
		t.Errorf("first %d, samples %v", b.First, b.Samples)
	}
	if b.Columns[0][4] != 20 || b.Columns[0][9] != 30 {
		t.Errorf("counts %v", b.Columns[0])
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	s := newTest(true, Shape{Columns: 3, Lanes: 2, PeriodNS: step}, Shape{Lanes: 2})
	counts := []uint64{0, 0, 0}
	var b profile.Block
	slot := int64(0)
	second := func() {
		for range 200 {
			slot++
			counts[0]++
			for lane := range 2 {
				s.Track(0).Record(lane, slot*step, counts)
				for k := range int64(5) {
					s.Track(1).Hit(slot*step+k, uint64(100+k), 0)
				}
			}
		}
		for s.Emit(slot*step, &b) {
		}
	}
	for range 5 {
		second()
	}
	if n := testing.AllocsPerRun(20, second); n > 0 {
		t.Errorf("%v allocations a second", n)
	}
}

func BenchmarkSecondOf128CPUs(b *testing.B) {
	s := newTest(true, Shape{Columns: 5, Lanes: 128, PeriodNS: step}, Shape{Lanes: 128})
	counts := make([]uint64, 5)
	var block profile.Block
	slot := int64(0)
	for b.Loop() {
		for range 200 {
			slot++
			counts[0] += 1000
			for lane := range 128 {
				s.Track(0).Record(lane, slot*step+100, counts)
				if (lane+int(slot))%2 == 0 {
					s.Track(1).Hit(slot*step+1000, uint64(lane&15), 0)
				}
			}
		}
		for s.Emit(slot*step, &block) {
		}
	}
}
