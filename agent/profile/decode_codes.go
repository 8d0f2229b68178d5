package profile

import "math"

// takePages decodes the pages; of those without one Pages is nil.
func (a *arena) takePages(src *source, b *Block) bool {
	n := len(a.head.pages)
	if n == 0 {
		return true
	}
	a.pages = resize(a.pages, n)
	a.counts = resize(a.counts, n*b.N)
	clear(a.counts)
	b.Pages = a.pages
	groups := b.groups()
	for i, p := range a.head.pages {
		counts := a.counts[i*b.N : (i+1)*b.N : (i+1)*b.N]
		b.Pages[i] = PageCount{Key: p.key, Counts: counts}
		counts = counts[:groups]
		ok := false
		switch {
		case !src.packed:
			ok = src.plain.entries(counts, p.entries)
		case p.dense():
			a.steps = resize(a.steps, groups)
			way, mean := p.way()
			getSteps(&src.entropy, a.steps, way, mean)
			ok = narrow(counts, a.steps)
		default:
			ok = src.entropy.entries(counts, p.pageForm)
		}
		if !ok || sum(counts) != p.hits {
			return false
		}
	}
	return true
}

// narrow puts counts where they belong.
func narrow(counts []uint16, steps []int64) bool {
	all := int64(0)
	for i, s := range steps {
		all |= s
		counts[i] = uint16(s)
	}
	return all>>16 == 0
}

// entries reads the slots in which a page was hit.
func (d *entropyDecoder) entries(counts []uint16, f pageForm) bool {
	gap, more := f.gap(), f.more()
	at := uint64(0)
	for range f.entries {
		skip := d.number(geometric, gap)
		gap.add(skip)
		count := d.number(poisson, more)
		more.add(count)
		if skip >= uint64(len(counts)) || at+skip >= uint64(len(counts)) || count >= math.MaxUint16 {
			return false
		}
		at += skip
		counts[at] = uint16(count + 1)
		at++
	}
	return true
}

// entries reads the plain form of that.
func (d *decoder) entries(counts []uint16, entries int) bool {
	at := uint64(0)
	for range entries {
		v := d.uvarint()
		count := v&maxNibble + 1
		if count > maxNibble {
			more := d.uvarint()
			if more >= math.MaxUint16-maxNibble {
				return false
			}
			count += more
		}
		if v>>4 >= uint64(len(counts)) || at+v>>4 >= uint64(len(counts)) {
			return false
		}
		at += v >> 4
		counts[at] = uint16(count)
		at++
	}
	return !d.bad
}

// takeSamples decodes the samples per slot.
func (a *arena) takeSamples(src *source, b *Block) bool {
	if a.head.flags&flagSamples == 0 {
		return true
	}
	a.samples = resize(a.samples, b.N)
	b.Samples = a.samples
	groups := b.groups()
	samples := b.Samples[:groups]
	a.steps = resize(a.steps, groups)
	if src.packed {
		getSteps(&src.entropy, a.steps, a.head.way, a.head.mean)
		for _, p := range b.Pages {
			for i, c := range p.Counts[:groups] {
				a.steps[i] += int64(c)
			}
		}
	} else {
		for i := range a.steps {
			a.steps[i] = int64(src.plain.count(math.MaxUint32))
		}
	}
	all := int64(0)
	for i, s := range a.steps {
		all |= s
		samples[i] = uint32(s)
	}
	return all>>32 == 0 && sum(samples) == a.head.total
}
