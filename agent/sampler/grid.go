// Package sampler puts what counters recorded on one grid. Readings of many
// lanes (CPUs) come in, each lane with its own moments, once a second and a
// lane at a time; blocks of a profile go out, with every count at the end of
// every 5 ms slot and the job's code-address samples by slot and page.
//
// Cumulative counts are interpolated per lane at the grid points and then
// added: totals are exact whatever the phases, and the error stays in the slots
// next to an edge. Never are counts differenced before that, and never is it
// assumed that two lanes gave the same number of records. It is pure: it knows
// no clock, and its memory is bounded.
//
// It refuses to fill a slot that some lane has not reached (NoValue). Where a lane gave
// no record, what it counted is known for the gap and not for the slot: a slot is missing
// if that is more than 1 % of it, in CPU time (Track.incomplete). How many lanes are silent
// does not matter: an idle CPU may write no record at all, and counts next to nothing.
//
// Levels (bytes in use) are interpolated too, and added up over lanes, but have
// no value before their first reading and are never differenced. Beside the
// values go out the share of time that each column was counted, and the epochs
// that sources tell of, each with its slot.
package sampler

// Grid is time in slots: slot i begins at BaseNS + i*StepNS of CLOCK_MONOTONIC.
type Grid struct {
	StepNS, BaseNS int64
}

// NewGrid returns the grid whose points are multiples of step, beginning with
// the slot that now is in.
func NewGrid(stepNS, nowNS int64) Grid {
	return Grid{StepNS: stepNS, BaseNS: nowNS - nowNS%stepNS}
}

// Slot returns the slot that a time is in; negative before the base.
func (g Grid) Slot(t int64) int64 {
	d := t - g.BaseNS
	if d < 0 {
		return -((-d + g.StepNS - 1) / g.StepNS)
	}
	return d / g.StepNS
}

// Start and End return when a slot begins and ends.
func (g Grid) Start(slot int64) int64 { return g.BaseNS + slot*g.StepNS }
func (g Grid) End(slot int64) int64   { return g.Start(slot + 1) }
