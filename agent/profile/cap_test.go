package profile

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/note"
)

// A profile stays within its size: it continues at 20 Hz, then at 1 Hz, then stops, each time with room for the
// footer.
func TestSizeCap(t *testing.T) {
	const limit = 400_000
	rng := rand.New(rand.NewPCG(9, 9))
	d := &disk{room: 1 << 30}
	h := testHeader(Column{Name: "a", Scope: "node"}, Column{Name: "memory", Gauge: true})
	w, err := newWriter(d, "p", h, WriterOptions{MaxBytes: limit})
	if err != nil {
		t.Fatal(err)
	}
	at, full := int64(0), error(nil)
	samples, first, last := uint64(0), map[int]int64{}, int64(0)
	for k := int64(0); full == nil; k++ {
		b := noisy(rng, k, &at)
		if full = w.Append(b); full == nil {
			samples += sum(b.Samples)
			last = b.Columns[0][b.N-1]
			every := max(1, w.limits.stages[w.limits.stageIndex].mergedSlots)
			if _, ok := first[every]; !ok {
				first[every] = k
			}
		}
		if k > 100_000 {
			t.Fatal("it never fills up")
		}
	}
	if !errors.Is(full, ErrFull) || len(d.data) > limit || len(first) != 3 {
		t.Fatalf("%v at %d bytes, %v", full, len(d.data), first)
	}
	if err := w.Seal(Footer{Reason: "spool_full"}); err != nil || len(d.data) > limit {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(d.data))
	if err != nil {
		t.Fatal(err)
	}
	p := r.ReadAll()
	if len(p.Epochs) != 2 || p.Epochs[0].Kind != "size" || p.Epochs[0].Slot != first[10]*200 ||
		p.Epochs[1].Slot != first[200]*200 {
		t.Fatalf("%+v, stages %v", p.Epochs, first)
	}
	kept := uint64(0)
	for _, b := range p.Blocks {
		kept += sum(b.Samples)
	}
	l, err := LoadStream(bytes.NewReader(d.data))
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Totals; kept != samples || got[1].Total != float64(last) || p.Footer == nil || p.Damage != (Damage{}) {
		t.Errorf("%d samples of %d, totals %v, last %d, %+v", kept, samples, got, last, p.Damage)
	}
	steps := 0
	c, _ := l.Set.Column("a")
	for i := int(first[10]) * 200; i < int(first[200])*200; i += 10 {
		// A group's first slot is known too: its rate may differ.
		for _, v := range c.Values[i+2 : i+10] {
			if d := v - c.Values[i+1]; d > 400 || d < -400 { // a count more or less
				t.Fatalf("slot %d: rates %v", i, c.Values[i:i+10])
			}
		}
		steps++
	}
	if notes := l.Header.Notes; steps < 100 || len(notes) != 2 || notes[0].Code != note.SizeLowered {
		t.Errorf("%d steps, %v", steps, notes)
	}
}

// noisy is a second of samples that do not compress well.
func noisy(rng *rand.Rand, k int64, at *int64) Block {
	b := Block{First: k * 200, N: 200, Columns: make([][]int64, 2), Pages: []PageCount{{Key: 7}, {Key: 8}}}
	for range b.N {
		*at += 1e6 + rng.Int64N(1e6)
		b.Columns[0] = append(b.Columns[0], *at)
		b.Columns[1] = append(b.Columns[1], rng.Int64N(1e9))
		hits := uint16(rng.IntN(5))
		b.Samples = append(b.Samples, uint32(hits)+uint32(rng.IntN(9)))
		b.Pages[0].Counts = append(b.Pages[0].Counts, hits/2)
		b.Pages[1].Counts = append(b.Pages[1].Counts, hits-hits/2)
	}
	return b
}

// Merged blocks of any shape come back with their sums and ends.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for range 300 {
		b := randomBlock(rng, 3)
		every := 2 + rng.IntN(70)
		b.Pages = b.Pages[:min(1, len(b.Pages))]
		for i := range b.Samples {
			b.Samples[i] %= 1 << 20
		}
		for _, p := range b.Pages {
			for i := range p.Counts {
				p.Counts[i] %= 900
			}
		}
		var m merger
		merged := m.merge(b, every)
		e := lossless(t, 3)
		got, err := decoderOf(t).decode(e.appendBlock(nil, &merged), e.header, false)
		if err != nil || got.N != b.N || got.MergedSlots != every {
			t.Fatalf("%+v: %v", got, err)
		}
		if sum(got.Samples) != sum(b.Samples) || (got.Samples == nil) != (b.Samples == nil) {
			t.Fatalf("%d samples of %d", sum(got.Samples), sum(b.Samples))
		}
		for i, p := range got.Pages {
			if sum(p.Counts) != sum(b.Pages[i].Counts) {
				t.Fatalf("page %d: %d of %d", i, sum(p.Counts), sum(b.Pages[i].Counts))
			}
		}
		for c, in := range b.Columns {
			out := got.Columns[c]
			for i := range in {
				if end := i == 0 || i == b.N-1 || (i+1)%every == 0; end && out[i] != in[i] {
					t.Fatalf("column %d, slot %d of %d by %d: %d, not %d", c, i, b.N, every, out[i], in[i])
				}
			}
			if neverFalls(in) && !slices.Contains(in, NoValue) && !neverFalls(out) {
				t.Fatalf("%v runs backwards", out)
			}
		}
	}
}
