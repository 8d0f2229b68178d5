package anatomy

// Tally adds up the samples of a run, block by block.
type Tally struct {
	cycles    []Cycles
	spans     []span
	functions []Function
	pages     map[uint64]int
	mixed     []mixture
	counts    []float64 // samples by page in the whole run, by the places
	listed    []float64 // samples by page in blocks; of unlisted those of no page
	parts     []part
	samples   int64
}

// part is CPU seconds by page: of start-up, between, tail or a pattern. Of a pattern
// also by bin of the cycle and by stretch of the run, with the cycles in each, of
// which those count that were seen.
type part struct {
	seconds  []float64
	within   [Bins][]float64
	stretch  [stretches][]float64
	cycles   [stretches]float64
	periodic bool
}

// New prepares the adding up. Without cycles all of the run is start-up.
func New(code Code, cycles []Cycles) *Tally {
	t := &Tally{cycles: cycles, spans: spansOf(cycles)}
	t.functions, t.pages, t.mixed, t.counts = code.mixtures()
	n := len(t.mixed)
	t.listed = make([]float64, n)
	for i := range patterns + len(cycles) {
		p := part{seconds: make([]float64, n), periodic: i >= patterns}
		if p.periodic {
			for k := range p.within {
				p.within[k] = make([]float64, n)
			}
			for k := range p.stretch {
				p.stretch[k] = make([]float64, n)
			}
		}
		t.parts = append(t.parts, p)
	}
	return t
}

// Add adds a block. Slots must not come twice.
func (t *Tally) Add(b Block) {
	weight := b.Weight
	if weight == 0 {
		weight = 1
	}
	sampleS := b.SampleS * weight
	keys := make([]int, len(b.Pages))
	for i, p := range b.Pages {
		keys[i] = t.pages[p.Key] // unplaced without an entry
	}
	for i, n := range b.Samples {
		slot := b.First + int64(i)
		s, k := where(t.spans, slot)
		p := &t.parts[k]
		if s != nil {
			p.cycles[s.stretch] += weight / float64(s.end-s.first)
		}
		rest := int64(n)
		for j, page := range b.Pages {
			if i >= len(page.Counts) || page.Counts[i] == 0 || rest <= 0 {
				continue
			}
			hits := min(rest, int64(page.Counts[i]))
			rest -= hits
			p.hit(s, slot, keys[j], float64(hits)*sampleS)
			t.listed[keys[j]] += float64(hits) * weight
		}
		if rest > 0 {
			t.listed[unlisted] += float64(rest) * weight
			p.hit(s, slot, unlisted, float64(rest)*sampleS)
		}
		t.samples += int64(n)
	}
}

// hit adds seconds of a page in a slot.
func (p *part) hit(s *span, slot int64, page int, seconds float64) {
	p.seconds[page] += seconds
	if s == nil {
		return
	}
	p.stretch[s.stretch][page] += seconds
	s.bins(slot, func(bin int, share float64) { p.within[bin][page] += seconds * share })
}

// byFunction shares the seconds of pages out to functions. The mixture of the page
// unlisted is that of shareUnlisted.
func (t *Tally) byFunction(pages []float64) []float64 {
	out := make([]float64, len(t.functions))
	for page, s := range pages {
		if s == 0 {
			continue
		}
		for _, x := range t.mixed[page] {
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

// secondsAlone returns the seconds of each function in columns that it has nearly alone.
func (t *Tally) secondsAlone(pages []float64) []float64 {
	out := make([]float64, len(t.functions))
	for page, s := range pages {
		shares := map[int]float64{} // a function may have many places in a page
		for _, x := range t.mixed[page] {
			shares[x.function] += x.share
		}
		for function, share := range shares {
			if share >= aloneShare {
				out[function] += s * share
			}
		}
	}
	return out
}
