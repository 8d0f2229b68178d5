package anatomy

// Tally adds up the samples of a run, block by block.
type Tally struct {
	cycles    []Cycles
	spans     []span
	functions []Function
	columns   columns
	parts     []part
	samples   int64
}

// part is CPU seconds by column: of start-up, between, tail or a pattern. Of a pattern
// also by bin of the cycle and by stretch of the run, with the cycles in each, of
// which those count that were seen.
type part struct {
	seconds  seconds
	within   [Bins]seconds
	stretch  [stretches]seconds
	cycles   [stretches]float64
	periodic bool
}

// seconds are those of columns, as far as a column had any.
type seconds []float64

func (s *seconds) add(column int, v float64) {
	for len(*s) <= column {
		*s = append(*s, 0)
	}
	(*s)[column] += v
}

// New returns an empty tally for the given code and cycles. Without cycles all of the run counts as start-up.
func New(code Code, cycles []Cycles) *Tally {
	functions, pages, places := code.numbered()
	t := &Tally{cycles: cycles, spans: spansOf(cycles), functions: functions, columns: newColumns(pages, places)}
	for i := range patterns + len(cycles) {
		t.parts = append(t.parts, part{periodic: i >= patterns})
	}
	return t
}

// Measure adds the CPU time of a block to the cycles whose parts are of CPU time. All blocks are measured before the
// first is added.
func (t *Tally) Measure(b Block) {
	for i, n := range b.Samples {
		if s, _ := locateSlot(t.spans, b.First+int64(i)); s != nil && s.onCPU {
			s.seen++
			s.usedS += float64(n) * b.SampleS
		}
	}
}

// Add adds the samples of a block. Each slot may be added only once. In a slot the pages get at most as many samples as
// the slot has, in the order of the block; the rest count as unlisted. A weight of 0 counts as 1.
func (t *Tally) Add(b Block) {
	weight := b.Weight
	if weight == 0 {
		weight = 1
	}
	sampleS := b.SampleS * weight
	keys := make([]int, len(b.Pages))
	for i, p := range b.Pages {
		keys[i] = t.columns.at(p.Key, p.Part)
	}
	for i, n := range b.Samples {
		slot := b.First + int64(i)
		s, k := locateSlot(t.spans, slot)
		p := &t.parts[k]
		var bins [Bins]float64
		if s != nil {
			p.cycles[s.stretch] += weight / float64(s.end-s.first)
			s.pass(slot, float64(n)*b.SampleS, func(bin int, share float64) { bins[bin] = share })
		}
		rest := int64(n)
		for j, page := range b.Pages {
			if i >= len(page.Counts) || page.Counts[i] == 0 || rest <= 0 {
				continue
			}
			hits := min(rest, int64(page.Counts[i]))
			rest -= hits
			p.addSeconds(s, &bins, keys[j], float64(hits)*sampleS)
			t.columns.listed[keys[j]] += float64(hits) * weight
		}
		if rest > 0 {
			t.columns.listed[unlisted] += float64(rest) * weight
			p.addSeconds(s, &bins, unlisted, float64(rest)*sampleS)
		}
		t.samples += int64(n)
	}
}

// addSeconds adds CPU seconds of a column to the part of the run and, if s is not nil, to the stretch of that cycle and
// to the bins of the cycle. bins has the slot's share in each bin.
func (p *part) addSeconds(s *span, bins *[Bins]float64, column int, seconds float64) {
	p.seconds.add(column, seconds)
	if s == nil {
		return
	}
	p.stretch[s.stretch].add(column, seconds)
	for bin, share := range bins {
		if share > 0 {
			p.within[bin].add(column, seconds*share)
		}
	}
}

// sharing gives the seconds of columns to functions.
type sharing struct {
	functions int
	mixed     []mixture
}

// byFunction returns the seconds of each function: those of each column, divided in the shares of the column's mixture.
func (x sharing) byFunction(columns seconds) []float64 {
	out := make([]float64, x.functions)
	for column, s := range columns {
		if s == 0 {
			continue
		}
		for _, x := range x.mixed[column] {
			out[x.function] += s * x.share
		}
	}
	return out
}

const (
	// aloneShare is the share of the samples of a column from which on its course within a
	// cycle is that of one function.
	aloneShare = 0.9
	// separatedShare is the share of the time of a function that has to lie in such columns for
	// its own course to be known.
	separatedShare = 0.5
)

// secondsAlone returns the seconds of each function in those columns of which it has a share of at least aloneShare.
// Time in other columns is left out.
func (x sharing) secondsAlone(columns seconds) []float64 {
	out := make([]float64, x.functions)
	for column, s := range columns {
		for _, p := range x.mixed[column] {
			if p.share >= aloneShare {
				out[p.function] += s * p.share
			}
		}
	}
	return out
}
