package profile

// addOverview puts an overview, whose groups lie within the samples of the set.
func (f *filler) addOverview(b *Block, at int64) {
	if b.Samples != nil {
		f.codeGroups(b, at)
	}
	for i, c := range f.header.Columns {
		points, ahead := b.Columns[i], len(b.Columns[i])-b.groups()
		switch {
		case points[0] == NoValue: // in all of it
		case c.Gauge:
			f.levelGroups(f.columns[i], b, at, points[ahead:])
		default:
			f.rateGroups(f.columns[i], b, at, points, f.valueBefore(i, b.First))
		}
		f.before[i] = points[len(points)-1]
	}
	f.until = b.First + int64(b.N)
}

func (f *filler) levelGroups(l *lane, b *Block, at int64, means []int64) {
	out := resize(f.buf, len(means))
	for g, v := range means {
		from, to := b.group(g)
		out[g] = float64(v) * float64(to-from)
	}
	f.buf = out
	l.putGroups(b, at, out)
}

// rateGroups puts what was counted in each group. In the first slot of all it is
// not known, unless the value before it is.
func (f *filler) rateGroups(l *lane, b *Block, at int64, points []int64, before int64) {
	perS := 1e9 / float64(f.header.StepNS)
	out := resize(f.buf, b.groups())
	f.buf = out
	ends := points[len(points)-len(out):]
	last := ends[0]
	for g, v := range ends[1:] {
		out[1+g] = float64(v-last) * perS
		last = v
	}
	_, to := b.group(0)
	if before != NoValue && before <= points[0] {
		out[0] = float64(ends[0]-before) * perS
		l.putGroups(b, at, out)
		return
	}
	if to > 1 {
		l.addUp(at+1, float64(ends[0]-points[0])*perS, int64(to-1))
	}
	l.putFrom(b, at, out, 1)
}

// codeGroups puts the code addresses. Their rate is one in all of an overview.
func (f *filler) codeGroups(b *Block, at int64) {
	r := f.rates.at(b.First)
	f.taken[r].samples += sum(b.Samples)
	f.taken[r].slots += int64(b.N)
	if !f.coded || f.rates[r].hz <= 0 {
		return
	}
	scale := f.fullHz / f.rates[r].hz
	perSample := 1e9 / (f.fullHz * float64(f.header.StepNS))
	f.rest, f.buf = resize(f.rest, len(b.Samples)), resize(f.buf, len(b.Samples))
	for g, n := range b.Samples {
		f.rest[g] = float64(n) * scale
		f.buf[g] = f.rest[g] * perSample
	}
	f.busy.putGroups(b, at, f.buf)
	if len(f.pages) == 0 {
		return
	}
	for k, counts := range f.listed(b) {
		for g, n := range counts {
			v := float64(n) * scale
			f.buf[g] = v
			f.rest[g] -= v
		}
		f.hot[k].putGroups(b, at, f.buf)
	}
	clear(f.buf)
	for k, met := range f.met {
		if met != f.blocks {
			f.hot[k].putGroups(b, at, f.buf)
		}
	}
	for g, v := range f.rest {
		f.rest[g] = max(v, 0)
	}
	f.other.putGroups(b, at, f.rest)
}

// at is which of the rates holds at a slot.
func (r rates) at(slot int64) int {
	i := len(r) - 1
	for ; i > 0 && r[i].from > slot; i-- {
	}
	return i
}

// putGroups gives the groups of an overview their sums over slots.
func (l *lane) putGroups(b *Block, at int64, sums []float64) { l.putFrom(b, at, sums, 0) }

// putFrom gives the groups from a number on their sums. Those in the middle are
// whole, and where a sample is one group there is nothing to add up.
func (l *lane) putFrom(b *Block, at int64, sums []float64, g int) {
	last := len(sums) - 1
	for ; g <= last; g++ {
		if g == 1 && l.merge == overviewEvery && last > 2 {
			g = last - 1
			l.putWhole((at+overviewEvery-int64(b.lead))>>l.shift, sums[1:last])
			continue
		}
		from, to := b.group(g)
		l.addUp(at+int64(from), sums[g], int64(to-from))
	}
}

// putWhole gives samples from a place on the sums of their slots.
func (l *lane) putWhole(at int64, sums []float64) {
	l.flush()
	scale := 1.0
	if !l.add {
		scale = 1.0 / overviewEvery
	}
	out := l.out[min(at, int64(len(l.out))):]
	for i, v := range sums[:min(len(sums), len(out))] {
		out[i] = float32(v * scale)
	}
	l.at = at + int64(len(sums)) - 1
}

// addUp gives n slots, which lie in one sample, their sum.
func (l *lane) addUp(slot int64, sum float64, n int64) {
	if at := slot >> l.shift; at != l.at {
		l.flush()
		l.at = at
	}
	l.sum += sum
	l.n += n
}
