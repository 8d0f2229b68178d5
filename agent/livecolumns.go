package main

import (
	"jobgait/agent/profile"
	"jobgait/analysis/series"
)

// liveColumns are the columns in which the loop is followed while the job runs. They are those of a stored
// profile (profile.LiveColumns); this type chooses which pages of code have a column.
type liveColumns struct {
	computed *profile.LiveColumns
	all      []series.Column
	coded    bool
	pages    [livePages]uint64
	heat     [livePages]float64 // samples of each page, decaying with each block
	total    float64
	missing  []float32
	// waits reports whether a page holds code that only waits; nil if unknown.
	waits func(page uint64) bool
}

// livePages and liveCounters limit the columns that are followed. A page with at least hotShare of the samples
// replaces one with less than coldShare; heat is multiplied by heatDecay with every block.
const (
	livePages, liveCounters = 16, 8
	hotShare, coldShare     = 0.05, 0.01
	heatDecay               = 0.95
)

// The columns of code come first: busy CPUs, pages, and the rest.
const (
	busyAt = 0
	pageAt = 1
)

// newLiveColumns returns the columns for a profile with this header. No page has a column yet.
func newLiveColumns(h profile.Header) liveColumns {
	c := liveColumns{computed: profile.NewLiveColumns(h, livePages, liveCounters), coded: h.AddressHz > 0}
	c.all = c.computed.Columns()
	for range c.all {
		c.missing = append(c.missing, series.Missing())
	}
	return c
}

// assign adds a block's samples to the heat of the pages and gives new pages a column: a free one, or else the coldest
// if its heat is at most coldShare and the new page has hotShare of the samples. It returns the columns that now
// follow another page, by their index among all columns; nil without code addresses.
func (c *liveColumns) assign(b *profile.Block) map[int]series.Column {
	if !c.coded {
		return nil
	}
	var replaced map[int]series.Column
	c.total *= heatDecay
	for i := range c.heat {
		c.heat[i] *= heatDecay
	}
	for _, n := range b.Samples {
		c.total += float64(n)
	}
	for _, p := range b.Pages {
		sum := 0.0
		for _, n := range p.Counts {
			sum += float64(n)
		}
		at, ok := c.computed.PageIndex(p.Key)
		if !ok {
			at = c.coldest()
			free := c.pages[at] == 0
			if !free && (c.heat[at] > coldShare*c.total || sum < hotShare*c.total*(1-heatDecay)) {
				continue
			}
			c.computed.AssignPage(at, p.Key)
			c.pages[at], c.heat[at] = p.Key, 0
			if replaced == nil {
				replaced = map[int]series.Column{}
			}
			page := profile.PageColumn(p.Key)
			page.Waits = c.waits != nil && c.waits(p.Key)
			replaced[pageAt+at] = page
		}
		c.heat[at] += sum
	}
	return replaced
}

// coldest returns the index of a free page column, else of the one with the least heat.
func (c *liveColumns) coldest() int {
	cold := 0
	for i := range c.heat {
		if c.pages[i] == 0 {
			return i
		}
		if c.heat[i] < c.heat[cold] {
			cold = i
		}
	}
	return cold
}
