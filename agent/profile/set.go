package profile

import (
	"fmt"
	"iter"
	"math"

	"jobgait/analysis/series"
)

// SetParams say how much of a profile goes into a set. Zero fields take their
// defaults.
type SetParams struct {
	// MaxPages is how many code pages get a column of their own; the loops
	// of an application have their time in a few of them. More pages cost
	// time and add noise.
	MaxPages int
	// MaxValues bounds the set, in values of 4 bytes. Where all slots with
	// all pages are more, fewer pages are kept; where MinPages are still
	// too many, adjacent slots are merged, two, four, eight .. to one, and
	// short periods are lost. 60 million hold all of 3.3 h at 200 Hz with 8
	// columns and 16 pages; 24 h are merged 8 to 1.
	MaxValues int64
	// InterruptS is what one sample costs the CPU it interrupts, for
	// Quality.OverheadPct: 12 us measured in a virtual machine, about 3 us
	// on bare metal. The larger figure stands until a node measures its
	// own.
	InterruptS float64
}

// MinPages is how many pages are kept before slots are merged.
const MinPages = 3

// Default returns the parameters that reports are made with.
func Default() SetParams {
	return SetParams{MaxPages: 16, MaxValues: 60_000_000, InterruptS: 12e-6}
}

func (p SetParams) filled() SetParams {
	d := Default()
	if p.MaxPages <= 0 {
		p.MaxPages = d.MaxPages
	}
	if p.MaxValues <= 0 {
		p.MaxValues = d.MaxValues
	}
	if p.InterruptS <= 0 {
		p.InterruptS = d.InterruptS
	}
	return p
}

// Set returns the profile as series:
//
//   - "busy_cpus", the CPUs that the job kept busy;
//   - the group "code": samples per slot of the pages hit most, as
//     "code:<key>", "code:kernel" and "code:anonymous", and "code:other";
//   - every column, cumulative ones as a rate per second, levels as they are;
//   - "ipc", where there are instructions and cycles of one scope.
//
// Slots without a block are missing. So is the rate of a slot if the value at
// its beginning, the end of the slot before, is not known.
func (p *Profile) Set(params SetParams) series.Set {
	return newLayout(newSurvey(&p.Header, p.each()), params.filled()).fill(p.each())
}

// layout is which columns a set has and on which grid.
type layout struct {
	header *Header
	first  int64 // slot of the profile with which the set begins
	slots  int64 // of the profile
	merge  int64 // so many make one sample; a power of two
	pages  []uint64
	coded  bool // there are code addresses
	ratio  [2]int
}

func newLayout(s *survey, p SetParams) layout {
	l := layout{header: s.header, first: s.first, slots: s.end - s.first, merge: 1,
		coded: s.sampled && s.header.AddressHz > 0, ratio: ipcColumns(s.header.Columns)}
	if l.coded {
		l.pages = s.busiest(p.MaxPages)
	}
	for ; l.values(min(len(l.pages), MinPages)) > p.MaxValues && 2*l.merge <= l.slots; l.merge *= 2 {
	}
	for len(l.pages) > MinPages && l.values(len(l.pages)) > p.MaxValues {
		l.pages = l.pages[:len(l.pages)-1]
	}
	return l
}

// values is the size of the set with so many pages.
func (l layout) values(pages int) int64 {
	columns := len(l.header.Columns)
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
func ipcColumns(columns []Column) [2]int {
	for i, a := range columns {
		for k, b := range columns {
			if a.Name == "instructions" && b.Name == "cycles" && a.Scope == b.Scope && !a.Gauge && !b.Gauge {
				return [2]int{i, k}
			}
		}
	}
	return [2]int{-1, -1}
}

// pageName is the name of a page's column.
func pageName(key uint64) string {
	switch key {
	case KernelPage:
		return "code:kernel"
	case AnonymousPage:
		return "code:anonymous"
	}
	return fmt.Sprintf("code:%016x", key)
}

// fill makes the set from the blocks.
func (l layout) fill(blocks iter.Seq[*Block]) series.Set {
	f := newFiller(l)
	for b := range blocks {
		f.add(b)
	}
	h := l.header
	set := series.Set{
		StartS: (float64(h.BaseNS-h.RunNS) + float64(l.first)*float64(h.StepNS)) / 1e9,
		StepS:  l.stepS(),
	}
	column := func(name, unit string, scope series.Scope, group string, v series.Values) {
		set.Columns = append(set.Columns, series.Column{Name: name, Unit: unit, Scope: scope, Group: group, Values: v})
	}
	if l.coded {
		column("busy_cpus", "CPUs", series.JobScope, "", f.busy.done())
	}
	for i, key := range l.pages {
		column(pageName(key), "samples", series.JobScope, "code", f.pages[i].done())
	}
	if len(l.pages) > 0 {
		column("code:other", "samples", series.JobScope, "code", f.other.done())
	}
	at := len(set.Columns)
	for i, c := range h.Columns {
		unit, scope := c.Unit, series.NodeScope
		if !c.Gauge {
			unit += "/s"
		}
		if c.Scope == string(series.JobScope) {
			scope = series.JobScope
		}
		column(c.Name, unit, scope, "", f.columns[i].done())
	}
	if i := l.ratio; i[0] >= 0 {
		top, bottom := set.Columns[at+i[0]], set.Columns[at+i[1]]
		column("ipc", "1", top.Scope, "", ratio(top.Values, bottom.Values))
	}
	return set
}

// ratio divides where there is something to divide by.
func ratio(top, bottom series.Values) series.Values {
	out := make(series.Values, len(top))
	for i := range out {
		out[i] = series.Missing()
		if q := float64(top[i]) / float64(bottom[i]); bottom[i] > 0 && !math.IsNaN(q) {
			out[i] = float32(q)
		}
	}
	return out
}
