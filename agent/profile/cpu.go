package profile

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/series"
)

// CPU is a run's code on the job's own clock.
type CPU struct {
	// Set has samples of equal CPU time, of all ranks and threads together: StepS
	// is seconds of it, StartS 0. Its columns are those of the group "code" that a
	// run has in wall time, "code:<key>" and "code:other", and behind them parts of the
	// pages that were split: blocks of 256 bytes, "code:<key>+300" from byte 0x300 on,
	// and places of 16 bytes, "code:<key>+310-31f". The samples of a place are in its
	// block's column too, and those of both in the page's. Where the profile has a gap one
	// sample has no value. Without code addresses there are no columns.
	Set series.Set
	// WallS are the times at which the samples begin and the last one ends, in
	// seconds since the run began: one more than samples. They are known to a slot,
	// and spread evenly within it.
	WallS []float64

	places []place // of the first columns of Set
}

// Limits of the columns: how many parts become columns, and the least share of the samples for a column.
// mostBinValues bounds the set, in values of 4 bytes: where they are more, two samples become one. Fifteen
// minutes of two busy CPUs have all.
const (
	mostParts     = 32
	leastShare    = 200
	mostBinValues = int64(30_000_000)
)

// binRun is the bins of one frame.
type binRun struct {
	first int64
	of, n int32
}

// maxBinRuns is as many frames of bins as are read: six hours of them, as Load reads
// every slot of. A longer run has no CPU.
const maxBinRuns = 30_000

// surveyed is what the heads of all bins say.
type surveyed struct {
	runs  []binRun
	hits  map[uint64]map[anatomy.PagePart]int64
	total int64
	bytes int64
	long  bool
}

func (s *surveyed) add(b *binsHead, length int) {
	if s.long = s.long || len(s.runs) >= maxBinRuns; s.long {
		return
	}
	s.runs = append(s.runs, binRun{b.first, int32(b.of), int32(b.n)})
	s.total += int64(b.of) * int64(b.n)
	s.bytes += int64(length)
	for _, c := range b.columns {
		parts := s.hits[c.key]
		if parts == nil {
			if len(s.hits) >= maxTallied {
				continue
			}
			parts = map[anatomy.PagePart]int64{}
			s.hits[c.key] = parts
		}
		parts[c.part] += int64(c.hits)
	}
}

// place is a column of bins: a page or a part of it.
type place struct {
	key  uint64
	part anatomy.PagePart
}

func (p place) name() string { return PageName(p.key) + p.part.Suffix() }

// places are the pages and parts that get a column: pages first, those hit most first.
func (s *surveyed) places(pages int) []place {
	type tally struct {
		place
		hits int64
	}
	var whole, parts []tally
	for key, in := range s.hits {
		sum, of := int64(0), map[anatomy.PagePart]int64{}
		for part, hits := range in {
			sum += hits
			for ; part != anatomy.WholePage; part = part.Parent() {
				of[part] += hits
			}
		}
		for part, hits := range of {
			parts = append(parts, tally{place{key, part}, hits})
		}
		whole = append(whole, tally{place{key, 0}, sum})
	}
	var out []place
	for _, kind := range []struct {
		all  []tally
		most int
	}{{whole, pages}, {parts, mostParts}} {
		slices.SortFunc(kind.all, func(a, b tally) int {
			return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(a.key, b.key), cmp.Compare(a.part, b.part))
		})
		for _, t := range kind.all[:min(kind.most, len(kind.all))] {
			if t.hits*leastShare >= s.total {
				out = append(out, t.place)
			}
		}
	}
	return out
}

// stepNS is the CPU time of a sample: the length that nine tenths of the CPU time have
// bins of, or shorter ones, and then as many of them together as there is room for.
func (s *surveyed) stepNS(rates rates, columns int) int64 {
	type part struct{ lengthNS, ns int64 }
	var parts []part
	all := int64(0)
	for _, r := range s.runs {
		length := rates.periodNS(r.first) * int64(r.of)
		parts = append(parts, part{length, length * int64(r.n)})
		all += length * int64(r.n)
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.lengthNS, b.lengthNS) })
	step, seen := int64(1), int64(0)
	for _, p := range parts {
		if step = max(1, p.lengthNS); seen+p.ns > all/10*9 {
			break
		}
		seen += p.ns
	}
	// A file of a few bytes may claim any bins.
	most := min(mostBinValues, 1<<16+maxGrowth*s.bytes)
	for ; all/step*int64(1+columns) > most; step *= 2 {
	}
	return step
}

// periodNS is the CPU time that a sample in a slot stands for, 0 where none could be.
func (r rates) periodNS(slot int64) int64 {
	i := len(r) - 1
	for ; i > 0 && r[i].from > slot; i-- {
	}
	if r[i].hz <= 0 {
		return 0
	}
	return int64(math.Round(1e9 / r[i].hz))
}

// binner puts the bins of frames into samples of equal CPU time.
type binner struct {
	header *Header
	rates  rates
	stepNS int64
	column map[place]int
	values []series.Values
	broken []int // samples in which there is a gap
	wallS  []float64
	atNS   int64 // CPU time so far
	next   int64 // slot after the last frame
	lastS  float64
	full   float64 // samples of a step
	ends   []uint16
}

// load reads the bins of a surveyed profile for the given number of pages.
func (s *surveyed) load(in io.ReadSeeker, all *survey, pages int) (CPU, error) {
	rates := newRates(all.header, all.epochs)
	if s.total == 0 || s.long || rates.highest() == 0 {
		return CPU{}, nil
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return CPU{}, err
	}
	again, err := NewReader(in)
	if err != nil {
		return CPU{}, fmt.Errorf("third pass: %w", err)
	}
	places := s.places(pages)
	b := binner{header: all.header, rates: rates, stepNS: s.stepNS(rates, len(places)), column: map[place]int{}, next: -1}
	b.full = float64(b.stepNS) * rates.highest() / 1e9
	for i, at := range places {
		b.column[at] = i
		b.values = append(b.values, nil)
	}
	for kind, payload := range again.sampled() {
		again.pass()
		head := &again.bins
		if kind != binsFrame || head.read(payload) != nil || head.first < b.next {
			continue
		}
		if body, err := again.decoder.unpack(head.body, head.flags); err == nil {
			b.add(head, body)
		}
	}
	return b.done(places), nil
}

// add takes a frame.
func (b *binner) add(h *binsHead, body []byte) {
	period := b.rates.periodNS(h.first)
	length := period * int64(h.of)
	b.ends = resize(b.ends, h.slots)
	from := b.atNS
	if b.next >= 0 && h.first > b.next {
		b.broken = append(b.broken, int(from/b.stepNS))
		from = (from/b.stepNS + 1) * b.stepNS // what was lost took some time too
	}
	if length == 0 {
		return
	}
	end := from + length*int64(h.n)
	for len(b.values) > 0 && int64(len(b.values[0]))*b.stepNS < end {
		for i := range b.values {
			b.values[i] = append(b.values[i], 0)
		}
	}
	weight := float32(b.rates.highest() * float64(period) / 1e9)
	err := h.take(body, b.ends, func(c placeHead, counts []uint16) {
		for part := c.part; ; part = part.Parent() {
			if i, ok := b.column[place{c.key, part}]; ok {
				spread(b.values[i], counts, from, length, b.stepNS, weight)
			}
			if part == anatomy.WholePage {
				return
			}
		}
	})
	if err != nil {
		return
	}
	b.walls(h, from, length)
	b.atNS, b.next = end, h.first+int64(h.slots)
}

// spread adds counts of bins of a length to samples; a bin that lies in two or more is
// spread evenly.
func spread(to series.Values, counts []uint16, from, length, step int64, weight float32) {
	for i, n := range counts {
		if n == 0 {
			continue
		}
		a := from + int64(i)*length
		for at, end := a, a+length; at < end; {
			next := min(end, (at/step+1)*step)
			to[at/step] += weight * float32(n) * float32(next-at) / float32(length)
			at = next
		}
	}
}

// walls notes when samples began, from where the bins ended: of those of one slot evenly.
func (b *binner) walls(h *binsHead, from, length int64) {
	stepS := float64(b.header.StepNS) / 1e9
	startS := float64(b.header.BaseNS-b.header.RunNS)/1e9 + float64(h.first)*stepS
	if from > b.atNS || b.next < 0 {
		for b.next >= 0 && int64(len(b.wallS))*b.stepNS <= b.atNS {
			b.wallS = append(b.wallS, b.lastS) // the gap is in the sample that it broke
		}
		b.lastS = startS
	}
	at := from
	for slot, n := range b.ends {
		for k := range n {
			endS := max(b.lastS, startS+(float64(slot)+float64(k+1)/float64(n))*stepS)
			for int64(len(b.wallS))*b.stepNS < at+length {
				part := float64(int64(len(b.wallS))*b.stepNS-at) / float64(length)
				b.wallS = append(b.wallS, b.lastS+max(0, part)*(endS-b.lastS))
			}
			at, b.lastS = at+length, endS
		}
	}
}

// done returns what there is of whole samples.
func (b *binner) done(places []place) CPU {
	n := int(b.atNS / b.stepNS)
	out := CPU{Set: series.Set{StepS: float64(b.stepNS) / 1e9}, places: places}
	other := make(series.Values, n)
	for i := range other {
		other[i] = float32(b.full)
	}
	for i, p := range places {
		v := b.values[i][:n]
		for k := range other {
			if p.part == anatomy.WholePage {
				other[k] = max(0, other[k]-v[k])
			}
		}
		out.Set.Columns = append(out.Set.Columns, codeColumn(p.name(), v))
	}
	out.Set.Columns = append(out.Set.Columns, codeColumn(series.OtherCode, other))
	for _, at := range b.broken {
		for _, c := range out.Set.Columns {
			if at < n {
				c.Values[at] = series.Missing()
			}
		}
	}
	out.WallS = append(b.wallS, b.lastS)[:n+1]
	return out
}

// apart returns the samples for the analysis of periods: each in one column only, so
// that pages are without the blocks that they were split into, and blocks without places.
func (c CPU) apart() series.Set {
	out := c.Set
	out.Axis, out.SlotS, out.WallS = series.CPU, c.Set.StepS, c.WallS
	out.Columns = slices.Clone(c.Set.Columns)
	index := map[place]int{}
	for i, p := range c.places {
		index[p] = i
	}
	for i, p := range c.places {
		for p.part != anatomy.WholePage {
			p.part = p.part.Parent()
			if k, ok := index[p]; ok {
				out.Columns[k].Values = less(out.Columns[k].Values, c.Set.Columns[i].Values)
				break
			}
		}
	}
	return out
}

func less(all, part series.Values) series.Values {
	out := slices.Clone(all)
	for i, x := range part {
		out[i] -= x
	}
	return out
}

func codeColumn(name string, v series.Values) series.Column {
	return series.Column{Name: name, Unit: "samples", Scope: series.JobScope, Group: "code", Values: v}
}
