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

// CPUTimeCode is the code of a run, sampled in equal steps of the job's CPU time instead of wall time.
type CPUTimeCode struct {
	// Set has samples of equal CPU time, of all ranks and threads together: StepS
	// is seconds of it, StartS 0. Its columns are those of the group "code" that a
	// run has in wall time, "code:<key>" and "code:other", and behind them parts of the
	// pages that were split: blocks of 256 bytes, "code:<key>+300" from byte 0x300 on,
	// and places of 16 bytes, "code:<key>+310-31f". The samples of a place are in its
	// block's column too, and those of both in the page's. Where the profile has a gap one
	// sample has no value. Without code addresses there are no columns.
	Set series.Set
	// WallS are the wall times at which samples begin, and the time at which the last one ends, in seconds since
	// the run began: one more than samples. They are accurate to a slot, and interpolated within it.
	WallS []float64

	places []place // of the first columns of Set
}

// Limits of the columns. mostParts is the largest number of parts that become columns. A column needs at least
// 1/minShareDivisor of the samples. maxBinValues limits the set, in values of 4 bytes: above it two samples are
// merged into one. Fifteen minutes of two busy CPUs need no merging.
const (
	mostParts       = 32
	minShareDivisor = 200
	maxBinValues    = int64(30_000_000)
)

// binRun is the bins of one frame: its first slot, samples in each bin, and number of bins.
type binRun struct {
	first int64
	of, n int32
}

// maxBinRuns limits the frames of bins that are read: those of six hours, for which Load also reads every slot.
// A longer run has no CPUTimeCode.
const maxBinRuns = 30_000

// binSurvey is what the heads of all bins frames say: their lengths, and the hits of each page and block.
type binSurvey struct {
	runs         []binRun
	hits         map[uint64]map[anatomy.PagePart]int64
	totalSamples int64
	bytes        int64
	tooLong      bool
}

// add adds the head of one frame, whose payload has length bytes. After maxBinRuns frames it only sets tooLong. It
// ignores the hits of new pages once maxPagesTallied pages are known.
func (s *binSurvey) add(b *binsHead, length int) {
	if s.tooLong = s.tooLong || len(s.runs) >= maxBinRuns; s.tooLong {
		return
	}
	s.runs = append(s.runs, binRun{b.first, int32(b.samplesPerBin), int32(b.binCount)})
	s.totalSamples += int64(b.samplesPerBin) * int64(b.binCount)
	s.bytes += int64(length)
	for _, c := range b.columns {
		parts := s.hits[c.key]
		if parts == nil {
			if len(s.hits) >= maxPagesTallied {
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

// columnName returns the name of the column: "code:<key>", with "+<offset>" (hexadecimal bytes) for a block.
func (p place) columnName() string { return PageName(p.key) + p.part.Suffix() }

// chooseColumns returns the pages and parts that get a column: first at most the given number of pages, then at most
// mostParts parts, each by falling number of hits and only those with at least 1/minShareDivisor of the
// samples. The hits of a part count for all parts that contain it, and for its page.
func (s *binSurvey) chooseColumns(pages int) []place {
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
		all   []tally
		limit int
	}{{whole, pages}, {parts, mostParts}} {
		slices.SortFunc(kind.all, func(a, b tally) int {
			return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(a.key, b.key), cmp.Compare(a.part, b.part))
		})
		for _, t := range kind.all[:min(kind.limit, len(kind.all))] {
			if t.hits*minShareDivisor >= s.totalSamples {
				out = append(out, t.place)
			}
		}
	}
	return out
}

// stepNS returns the CPU time in ns of one sample of the set: the bin length up to which bins hold nine tenths
// of the CPU time, doubled until the set fits in its memory.
func (s *binSurvey) stepNS(rates rates, columns int) int64 {
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
	maxValues := min(maxBinValues, 1<<16+maxGrowth*s.bytes)
	for ; all/step*int64(1+columns) > maxValues; step *= 2 {
	}
	return step
}

// periodNS returns the CPU time in ns that one code address in a slot stands for, 0 where no addresses were
// taken.
func (r rates) periodNS(slot int64) int64 {
	i := len(r) - 1
	for ; i > 0 && r[i].from > slot; i-- {
	}
	if r[i].hz <= 0 {
		return 0
	}
	return int64(math.Round(1e9 / r[i].hz))
}

// binResampler converts the bins of frames, whose length varies, into samples of equal CPU time.
type binResampler struct {
	header         *Header
	rates          rates
	stepNS         int64
	columnOf       map[place]int
	values         []series.Values
	gapSamples     []int // indexes of samples with a gap
	wallS          []float64
	cpuNS          int64 // CPU time of all frames so far
	nextSlot       int64 // the slot after the last frame
	lastS          float64
	samplesPerStep float64 // samples in one step at the highest rate
	ends           []uint16
	// samples and saved are the number of samples, and the values of the first that may change, before the present frame.
	samples int
	saved   series.Values
}

// loadCPUTime reads the profile a third time, from in, and returns its code in CPU time, with columns for at most the
// given number of pages. all is the survey of the profile. It returns an empty result if the profile has no bins or
// more than maxBinRuns frames of them.
func (s *binSurvey) loadCPUTime(in io.ReadSeeker, all *survey, pages int) (CPUTimeCode, error) {
	rates := newRates(all.header, all.epochs)
	if s.totalSamples == 0 || s.tooLong || rates.highestHz() == 0 {
		return CPUTimeCode{}, nil
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return CPUTimeCode{}, err
	}
	again, err := NewReader(in)
	if err != nil {
		return CPUTimeCode{}, fmt.Errorf("read the profile a third time for its code samples: %w", err)
	}
	places := s.chooseColumns(pages)
	b := binResampler{header: all.header, rates: rates, stepNS: s.stepNS(rates, len(places)), columnOf: map[place]int{},
		nextSlot: -1}
	b.samplesPerStep = float64(b.stepNS) * rates.highestHz() / 1e9
	for i, at := range places {
		b.columnOf[at] = i
		b.values = append(b.values, nil)
	}
	for kind, payload := range again.sampleFrames() {
		again.ignoreFrame()
		head := &again.bins
		if kind != binsFrame || head.readHead(payload) != nil || head.first < b.nextSlot {
			continue
		}
		if body, err := again.decoder.inflate(head.body, head.flags); err == nil {
			b.addFrame(head, body)
		}
	}
	return b.finish(places), nil
}

// addFrame adds the bins of one frame. After a gap it starts a new sample. A frame that is malformed or has a rate of 0
// adds nothing.
func (b *binResampler) addFrame(h *binsHead, body []byte) {
	period := b.rates.periodNS(h.first)
	length := period * int64(h.samplesPerBin)
	if length == 0 {
		return
	}
	b.ends = resize(b.ends, h.slots)
	from := b.cpuNS
	gap := b.nextSlot >= 0 && h.first > b.nextSlot
	if gap {
		from = (from/b.stepNS + 1) * b.stepNS // what was lost took some time too
	}
	end := from + length*int64(h.binCount)
	b.saveSamples(from)
	for len(b.values) > 0 && int64(len(b.values[0]))*b.stepNS < end {
		for i := range b.values {
			b.values[i] = append(b.values[i], 0)
		}
	}
	weight := float32(b.rates.highestHz() * float64(period) / 1e9)
	err := h.decodeBody(body, b.ends, func(c binColumnHead, counts []uint16) {
		for part := c.part; ; part = part.Parent() {
			if i, ok := b.columnOf[place{c.key, part}]; ok {
				spreadBins(b.values[i], counts, from, length, b.stepNS, weight)
			}
			if part == anatomy.WholePage {
				return
			}
		}
	})
	if err != nil {
		b.restoreSamples(from)
		return
	}
	if gap {
		b.gapSamples = append(b.gapSamples, int(b.cpuNS/b.stepNS))
	}
	b.addWallTimes(h, from, length)
	b.cpuNS, b.nextSlot = end, h.first+int64(h.slots)
}

// saveSamples keeps what a frame of bins that begins at the CPU time from may change: the number of samples, and the
// values of the sample that it begins in. All samples after that one are new.
func (b *binResampler) saveSamples(from int64) {
	b.saved = b.saved[:0]
	for _, v := range b.values {
		b.samples = len(v)
		if at := int(from / b.stepNS); at < len(v) {
			b.saved = append(b.saved, v[at])
		}
	}
}

// restoreSamples undoes all changes of values since saveSamples(from).
func (b *binResampler) restoreSamples(from int64) {
	for i, v := range b.values {
		b.values[i] = v[:b.samples]
		if len(b.saved) > 0 {
			v[from/b.stepNS] = b.saved[i]
		}
	}
}

// spreadBins adds the counts of bins, each length ns of CPU time long from time from on, to the samples of step
// ns, times weight. A bin that overlaps several samples is divided in proportion.
func spreadBins(to series.Values, counts []uint16, from, length, step int64, weight float32) {
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

// addWallTimes appends the wall times at which the samples of a frame began, from the slots in which its bins
// ended; the bins of one slot are spread evenly over it.
func (b *binResampler) addWallTimes(h *binsHead, from, length int64) {
	stepS := float64(b.header.StepNS) / 1e9
	startS := float64(b.header.BaseNS-b.header.RunNS)/1e9 + float64(h.first)*stepS
	if from > b.cpuNS || b.nextSlot < 0 {
		for b.nextSlot >= 0 && int64(len(b.wallS))*b.stepNS <= b.cpuNS {
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

// finish returns the complete samples as a set, with the column of other code; samples with a gap are set to
// missing.
func (b *binResampler) finish(places []place) CPUTimeCode {
	n := int(b.cpuNS / b.stepNS)
	out := CPUTimeCode{Set: series.Set{StepS: float64(b.stepNS) / 1e9}, places: places}
	other := make(series.Values, n)
	for i := range other {
		other[i] = float32(b.samplesPerStep)
	}
	for i, p := range places {
		v := b.values[i][:n]
		for k := range other {
			if p.part == anatomy.WholePage {
				other[k] = max(0, other[k]-v[k])
			}
		}
		out.Set.Columns = append(out.Set.Columns, codeColumn(p.columnName(), v))
	}
	out.Set.Columns = append(out.Set.Columns, codeColumn(series.OtherCode, other))
	for _, at := range b.gapSamples {
		for _, c := range out.Set.Columns {
			if at < n {
				c.Values[at] = series.Missing()
			}
		}
	}
	out.WallS = append(b.wallS, b.lastS)[:n+1]
	return out
}

// withoutOverlap returns the samples for the analysis of periods: each in one column only, so
// that pages are without the blocks that they were split into, and blocks without places.
func (c CPUTimeCode) withoutOverlap() series.Set {
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
				out.Columns[k].Values = subtract(out.Columns[k].Values, c.Set.Columns[i].Values)
				break
			}
		}
	}
	return out
}

// subtract returns all minus part, value by value.
func subtract(all, part series.Values) series.Values {
	out := slices.Clone(all)
	for i, x := range part {
		out[i] -= x
	}
	return out
}

// codeColumn returns a column of the group "code" with its values, in samples.
func codeColumn(name string, v series.Values) series.Column {
	return series.Column{Name: name, Unit: "samples", Scope: series.JobScope, Group: "code", Values: v}
}
