package main

import (
	"jobgait/agent/profile"
	"jobgait/analysis/series"
)

// liveColumns are the columns in which the loop is followed. They are those of a stored
// profile (profile.LiveColumns); this type chooses the pages of code that have one.
type liveColumns struct {
	computed *profile.LiveColumns
	all      []series.Column
	coded    bool
	pages    [livePages]uint64
	heat     [livePages]float64 // samples, fading
	total    float64
	missing  []float32
	// waits reports whether a page holds code that only waits; nil where that is not known.
	waits func(page uint64) bool
}

// livePages and liveCounters limit the columns that are followed. A page replaces one that
// fell below coldShare of the samples if it has hotShare of them; heat is multiplied by
// fading with every block.
const (
	livePages, liveCounters = 16, 8
	hotShare, coldShare     = 0.05, 0.01
	fading                  = 0.95
)

// The columns of code come first: busy CPUs, pages, and the rest.
const (
	busyAt = 0
	pageAt = 1
)

func newLiveColumns(h profile.Header) liveColumns {
	c := liveColumns{computed: profile.NewLiveColumns(h, livePages, liveCounters), coded: h.AddressHz > 0}
	c.all = c.computed.Columns()
	for range c.all {
		c.missing = append(c.missing, series.Missing())
	}
	return c
}

// assign gives the pages of a block their columns, and returns the columns that follow
// another page now.
func (c *liveColumns) assign(b *profile.Block) map[int]series.Column {
	if !c.coded {
		return nil
	}
	var replaced map[int]series.Column
	c.total *= fading
	for i := range c.heat {
		c.heat[i] *= fading
	}
	for _, n := range b.Samples {
		c.total += float64(n)
	}
	for _, p := range b.Pages {
		sum := 0.0
		for _, n := range p.Counts {
			sum += float64(n)
		}
		at, ok := c.computed.Page(p.Key)
		if !ok {
			at = c.coldest()
			free := c.pages[at] == 0
			if !free && (c.heat[at] > coldShare*c.total || sum < hotShare*c.total*(1-fading)) {
				continue
			}
			c.computed.Follow(at, p.Key)
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
