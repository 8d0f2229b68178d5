package profile

import (
	"slices"

	"jobgait/analysis/series"
)

// LiveColumns computes the columns of a set from one block at a time, while a profile is
// written: the CPUs that the job keeps busy, pages of code, counters as rates, and
// instructions a cycle. The values are those of Load with one sample a slot, because the
// same filler computes both. Where no code addresses were taken, the columns of code are 0
// and not missing: a loop is then followed in the counters alone.
type LiveColumns struct {
	filler   *filler
	columns  []series.Column // without values
	code     []*lane         // of the columns of code, which come first
	counts   []*lane         // of the counters, which follow
	top, low *lane           // instructions and cycles; nil without ipc
	ipc      series.Values
	row      []float32
}

// NewLiveColumns returns the features of profiles with this header. Pages is the number of
// columns for pages of code, which stay empty until Follow names a page; counters limits the
// counters. Levels, counters of the node and those that are read seldom are left out.
func NewLiveColumns(h Header, pages, counters int) *LiveColumns {
	l := layout{header: &h, merge: 1, coded: h.AddressHz > 0, rates: rates{{0, h.AddressHz}}, ratio: h.ipcColumns()}
	if l.coded {
		l.pages = make([]uint64, pages)
	}
	x := &LiveColumns{filler: newFiller(l)}
	clear(x.filler.place)
	if l.coded {
		x.code = append(append(x.code, x.filler.busy), x.filler.hot...)
		x.columns = append(x.columns, busyColumn(h.AddressHz, l.stepS()))
		for range pages {
			x.columns = append(x.columns, PageColumn(0))
		}
		if pages > 0 {
			x.code, x.columns = append(x.code, x.filler.other), append(x.columns, codeColumn(series.OtherCode, nil))
		}
	}
	for i, c := range h.Columns {
		ofJob := c.Scope == string(series.JobScope) || h.Scope == string(series.JobScope)
		if c.Gauge || h.slow(c) || !ofJob || len(x.counts) == counters {
			x.filler.columns[i] = nil
			continue
		}
		x.counts, x.columns = append(x.counts, x.filler.columns[i]), append(x.columns, c.series(nil))
	}
	if i := l.ratio; i[0] >= 0 && x.filler.columns[i[0]] != nil && x.filler.columns[i[1]] != nil {
		x.top, x.low = x.filler.columns[i[0]], x.filler.columns[i[1]]
		x.columns = append(x.columns, ipcColumn(h.Columns[i[0]].series(nil).Scope))
	}
	x.row = make([]float32, len(x.columns))
	return x
}

// Columns returns the columns of a row, without values: busy CPUs, the pages, the rest of
// the code, counters, instructions a cycle.
func (x *LiveColumns) Columns() []series.Column { return slices.Clone(x.columns) }

// Follow gives column number at of the pages to a page of code, from the next block on.
func (x *LiveColumns) Follow(at int, key uint64) {
	f := x.filler
	for old, k := range f.place {
		if k == at {
			delete(f.place, old)
		}
	}
	f.pages[at], f.place[key] = key, at
}

// Page returns the column of a page of code.
func (x *LiveColumns) Page(key uint64) (at int, ok bool) {
	at, ok = x.filler.place[key]
	return at, ok
}

// Read computes the rows of a block, in which code addresses were taken hz times a second
// and CPU. Blocks come in the order of their slots.
func (x *LiveColumns) Read(b *Block, hz float64) {
	f := x.filler
	f.first, f.slots = b.First, int64(b.N)
	f.rates[0].hz, f.fullHz, f.coded = hz, hz, f.busy != nil && hz > 0
	for _, l := range x.counts {
		l.reset(int64(b.N))
	}
	for _, l := range x.code {
		l.reset(int64(b.N))
		if !f.coded || b.Samples == nil {
			clear(l.out)
		}
	}
	f.add(b)
	if x.top != nil {
		x.ipc = ratio(x.ipc, x.top.out, x.low.out)
	}
}

// Row returns the values of slot i of the block that was read last. The next call of Row
// overwrites them.
func (x *LiveColumns) Row(i int) []float32 {
	for k, l := range x.code {
		x.row[k] = l.out[i]
	}
	for k, l := range x.counts {
		x.row[len(x.code)+k] = l.out[i]
	}
	if x.top != nil {
		x.row[len(x.row)-1] = x.ipc[i]
	}
	return x.row
}
