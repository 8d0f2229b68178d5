package profile

import "encoding/binary"

// sequence is numbers of one family that a stream has one after the other.
type sequence struct {
	family int
	mean   tracker // to begin with
	// numbers are to be filled, and jumps with which of them are beyond four
	// times the mean.
	numbers []int64
	jumps   []uint8
	// way is how steps follow from the numbers; counted if they are numbers.
	way int
}

// pair reads a sequence from each of two streams. Here reading a profile spends
// its time. A number is known only when the one before is, 40 cycles later;
// with two that do not wait for each other it takes half of that. The common case
// is written out twice, without a branch for the next word, which no CPU can
// foretell; anything else is left to number.
func pair(d, e *entropyDecoder, t *tableSet, a, b sequence) {
	i := 0
	for i < len(a.numbers) && i < len(b.numbers) {
		i += fastPair(d, e, t, &a, &b, i, min(len(a.numbers), len(b.numbers))-i)
		if i < len(a.numbers) && i < len(b.numbers) { // one the slow way
			a.one(d, t, i)
			b.one(e, t, i)
			i++
		}
	}
	d.numbers(t, a.from(i))
	e.numbers(t, b.from(i))
}

// from is the rest of a sequence.
func (s *sequence) from(i int) sequence {
	out := *s
	out.numbers, out.jumps = s.numbers[min(i, len(s.numbers)):], s.jumps[min(i, len(s.jumps)):]
	return out
}

// one reads number i.
func (s *sequence) one(d *entropyDecoder, t *tableSet, i int) {
	index, low := s.mean.place()
	u := d.number(&t[s.family*perFamily+index], low)
	s.numbers[i], s.jumps[i] = int64(u), s.mean.jumped(u)
	s.mean.add(u)
}

// fastPair reads up to n numbers of each, from number i on, and stops before one
// that is not common. Each takes one word at most.
func fastPair(d, e *entropyDecoder, t *tableSet, a, b *sequence, i, n int) (did int) {
	an, aj := a.numbers[i:i+n], a.jumps[i:i+n]
	bn, bj := b.numbers[i:i+n], b.jumps[i:i+n]
	at, bt := t[a.family*perFamily:][:perFamily], t[b.family*perFamily:][:perFamily]
	am, bm, x, y, p, q := a.mean, b.mean, d.state, e.state, d.p, e.p
	var pi, qi uint
	for ; did < n; did++ {
		index, low := am.place()
		f := &at[index]
		slot := x >> (low & 63) & (probTotal - 1)
		sym := f.symbol[slot]
		index2, low2 := bm.place()
		g := &bt[index2]
		slot2 := y >> (low2 & 63) & (probTotal - 1)
		sym2 := g.symbol[slot2]
		if sym == f.escape || sym2 == g.escape || low|low2 > mostLow-1 || pi+4 > uint(len(p)) || qi+4 > uint(len(q)) {
			break
		}
		u := int64(uint64(sym)<<(low&63) | x&(1<<(low&63)-1))
		both := f.both[sym&(maxSymbols-1)]
		x = uint64(both>>16)*(x>>((probBits+low)&63)) + slot - uint64(both&0xffff)
		empty := (x - stateLow) >> 63
		x = x<<(empty<<5&63) | uint64(binary.LittleEndian.Uint32(p[pi:pi+4]))&-empty
		pi += uint(empty << 2)
		v := int64(uint64(sym2)<<(low2&63) | y&(1<<(low2&63)-1))
		both = g.both[sym2&(maxSymbols-1)]
		y = uint64(both>>16)*(y>>((probBits+low2)&63)) + slot2 - uint64(both&0xffff)
		empty = (y - stateLow) >> 63
		y = y<<(empty<<5&63) | uint64(binary.LittleEndian.Uint32(q[qi:qi+4]))&-empty
		qi += uint(empty << 2)
		an[did], aj[did] = u, am.jumped(uint64(u))
		bn[did], bj[did] = v, bm.jumped(uint64(v))
		am.add(uint64(u))
		bm.add(uint64(v))
	}
	a.mean, b.mean, d.state, e.state, d.p, e.p = am, bm, x, y, p[pi:], q[qi:]
	return did
}
