package profile

import (
	"iter"
	"math"
	"slices"

	"jobgait/analysis/anatomy"
)

// mostRead is how many blocks Code reads of a run, 400 of 0.5 s: 30 ms of CPU time
// however long it was. edge is how many of them are the first and the last, which
// stand for themselves: starting up is short.
const mostRead, edge = 400, 40

// Code returns the samples of code slot by slot, on the grid of Set, from the file
// that was loaded. Of a long run some blocks stand for others. What cannot be read is
// left out.
func (l Loaded) Code(path string) iter.Seq[anatomy.Block] {
	return func(yield func(anatomy.Block) bool) {
		rates := newRates(&l.Header, l.Epochs)
		for b, weight := range l.drawn(path) {
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

// Growth returns by how much columns of those names grew, slot by slot on the grid of Set,
// from the blocks of which Code has the samples. Of a level it is the level times the time.
func (l Loaded) Growth(path string, names []string) iter.Seq[anatomy.Growth] {
	return func(yield func(anatomy.Growth) bool) {
		at := make([]int, len(names))
		for i, name := range names {
			at[i] = slices.IndexFunc(l.Header.Columns, func(c Column) bool { return c.Name == name })
		}
		for b, weight := range l.drawn(path) {
			out := anatomy.Growth{SlotS: float64(l.grid.merge*l.Header.StepNS) / 1e9, Weight: weight}
			skip, n := l.whole(b)
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

// growth returns how much a column grew from the end of one slot to the end of another; NaN if either is not in
// the block or the counter was reset.
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

// level is that of a column at the end of a slot, NaN without one.
func (b *Block) level(column int, slot int64) float64 {
	if v := b.Columns[column][slot]; v != NoValue {
		return float64(v)
	}
	return math.NaN()
}

// drawn returns the blocks of the file that was loaded, of a long run some of them, and
// how many each stands for. A block is good until the next.
func (l Loaded) drawn(path string) iter.Seq2[*Block, float64] {
	return func(yield func(*Block, float64) bool) {
		r, err := Open(path)
		if err != nil {
			return
		}
		defer r.Close()
		every, n := stride(l.Quality.Blocks), 0
		for kind, payload := range r.sampled() {
			s, ok := extent(payload)
			if kind != blockFrame || !ok || s.first < r.next {
				r.pass()
				continue
			}
			r.accept(s.end)
			weight := weightOf(n, l.Quality.Blocks, every)
			n++
			if weight == 0 || s.first < l.grid.first {
				continue
			}
			b, err := r.decoder.decode(payload, &r.header, false)
			if err == nil && !yield(&b, float64(weight)) {
				return
			}
		}
	}
}

// stride is how many of the blocks between the edges one stands for.
func stride(blocks int) int {
	return max(1, int(math.Ceil(float64(blocks-2*edge)/(mostRead-2*edge))))
}

// weightOf returns how many blocks the i-th block stands for, 0 if another block stands for it. One of each
// group of consecutive blocks is drawn at random, so that sampling is not in step with a rhythm of the job.
func weightOf(i, blocks, every int) int {
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

// onGrid puts a block on the grid of the set. Slots at its ends that do not fill a
// sample are left out, and the others stand for them.
func (l Loaded) onGrid(b *Block) anatomy.Block {
	first, merge := b.First-l.grid.first, l.grid.merge
	skip, n := l.whole(b)
	if first < 0 || n <= 0 {
		return anatomy.Block{}
	}
	out := anatomy.Block{First: (first + skip) / merge, Weight: float64(b.N) / float64(n*merge),
		Samples: merged(b.Samples, skip, n, merge)}
	for _, p := range b.Pages {
		out.Pages = append(out.Pages, anatomy.Page{Key: p.Key, Counts: merged(p.Counts, skip, n, merge)})
	}
	return out
}

// whole is how many samples a block fills, and how many slots lie before the first.
func (l Loaded) whole(b *Block) (skip, samples int64) {
	merge := l.grid.merge
	skip = (merge - (b.First-l.grid.first)%merge) % merge
	return skip, (int64(b.N) - skip) / merge
}

// merged returns n sums of every values each.
func merged[T uint16 | uint32](values []T, skip, n, every int64) []T {
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
