package profile

import "math"

// takePages puts the counts of dense pages where they belong. Sparse ones are
// there, unless the body is plain.
func (a *arena) takePages(src *source, b *Block) bool {
	groups := b.groups()
	steps := a.steps
	for i, p := range a.head.pages {
		counts := b.Pages[i].Counts[:groups]
		switch {
		case !src.packed:
			if !src.plain.entries(counts, p.entries) || sum(counts) != p.hits {
				return false
			}
		case p.dense():
			steps = steps[groups:]
			if !narrow(counts, steps[:groups], p.hits) {
				return false
			}
		}
	}
	return true
}

// narrow puts counts where they belong.
func narrow(counts []uint16, steps []int64, hits uint64) bool {
	all, total := int64(0), uint64(0)
	steps = steps[:len(counts)]
	for i, s := range steps {
		all |= s
		total += uint64(s)
		counts[i] = uint16(s)
	}
	return all>>16 == 0 && total == hits
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

// takeSamples makes the samples per slot.
func (a *arena) takeSamples(src *source, b *Block) bool {
	if b.Samples == nil {
		return true
	}
	groups := b.groups()
	samples := b.Samples[:groups]
	if !src.packed {
		a.steps = resize(a.steps, groups)
		for i := range a.steps {
			a.steps[i] = int64(src.plain.count(math.MaxUint32))
		}
	}
	all := int64(0)
	for i, s := range a.steps[:groups] {
		all |= s
		samples[i] = uint32(s)
	}
	return all>>32 == 0 && sum(samples) == a.head.total
}
