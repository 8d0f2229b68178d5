package profile

import (
	"iter"
	"math"
	"slices"

	"jobgait/analysis/anatomy"
)

// maxBlocksRead is how many blocks of a run Code reads: 400 of 0.5 s take 30 ms of CPU time, however long the
// run was. The first and last 40 of them (edge) are all read, because starting up is short.
const maxBlocksRead, edge = 400, 40

// Code returns the samples of code slot by slot, on the grid of Set, from the file that was loaded. Of a long
// run it reads only some blocks, whose Weight says how many each stands for. It leaves out what cannot be read.
func (l LoadedProfile) Code(path string) iter.Seq[anatomy.Block] {
	return func(yield func(anatomy.Block) bool) {
		rates := newRates(&l.Header, l.Epochs)
		for b, weight := range l.drawBlocks(path) {
			period := rates.periodNS(b.First)
			if period == 0 || b.Samples == nil {
				continue
			}
			out := l.onGrid(b)
			out.SampleS = float64(period) / 1e9
			out.Weight *= weight
			if len(out.Samples) > 0 && !yield(out) {
				return
			}
		}
	}
}

// Growth returns by how much the columns of those names grew, slot by slot on the grid of Set, from the same
// blocks as Code. For a level it returns the level times the slot's duration in seconds, and NaN for an unknown
// column and where the growth is unknown.
func (l LoadedProfile) Growth(path string, names []string) iter.Seq[anatomy.Growth] {
	return func(yield func(anatomy.Growth) bool) {
		at := make([]int, len(names))
		for i, name := range names {
			at[i] = slices.IndexFunc(l.Header.Columns, func(c Column) bool { return c.Name == name })
		}
		for b, weight := range l.drawBlocks(path) {
			out := anatomy.Growth{SlotS: float64(l.grid.merge*l.Header.StepNS) / 1e9, Weight: weight}
			skip, n := l.wholeSamples(b)
			out.First = (b.First - l.grid.first + skip) / l.grid.merge
			for _, column := range at {
				grew := make([]float64, max(0, n))
				for k := range grew {
					end := skip + (int64(k)+1)*l.grid.merge - 1
					if column >= 0 && l.Header.Columns[column].Gauge {
						grew[k] = b.level(column, end) * out.SlotS
					} else {
						grew[k] = b.growth(column, end-l.grid.merge, end)
					}
				}
				out.Columns = append(out.Columns, grew)
			}
			if n > 0 && !yield(out) {
				return
			}
		}
	}
}

// growth returns how much a column grew between the ends of the slots from and to, counted within the block. It
// returns NaN for a negative column or from, if a value is missing, or if the counter fell.
func (b *Block) growth(column int, from, to int64) float64 {
	if column < 0 || from < 0 {
		return math.NaN()
	}
	was, is := b.Columns[column][from], b.Columns[column][to]
	if was == NoValue || is < was { // so that both are values
		return math.NaN()
	}
	return float64(uint64(is) - uint64(was))
}

// level returns the value of a column at the end of a slot, NaN without one.
func (b *Block) level(column int, slot int64) float64 {
	if v := b.Columns[column][slot]; v != NoValue {
		return float64(v)
	}
	return math.NaN()
}

// drawBlocks yields the blocks of the file that was loaded, for a long run the selection of blockWeight, and
// how many blocks each stands for. A block is valid until the next.
func (l LoadedProfile) drawBlocks(path string) iter.Seq2[*Block, float64] {
	return func(yield func(*Block, float64) bool) {
		r, err := Open(path)
		if err != nil {
			return
		}
		defer r.Close()
		d := blockSample{loaded: l, reader: r, every: blocksPerDraw(l.Quality.Blocks)}
		for kind, payload := range r.sampleFrames() {
			if kind == binsFrame && d.weight > 0 {
				d.parts(payload)
			}
			s, ok := slotExtent(payload)
			if kind != blockFrame || !ok || s.first < r.nextSlot {
				r.ignoreFrame()
				continue
			}
			r.acceptUpTo(s.end)
			if d.weight > 0 && !yield(&d.block, d.weight) {
				return
			}
			d.take(s, payload)
		}
		if d.weight > 0 {
			yield(&d.block, d.weight)
		}
	}
}

// blockSample is a pass over the blocks of a file. A block waits for its bins, which follow it.
type blockSample struct {
	loaded   LoadedProfile
	reader   *Reader
	n, every int
	block    Block
	weight   float64 // 0: no block waits
	counts   []uint16
}

// take decodes the next block if it is drawn. d.weight is 0 if the block is not drawn, begins before the
// grid, or cannot be decoded.
func (d *blockSample) take(s slotRange, payload []byte) {
	weight := blockWeight(d.n, d.loaded.Quality.Blocks, d.every)
	d.n++
	if d.weight = 0; weight == 0 || s.first < d.loaded.grid.first {
		return
	}
	b, err := d.reader.decoder.decode(payload, &d.reader.header, false)
	if err == nil {
		d.block, d.weight = b, float64(weight)
	}
}

// parts decodes a bins frame and stores the samples of parts of pages, slot by slot, in the waiting block. The samples
// of a bin count in the slot in which it ended. It ignores bins of another block and malformed ones.
func (d *blockSample) parts(payload []byte) {
	h, b := &d.reader.bins, &d.block
	if h.readHead(payload) != nil || h.first != b.First || h.slots != b.N {
		return
	}
	body, err := d.reader.decoder.inflate(h.body, h.flags)
	if err != nil {
		return
	}
	ends := make([]uint16, h.slots)
	err = h.decodeBody(body, ends, func(c binColumnHead, counts []uint16) {
		if c.part == anatomy.WholePage {
			return
		}
		p := anatomy.Page{Key: c.key, Part: c.part, Counts: make([]uint16, b.N)}
		bin := 0
		for slot, n := range ends {
			for range n {
				p.Counts[slot] += min(counts[bin], math.MaxUint16-p.Counts[slot])
				bin++
			}
		}
		b.parts = append(b.parts, p)
	})
	if err != nil {
		b.parts = nil
	}
}

// blocksPerDraw returns how many consecutive blocks one block that is read stands for, in a run of the given number of
// blocks, between the first and last edge blocks; 1 if all are read.
func blocksPerDraw(blocks int) int {
	return max(1, int(math.Ceil(float64(blocks-2*edge)/(maxBlocksRead-2*edge))))
}

// blockWeight returns how many blocks the i-th block stands for, 0 if another block stands for it. The first
// and last edge blocks stand for themselves. Of each group of every consecutive blocks between them a hash of
// the group's number selects one, so that the selection is the same in each pass and not in step with a
// rhythm of the job.
func blockWeight(i, blocks, every int) int {
	i -= edge
	inner := blocks - 2*edge
	if every == 1 || i < 0 || i >= inner {
		return 1
	}
	group := i / every
	size := min(every, inner-group*every)
	if drawn := int(uint64(group+1) * 0x9e3779b97f4a7c15 >> 33); i%every != drawn%size {
		return 0
	}
	return size
}

// onGrid returns a block's samples on the grid of the set. It leaves out slots at the ends that do not fill a
// sample, and raises Weight to make up for them. Without a whole sample the result is empty.
func (l LoadedProfile) onGrid(b *Block) anatomy.Block {
	first, merge := b.First-l.grid.first, l.grid.merge
	skip, n := l.wholeSamples(b)
	if first < 0 || n <= 0 {
		return anatomy.Block{}
	}
	out := anatomy.Block{First: (first + skip) / merge, Weight: float64(b.N) / float64(n*merge),
		Samples: mergedCounts(b.Samples, skip, n, merge)}
	for _, p := range b.Pages {
		for _, part := range p.apart(b.parts) {
			part.Counts = mergedCounts(part.Counts, skip, n, merge)
			out.Pages = append(out.Pages, part)
		}
	}
	return out
}

// apart divides the samples of a page among its parts and the rest of it. Bins that hold several samples may
// end a slot later than the samples were taken: what a slot has no room for is counted in the next one. The
// counts of parts are changed in place.
func (p PageCount) apart(parts []anatomy.Page) []anatomy.Page {
	rest := slices.Clone(p.Counts)
	var out []anatomy.Page
	for _, part := range parts {
		if part.Key != p.Key {
			continue
		}
		late := 0
		for i, n := range part.Counts {
			here := min(int(n)+late, int(rest[i]))
			late += int(n) - here
			part.Counts[i] = uint16(here)
			rest[i] -= uint16(here)
		}
		out = append(out, part)
	}
	return append(out, anatomy.Page{Key: p.Key, Counts: rest})
}

// wholeSamples returns how many whole samples of the set a block fills, and how many of its slots lie before
// the first.
func (l LoadedProfile) wholeSamples(b *Block) (skip, samples int64) {
	merge := l.grid.merge
	skip = (merge - (b.First-l.grid.first)%merge) % merge
	return skip, (int64(b.N) - skip) / merge
}

// mergedCounts returns n sums of every values each, from index skip on, limited to the largest value of T. If
// every is 1 the result is a part of values.
func mergedCounts[T uint16 | uint32](values []T, skip, n, every int64) []T {
	values = values[skip : skip+n*every]
	if every == 1 {
		return values
	}
	out := make([]T, n)
	for i, v := range values {
		sum := &out[int64(i)/every]
		*sum += min(v, ^T(0)-*sum)
	}
	return out
}
