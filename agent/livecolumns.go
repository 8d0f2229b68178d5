package main

import (
	"fmt"
	"math"
	"slices"

	"jobgait/agent/profile"
	"jobgait/analysis/series"
)

// liveColumns are the columns in which the loop is followed: the CPUs that the job
// keeps busy, the pages of code that were hit most, counters as rates, and instructions
// a cycle.
type liveColumns struct {
	all      []series.Column
	coded    bool
	pages    [livePages]uint64
	heat     [livePages]float64 // samples, fading
	total    float64
	place    map[uint64]int
	counters []int  // columns of the profile
	ipc      [2]int // columns of instructions and cycles, the same without them
	last     []int64
	known    []bool
	row      []float32
	missing  []float32
	perS     float32
	// waits tells the pages in which is only waited; nil where nobody knows.
	waits func(page uint64) bool
}

// Pages that are followed and counters. A page is taken for another one, which fell
// below coldShare of the samples, from hotShare of them on; heat fades by fading with
// every block.
const (
	livePages, liveCounters = 16, 8
	hotShare, coldShare     = 0.05, 0.01
	fading                  = 0.95
)

// The columns of code come first: busy CPUs, pages, and the rest.
const (
	busyAt  = 0
	pageAt  = 1
	otherAt = pageAt + livePages
)

func newLiveColumns(h profile.Header) liveColumns {
	c := liveColumns{coded: h.AddressHz > 0, place: map[uint64]int{}, perS: float32(1e9 / float64(max(1, h.StepNS)))}
	if c.coded {
		c.all = append(c.all, busyColumn(h.AddressHz, h.StepNS))
		for i := range livePages {
			c.all = append(c.all, codePage(fmt.Sprintf("code:none%d", i)))
		}
		c.all = append(c.all, codePage(series.OtherCode))
	}
	for i, p := range h.Columns {
		if p.Gauge || h.Slow(p.Name) || p.Scope != string(series.JobScope) && h.Scope != "job" ||
			len(c.counters) == liveCounters {
			continue
		}
		scope := series.NodeScope
		if p.Scope == string(series.JobScope) {
			scope = series.JobScope
		}
		c.counters = append(c.counters, i)
		c.all = append(c.all, series.Column{Name: p.Name, Unit: p.Unit + "/s", Scope: scope})
	}
	of := func(name string) int {
		return slices.IndexFunc(c.all, func(x series.Column) bool { return x.Name == name })
	}
	if i, k := of("instructions"), of("cycles"); i >= 0 && k >= 0 && c.all[i].Scope == c.all[k].Scope {
		c.ipc = [2]int{i, k}
		c.all = append(c.all, series.Column{Name: "ipc", Unit: "1", Scope: c.all[i].Scope})
	}
	c.last, c.known = make([]int64, len(c.counters)), make([]bool, len(c.counters))
	c.row = make([]float32, len(c.all))
	for range c.all {
		c.missing = append(c.missing, series.Missing())
	}
	return c
}

// busyColumn is of code addresses that come at a rate, in slots of so many ns.
func busyColumn(hz float64, stepNS int64) series.Column {
	return series.Column{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope,
		Source: series.Sampled(hz, float64(stepNS)/1e9)}
}

func codePage(name string) series.Column {
	return series.Column{Name: name, Unit: "samples", Scope: series.JobScope, Group: series.CodeGroup}
}

// broken forgets the last counts: after a gap they make no rate.
func (c *liveColumns) broken() { clear(c.known) }

// assign gives the pages of a block their columns, and returns those that became
// another's.
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
		at, ok := c.place[p.Key]
		if !ok {
			at = c.coldest()
			free := c.pages[at] == 0
			if !free && (c.heat[at] > coldShare*c.total || sum < hotShare*c.total*(1-fading)) {
				continue
			}
			delete(c.place, c.pages[at])
			c.pages[at], c.place[p.Key], c.heat[at] = p.Key, at, 0
			if replaced == nil {
				replaced = map[int]series.Column{}
			}
			page := codePage(profile.PageName(p.Key))
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

// sample is slot i of a block, valid until the next one. Addresses come at hz a second
// and CPU.
func (c *liveColumns) sample(b *profile.Block, i int, hz float64) []float32 {
	at := 0
	if c.coded {
		clear(c.row[:otherAt+1])
		if i < len(b.Samples) && hz > 0 {
			all := float32(b.Samples[i])
			c.row[busyAt] = all * c.perS / float32(hz)
			rest := all
			for _, p := range b.Pages {
				if k, ok := c.place[p.Key]; ok && p.Counts[i] > 0 {
					c.row[pageAt+k] = float32(p.Counts[i])
					rest -= float32(p.Counts[i])
				}
			}
			c.row[otherAt] = max(0, rest)
		}
		at = otherAt + 1
	}
	for k, j := range c.counters {
		v := b.Columns[j][i]
		x := series.Missing()
		if v != profile.NoValue {
			if c.known[k] {
				x = float32(math.Max(0, float64(v-c.last[k]))) * c.perS
			}
			c.last[k], c.known[k] = v, true
		} else {
			c.known[k] = false
		}
		c.row[at+k] = x
	}
	if i := c.ipc; i[0] != i[1] {
		x := series.Missing()
		if cycles := c.row[i[1]]; cycles > 0 {
			x = c.row[i[0]] / cycles
		}
		c.row[at+len(c.counters)] = x
	}
	return c.row
}
