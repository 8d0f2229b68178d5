package profile

import (
	"fmt"
	"math"

	"jobgait/analysis/series"
)

// columnLimits limit how much of a profile goes into a set: the code pages with a column of their own, and the
// number of values, of 4 bytes. If all slots with all pages have more values, fewer pages are kept. If even
// minPages are too many, adjacent slots are merged, 2, 4, 8 and so on to one, and short periods are lost. With
// overviews at least eight slots are merged, so that a longer run does not take longer to read.
type columnLimits struct {
	pages  int
	values int64
}

// defaultLimits returns the limits for reports: the loops of an application spend their time in a few pages,
// and more cost time and add noise. 60 million values hold 3.3 h at 200 Hz with 8 columns and 16 pages, or 5.9
// h with 3 pages; runs of 6 h to 24 h have eight slots merged.
func defaultLimits() columnLimits { return columnLimits{pages: 16, values: 60_000_000} }

// minPages is how many pages are kept before slots are merged.
const minPages = 3

// slowSteps is the largest number of steps between two readings of a column that is in a set: memory read at 20
// Hz is in it, energy at 10 Hz is not.
const slowSteps = 10

// ReadSeldom reports whether the column of that name is read too seldom for the main set; false if the header
// has no such column.
func (h *Header) ReadSeldom(name string) bool {
	for _, c := range h.Columns {
		if c.Name == name {
			return h.isSlow(c)
		}
	}
	return false
}

// isSlow reports whether a column is not in the main set: it is read less often than every slowSteps steps, or its
// driver updates it at times of its own (Ticked), however often it is read.
func (h *Header) isSlow(c Column) bool {
	return c.Ticked || c.Hz > 0 && c.Hz*slowSteps*float64(h.StepNS) < 0.999e9
}

// layout is the columns of a set and its grid.
type layout struct {
	header     *Header
	first      int64 // slot of the profile with which the set begins
	slots      int64 // of the profile
	merge      int64 // slots in a sample; a power of two
	pages      []uint64
	hasCode    bool // whether there are code addresses
	rates      rates
	fullHz     float64 // the rate that samples are scaled to
	ipcIndexes [2]int
	plan       plan
}

// newLayout chooses the pages with a column and the grid of a set from a survey, within the limits (columnLimits). It
// merges slots only if minPages pages exceed the limit of values. If it merges any and most slots have an overview, it
// merges at least overviewEvery, plans to read overviews, and begins the grid at a multiple of overviewEvery.
func newLayout(s *survey, r columnLimits) layout {
	l := layout{header: s.header, first: s.first, slots: s.end - s.first, merge: 1,
		rates: newRates(s.header, s.epochs), ipcIndexes: s.header.ipcColumns()}
	l.fullHz = l.rates.highestHz()
	// A file of a few bytes may claim any slots.
	r.values = min(r.values, 1<<20+1024*s.presentSlots*int64(1+len(s.header.Columns)))
	if l.hasCode = s.sampled && l.fullHz > 0; l.hasCode {
		l.pages = s.mostHitPages(r.pages)
	}
	for ; l.valueCount(min(len(l.pages), minPages)) > r.values && 2*l.merge <= l.slots; l.merge *= 2 {
	}
	if l.merge > 1 && 2*s.overviewSlots > s.presentSlots && l.slots >= overviewEvery {
		l.merge, l.plan = max(l.merge, overviewEvery), s.planOverviews(l.rates)
		l.slots += l.first % overviewEvery // their groups end there
		l.first -= l.first % overviewEvery
	}
	for len(l.pages) > minPages && l.valueCount(len(l.pages)) > r.values {
		l.pages = l.pages[:len(l.pages)-1]
	}
	return l
}

// valueCount returns the number of values of a set with the given number of pages.
func (l layout) valueCount(pages int) int64 {
	columns := len(l.header.Columns) // slow ones are shorter
	if l.hasCode {
		columns++
	}
	if pages > 0 {
		columns += pages + 1
	}
	if l.ipcIndexes[0] >= 0 {
		columns++
	}
	return l.sampleCount() * int64(columns)
}

// sampleCount returns the number of samples of the set. Slots at the end that do not fill a sample are left
// out.
func (l layout) sampleCount() int64 { return l.slots / l.merge }

// stepS returns the duration of one sample in seconds.
func (l layout) stepS() float64 { return float64(l.merge) * float64(l.header.StepNS) / 1e9 }

// ipcColumns returns the indexes of the columns of instructions and cycles that have one scope; {-1, -1}
// without them. IPC is computed only from such a pair.
func (h *Header) ipcColumns() [2]int {
	for i, a := range h.Columns {
		for k, b := range h.Columns {
			if a.Name == "instructions" && b.Name == "cycles" && a.Scope == b.Scope &&
				!a.Gauge && !b.Gauge && !h.isSlow(a) && !h.isSlow(b) {
				return [2]int{i, k}
			}
		}
	}
	return [2]int{-1, -1}
}

// PageName returns the name of a page's column: "code:kernel", "code:anonymous" or "code:<key>".
func PageName(key uint64) string {
	switch key {
	case KernelPage:
		return series.KernelCode
	case AnonymousPage:
		return "code:anonymous"
	}
	return fmt.Sprintf("code:%016x", key)
}

// pageIndexes returns the index in l.pages of each page that has a column, by the page's key.
func (l layout) pageIndexes() map[uint64]int {
	at := make(map[uint64]int, len(l.pages))
	for i, key := range l.pages {
		at[key] = i
	}
	return at
}

// startS returns when the first slot began, in seconds since the run began.
func (l layout) startS() float64 {
	return (float64(l.header.BaseNS-l.header.RunNS) + float64(l.first)*float64(l.header.StepNS)) / 1e9
}

// buildSet returns the columns in which periods are searched:
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
// Columns that were read less often than every slowSteps steps are not in it: what stands between two readings
// is interpolated, so that the interval of reading would be found as a period. They are in LoadedProfile.SlowSet, and
// in Totals.
func (f *filler) buildSet() series.Set {
	set := series.Set{StartS: f.startS(), StepS: f.stepS()}
	add := func(c series.Column, l *columnBuilder) {
		c.Values = l.finish()
		set.Columns = append(set.Columns, c)
	}
	if f.hasCode {
		add(busyColumn(f.rates.lowestCommonHz(f.sampledAt), set.StepS), f.busy)
	}
	for i, key := range f.pages {
		add(PageColumn(key), f.pageColumns[i])
	}
	if len(f.pages) > 0 {
		add(codeColumn(series.OtherCode, nil), f.other)
	}
	at := make([]int, len(f.columns))
	for i, c := range f.header.Columns {
		if !f.header.isSlow(c) {
			at[i] = len(set.Columns)
			set.Columns = append(set.Columns, c.toSeries(f.columns[i].finish()))
		}
	}
	if i := f.ipcIndexes; i[0] >= 0 {
		top, bottom := set.Columns[at[i[0]]], set.Columns[at[i[1]]]
		ipc := ipcColumn(top.Scope)
		ipc.Values = divide(nil, top.Values, bottom.Values)
		set.Columns = append(set.Columns, ipc)
	}
	return set
}

// buildSlowSet returns the columns that are read seldom, on their coarser grid.
func (f *filler) buildSlowSet() series.Set {
	set := series.Set{StartS: f.startS(), StepS: f.slowS()}
	for i, c := range f.header.Columns {
		if f.header.isSlow(c) {
			set.Columns = append(set.Columns, c.toSeries(f.columns[i].finish()))
		}
	}
	return set
}

// toSeries returns the column as a column of a set with the values v. Those of a counter must be rates per
// second: only the unit is changed here.
func (c Column) toSeries(v series.Values) series.Column {
	out := series.Column{Name: c.Name, Unit: c.Unit, Scope: series.NodeScope, Values: v}
	if !c.Gauge {
		out.Unit += "/s"
	}
	if c.Scope == string(series.JobScope) {
		out.Scope = series.JobScope
	}
	return out
}

// divide writes top / bottom into out and returns it, resized. A value is missing where one of the two is
// missing, or bottom is not above 0.
func divide(out, top, bottom series.Values) series.Values {
	out = resize(out, len(top))
	for i := range out {
		out[i] = series.Missing()
		if q := float64(top[i]) / float64(bottom[i]); bottom[i] > 0 && !math.IsNaN(q) {
			out[i] = float32(q)
		}
	}
	return out
}

// busyColumn returns the column of CPUs that the job keeps busy, without values. Its source is code addresses
// taken hz times a second on each CPU, in steps of stepS seconds.
func busyColumn(hz, stepS float64) series.Column {
	return series.Column{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope, Source: series.Sampled(hz, stepS)}
}

// PageColumn returns the column of the samples in a page of code, without values.
func PageColumn(key uint64) series.Column { return codeColumn(PageName(key), nil) }

// ipcColumn returns the column of instructions a cycle, without values.
func ipcColumn(scope series.Scope) series.Column {
	return series.Column{Name: "ipc", Unit: "1", Scope: scope}
}
