package profile

import (
	"path/filepath"
	"testing"
)

// Merged blocks represent all blocks they were merged from; at the ends each block represents itself.
func TestEveryBlockIsRepresented(t *testing.T) {
	for _, blocks := range []int{0, 1, 79, 80, 81, 399, 400, 401, 1000, 6001, 150_000} {
		sum, read, every := 0, 0, blocksPerDraw(blocks)
		for i := range blocks {
			w := blockWeight(i, blocks, every)
			if sum += w; w > 0 {
				read++
			}
			if w != 1 && (i < edge || i >= blocks-edge) {
				t.Fatalf("%d blocks: block %d stands for %d", blocks, i, w)
			}
		}
		if sum != blocks || read > maxBlocksRead+1 {
			t.Errorf("%d blocks: %d read, which stand for %d", blocks, read, sum)
		}
	}
}

// The samples slot by slot are those of the file, whatever part of it is read, on the
// grid of the set.
func TestSamplesOfCodeAreOnTheGridOfTheSet(t *testing.T) {
	const blocks, slots = 1000, 50
	path := filepath.Join(t.TempDir(), "p.jgp")
	w, err := Create(path, Header{StepNS: 5e6, AddressHz: 1000, CPUs: 2}, WriterOptions{Lossless: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range blocks {
		b := Block{First: int64(3 + i*slots), N: slots, Samples: make([]uint32, slots),
			Pages: []PageCount{{Key: 9, Counts: make([]uint16, slots)}}}
		for k := range slots {
			at := b.First + int64(k)
			b.Samples[k], b.Pages[0].Counts[k] = uint32(at%7), uint16(at%7/2)
		}
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	for _, p := range []columnLimits{defaultLimits(), {defaultLimits().pages, blocks * slots}} {
		l, err := loadFile(path, p)
		if err != nil {
			t.Fatal(err)
		}
		busy, _ := l.Set.Column("busy_cpus")
		page, _ := l.Set.Column("code:0000000000000009")
		weight, seconds := 0.0, 0.0
		for b := range l.Code(path) {
			weight += b.Weight
			for i, n := range b.Samples {
				at := int(b.First) + i
				seconds += float64(n) * b.SampleS * b.Weight
				if want := busy.Values[at] * float32(l.Set.StepS) / float32(b.SampleS); float32(n) < want-.01 || float32(n) > want+
					.01 || float32(b.Pages[0].Counts[i]) != page.Values[at] {
					t.Fatalf("step %g s, sample %d: %d hits, %d of the page, not %g and %g", l.Set.StepS, at, n, b.Pages[0].Counts[i],
						want, page.Values[at])
				}
			}
		}
		if whole := float64(blocks*slots) * 3 * .001; weight < blocks-.01 || seconds < .99*whole || seconds > 1.01*whole {
			t.Errorf("step %g s: %g blocks, %g s of %g", l.Set.StepS, weight, seconds, whole)
		}
	}
}
