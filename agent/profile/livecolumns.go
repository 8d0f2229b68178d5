package profile

import (
	"slices"

	"jobgait/analysis/series"
)

// LiveColumns computes the columns of a set block by block while a profile is written: busy CPUs, pages of
// code, counters as rates, and instructions a cycle. The values equal those of Load with one sample a slot,
// because the same filler computes both. While no code addresses are taken, the columns of code are 0 and not
// missing, so that a loop can still be followed in the counters.
type LiveColumns struct {
	filler               *filler
	columns              []series.Column  // without values
	codeColumns          []*columnBuilder // of the columns of code, which come first
	counterColumns       []*columnBuilder // of the counters, which follow
	instructions, cycles *columnBuilder   // instructions and cycles; nil without ipc
	ipc                  series.Values
	row                  []float32
}

// NewLiveColumns returns the live columns of a profile with this header. pages is the number of columns for
// code pages, which stay empty until AssignPage gives them a page; counters is the largest number of counter
// columns. Levels, columns that are read seldom and, unless the profile's scope is the job, counters of the
// whole node are left out.
func NewLiveColumns(h Header, pages, counters int) *LiveColumns {
	l := layout{header: &h, merge: 1, hasCode: h.AddressHz > 0, rates: rates{{0, h.AddressHz}}, ipcIndexes: h.ipcColumns()}
	if l.hasCode {
		l.pages = make([]uint64, pages)
	}
	x := &LiveColumns{filler: newFiller(l)}
	clear(x.filler.pageIndex)
	if l.hasCode {
		x.codeColumns = append(append(x.codeColumns, x.filler.busy), x.filler.pageColumns...)
		x.columns = append(x.columns, busyColumn(h.AddressHz, l.stepS()))
		for range pages {
			x.columns = append(x.columns, PageColumn(0))
		}
		if pages > 0 {
			x.codeColumns, x.columns = append(x.codeColumns, x.filler.other),
				append(x.columns, codeColumn(series.OtherCode, nil))
		}
	}
	for i, c := range h.Columns {
		ofJob := c.Scope == string(series.JobScope) || h.Scope == string(series.JobScope)
		if c.Gauge || h.isSlow(c) || !ofJob || len(x.counterColumns) == counters {
			x.filler.columns[i] = nil
			continue
		}
		x.counterColumns, x.columns = append(x.counterColumns, x.filler.columns[i]), append(x.columns, c.toSeries(nil))
	}
	if i := l.ipcIndexes; i[0] >= 0 && x.filler.columns[i[0]] != nil && x.filler.columns[i[1]] != nil {
		x.instructions, x.cycles = x.filler.columns[i[0]], x.filler.columns[i[1]]
		x.columns = append(x.columns, ipcColumn(h.Columns[i[0]].toSeries(nil).Scope))
	}
	x.row = make([]float32, len(x.columns))
	return x
}

// Columns returns the columns of a row, without values: busy CPUs, the pages, other code, counters,
// instructions a cycle.
func (x *LiveColumns) Columns() []series.Column { return slices.Clone(x.columns) }

// AssignPage makes page column number at (0 is the first) count a page of code, from the next block on.
func (x *LiveColumns) AssignPage(at int, key uint64) {
	f := x.filler
	for old, k := range f.pageIndex {
		if k == at {
			delete(f.pageIndex, old)
		}
	}
	f.pages[at], f.pageIndex[key] = key, at
}

// PageIndex returns the number of the page column that counts a page of code; ok is false without one.
func (x *LiveColumns) PageIndex(key uint64) (at int, ok bool) {
	at, ok = x.filler.pageIndex[key]
	return at, ok
}

// ComputeRows computes the rows of a block, in which code addresses were taken hz times a second on each CPU.
// Blocks come in the order of their slots.
func (x *LiveColumns) ComputeRows(b *Block, hz float64) {
	f := x.filler
	f.first, f.slots = b.First, int64(b.N)
	f.rates[0].hz, f.fullHz, f.hasCode = hz, hz, f.busy != nil && hz > 0
	for _, l := range x.counterColumns {
		l.reset(int64(b.N))
	}
	for _, l := range x.codeColumns {
		l.reset(int64(b.N))
		if !f.hasCode || b.Samples == nil {
			clear(l.out)
		}
	}
	f.add(b)
	if x.instructions != nil {
		x.ipc = divide(x.ipc, x.instructions.out, x.cycles.out)
	}
}

// Row returns the values of slot i of the last computed block, one for each column. The next call of Row
// overwrites them.
func (x *LiveColumns) Row(i int) []float32 {
	for k, l := range x.codeColumns {
		x.row[k] = l.out[i]
	}
	for k, l := range x.counterColumns {
		x.row[len(x.codeColumns)+k] = l.out[i]
	}
	if x.instructions != nil {
		x.row[len(x.row)-1] = x.ipc[i]
	}
	return x.row
}
