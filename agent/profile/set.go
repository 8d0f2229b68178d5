package profile

import (
	"fmt"
	"math"

	"jobgait/analysis/series"
)

// room is how much of a profile goes into a set: of pages, how many get a column of
// their own, and of values of 4 bytes. Where all slots with all pages are more, fewer
// pages are kept; where minPages are still too many, adjacent slots are merged, and
// short periods are lost: two, four, eight .. to one, but eight at least where there are
// overviews, so that a longer run does not take longer to read.
type room struct {
	pages  int
	values int64
}

// usual is what reports are made with: the loops of an application have their time in a
// few pages, and more cost time and add noise. 60 million values hold all of 3.3 h at
// 200 Hz with 8 columns and 16 pages, and of 5.9 h with 3 pages; 6 h to 24 h are merged
// 8 to 1.
func usual() room { return room{pages: 16, values: 60_000_000} }

// minPages is how many pages are kept before slots are merged.
const minPages = 3

// slowSteps is how many steps may lie between two readings of a column in a
// set: memory at 20 Hz is in it, energy at 10 Hz is not.
const slowSteps = 10

// Slow is whether the column of that name is read too seldom for a set.
func (h *Header) Slow(name string) bool {
	for _, c := range h.Columns {
		if c.Name == name {
			return h.slow(c)
		}
	}
	return false
}

// slow is whether a column is read too seldom for the set, or, on any grid, seen too
// seldom by others.
func (h *Header) slow(c Column) bool {
	return c.Ticked || c.Hz > 0 && c.Hz*slowSteps*float64(h.StepNS) < 0.999e9
}

// layout is which columns a set has and on which grid.
type layout struct {
	header *Header
	first  int64 // slot of the profile with which the set begins
	slots  int64 // of the profile
	merge  int64 // slots per sample; a power of two
	pages  []uint64
	coded  bool // there are code addresses
	rates  rates
	fullHz float64 // what samples are scaled to
	ratio  [2]int
	plan   plan
}

func newLayout(s *survey, r room) layout {
	l := layout{header: s.header, first: s.first, slots: s.end - s.first, merge: 1,
		rates: newRates(s.header, s.epochs), ratio: s.header.ipcColumns()}
	l.fullHz = l.rates.highest()
	// A file of a few bytes may claim any slots.
	r.values = min(r.values, 1<<20+1024*s.present*int64(1+len(s.header.Columns)))
	if l.coded = s.sampled && l.fullHz > 0; l.coded {
		l.pages = s.busiest(r.pages)
	}
	for ; l.values(min(len(l.pages), minPages)) > r.values && 2*l.merge <= l.slots; l.merge *= 2 {
	}
	if l.merge > 1 && 2*s.summed > s.present && l.slots >= overviewEvery {
		l.merge, l.plan = max(l.merge, overviewEvery), s.plan(l.rates)
		l.slots += l.first % overviewEvery // their groups end there
		l.first -= l.first % overviewEvery
	}
	for len(l.pages) > minPages && l.values(len(l.pages)) > r.values {
		l.pages = l.pages[:len(l.pages)-1]
	}
	return l
}

// values returns the number of values of a set with the given number of pages.
func (l layout) values(pages int) int64 {
	columns := len(l.header.Columns) // slow ones are shorter
	if l.coded {
		columns++
	}
	if pages > 0 {
		columns += pages + 1
	}
	if l.ratio[0] >= 0 {
		columns++
	}
	return l.samples() * int64(columns)
}

// samples is the length of the set. Slots at the end that do not fill a sample
// are left out.
func (l layout) samples() int64 { return l.slots / l.merge }

// stepS is the time of one sample.
func (l layout) stepS() float64 { return float64(l.merge) * float64(l.header.StepNS) / 1e9 }

// ipcColumns finds instructions and cycles of one scope; -1 without them. No
// other pair is ever called IPC.
func (h *Header) ipcColumns() [2]int {
	for i, a := range h.Columns {
		for k, b := range h.Columns {
			if a.Name == "instructions" && b.Name == "cycles" && a.Scope == b.Scope &&
				!a.Gauge && !b.Gauge && !h.slow(a) && !h.slow(b) {
				return [2]int{i, k}
			}
		}
	}
	return [2]int{-1, -1}
}

// PageName is the name of a page's column.
func PageName(key uint64) string {
	switch key {
	case KernelPage:
		return series.KernelCode
	case AnonymousPage:
		return "code:anonymous"
	}
	return fmt.Sprintf("code:%016x", key)
}

// places are the pages that have a column, and which one.
func (l layout) places() map[uint64]int {
	at := make(map[uint64]int, len(l.pages))
	for i, key := range l.pages {
		at[key] = i
	}
	return at
}

// startS is when the first slot began.
func (l layout) startS() float64 {
	return (float64(l.header.BaseNS-l.header.RunNS) + float64(l.first)*float64(l.header.StepNS)) / 1e9
}

// set returns the columns that periods are looked for in:
//
//   - "busy_cpus", the CPUs that the job kept busy;
//   - the group "code": samples per slot of the pages hit most, as
//     "code:<key>", "code:kernel" and "code:anonymous", and "code:other";
//   - every column, cumulative ones as a rate per second, levels as they are;
//   - "ipc", where there are instructions and cycles of one scope.
//
// Slots without a block are missing. So is the rate of a slot if the value at
// its beginning, the end of the slot before, is not known. Where the rate of
// code addresses changed, samples are given as they would be at the highest
// rate, and are missing while it was 0.
//
// Columns that were read less often than every slowSteps steps are not in it:
// what stands between two readings is interpolated, so that the interval of
// reading would be found as a period. They are in Loaded.Slow, and in Totals.
func (f *filler) set() series.Set {
	set := series.Set{StartS: f.startS(), StepS: f.stepS()}
	add := func(c series.Column, l *lane) {
		c.Values = l.done()
		set.Columns = append(set.Columns, c)
	}
	if f.coded {
		add(busyColumn(f.rates.slowest(f.taken), set.StepS), f.busy)
	}
	for i, key := range f.pages {
		add(PageColumn(key), f.hot[i])
	}
	if len(f.pages) > 0 {
		add(codeColumn(series.OtherCode, nil), f.other)
	}
	at := make([]int, len(f.columns))
	for i, c := range f.header.Columns {
		if !f.header.slow(c) {
			at[i] = len(set.Columns)
			set.Columns = append(set.Columns, c.series(f.columns[i].done()))
		}
	}
	if i := f.ratio; i[0] >= 0 {
		top, bottom := set.Columns[at[i[0]]], set.Columns[at[i[1]]]
		ipc := ipcColumn(top.Scope)
		ipc.Values = ratio(nil, top.Values, bottom.Values)
		set.Columns = append(set.Columns, ipc)
	}
	return set
}

// slowSet returns the columns that are read seldom, on a grid of their own.
func (f *filler) slowSet() series.Set {
	set := series.Set{StartS: f.startS(), StepS: f.slowS()}
	for i, c := range f.header.Columns {
		if f.header.slow(c) {
			set.Columns = append(set.Columns, c.series(f.columns[i].done()))
		}
	}
	return set
}

// series is the column as others see it.
func (c Column) series(v series.Values) series.Column {
	out := series.Column{Name: c.Name, Unit: c.Unit, Scope: series.NodeScope, Values: v}
	if !c.Gauge {
		out.Unit += "/s"
	}
	if c.Scope == string(series.JobScope) {
		out.Scope = series.JobScope
	}
	return out
}

// ratio writes top / bottom into out, which it returns resized. A value is missing where
// one of the two is, or where bottom is 0.
func ratio(out, top, bottom series.Values) series.Values {
	out = resize(out, len(top))
	for i := range out {
		out[i] = series.Missing()
		if q := float64(top[i]) / float64(bottom[i]); bottom[i] > 0 && !math.IsNaN(q) {
			out[i] = float32(q)
		}
	}
	return out
}

// busyColumn is the CPUs that the job keeps busy, by code addresses that come hz times a
// second and CPU in steps of stepS seconds.
func busyColumn(hz, stepS float64) series.Column {
	return series.Column{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope, Source: series.Sampled(hz, stepS)}
}

// PageColumn is the samples in a page of code.
func PageColumn(key uint64) series.Column { return codeColumn(PageName(key), nil) }

// ipcColumn is instructions a cycle.
func ipcColumn(scope series.Scope) series.Column {
	return series.Column{Name: "ipc", Unit: "1", Scope: scope}
}
