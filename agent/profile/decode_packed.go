package profile

import "math"

// streams are the two of a packed body.
type streams struct {
	tables *tableSet
	of     [2]entropyDecoder
	bad    bool
}

func (a *arena) open(body []byte) streams {
	d := decoder{p: body}
	first := d.bytes(d.count(len(body)))
	a.queued = sequence{}
	a.plain = append(append(a.plain[:0], first...), 0, 0, 0, 0)
	n := len(a.plain)
	a.plain = append(append(a.plain, d.p...), 0, 0, 0, 0)
	return streams{tables: tables(), bad: d.bad,
		of: [2]entropyDecoder{newEntropyDecoder(a.plain[:n:n]), newEntropyDecoder(a.plain[n:])}}
}

func (s *streams) done() bool { return !s.bad && s.of[0].done() && s.of[1].done() }

// trim leaves out the pages behind the last one that is wanted: they stand last in
// their streams, and a run has 16 columns of pages of the 30 or 40 that a block
// has. What is left out cannot be checked by done.
func (a *arena) trim(wanted map[uint64]int) (trimmed bool) {
	dense, sparse := -1, -1 // the last of each that is wanted
	for i, p := range a.head.pages {
		switch _, ok := wanted[p.key]; {
		case ok && p.dense():
			dense = i
		case ok:
			sparse = i
		}
	}
	if sparse >= 0 {
		dense = len(a.head.pages) // they come before
	}
	kept := a.head.pages[:0]
	for i, p := range a.head.pages {
		if i <= sparse || i <= dense && p.dense() {
			kept = append(kept, p)
		}
	}
	trimmed = len(kept) < len(a.head.pages)
	a.head.pages = kept
	return trimmed
}

// takePacked reads all sequences: steps of columns into their places, samples and
// dense pages into a.steps, sparse pages into their counts.
func (a *arena) takePacked(src *streams, b *Block) {
	points, groups := b.points(), b.groups()
	for i := range a.jumps {
		a.jumps[i] = resize(a.jumps[i], points+1)
		a.skips[i] = resize(a.skips[i], groups)
	}
	for i := range a.head.columns {
		if c := &a.head.columns[i]; c.coded() {
			a.queue(src, b.Columns[i][1:c.present-1], int(c.mode&wayMask), c.mean)
		}
	}
	dense := 0
	for _, p := range a.head.pages {
		if p.dense() {
			dense++
		}
	}
	a.steps = resize(a.steps, (1+dense)*groups)
	steps := a.steps
	if b.Samples != nil {
		a.queue(src, steps[:groups], a.head.way, a.head.mean)
	}
	for _, p := range a.head.pages {
		if p.dense() {
			steps = steps[groups:]
			way, mean := p.way()
			a.queue(src, steps[:groups], way, mean)
		}
	}
	if a.queued.numbers != nil {
		a.read(src, a.queued, sequence{})
	}
	for i, p := range a.head.pages {
		if !p.dense() && !a.sparse(src, b.Pages[i].Counts[:groups], p.pageForm) {
			src.bad = true
			return
		}
	}
}

// queue reads every second sequence with the one before it.
func (a *arena) queue(src *streams, steps []int64, way int, mean tracker) {
	s := sequence{family: wayFamily(way), mean: mean, numbers: steps, way: way}
	if a.queued.numbers == nil {
		a.queued = s
		return
	}
	a.read(src, a.queued, s)
	a.queued = sequence{}
}

// read reads a sequence of each stream and makes the steps of it.
func (a *arena) read(src *streams, x, y sequence) {
	x.jumps, y.jumps = a.jumps[0][:len(x.numbers)], a.jumps[1][:len(y.numbers)]
	pair(&src.of[0], &src.of[1], src.tables, x, y)
	for _, s := range []sequence{x, y} {
		if s.way <= repeated {
			predicted(s.numbers, s.jumps, s.way)
		}
	}
}

// sparse reads the slots in which a page was hit.
func (a *arena) sparse(src *streams, counts []uint16, f pageForm) bool {
	gaps := sequence{family: geometric, mean: f.gap(), numbers: a.skips[0][:f.entries], jumps: a.jumps[0][:f.entries]}
	mores := sequence{family: poisson, mean: f.more(), numbers: a.skips[1][:f.entries], jumps: a.jumps[1][:f.entries]}
	pair(&src.of[0], &src.of[1], src.tables, gaps, mores)
	at, hits := uint64(0), uint64(0)
	for i, skip := range gaps.numbers {
		more := uint64(mores.numbers[i])
		if uint64(skip) >= uint64(len(counts)) || at+uint64(skip) >= uint64(len(counts)) || more >= math.MaxUint16 {
			return false
		}
		at += uint64(skip)
		counts[at] = uint16(more + 1)
		hits += more + 1
		at++
	}
	return hits == f.hits
}
