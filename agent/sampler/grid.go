// Package sampler puts the readings of counters on one grid. Readings of many lanes (CPUs) come in, each lane
// with its own times, about once a second and one lane after the other; blocks of a profile go out, with every
// count at the end of every 5 ms slot and the job's code-address samples by slot and page.
//
// Cumulative counts are interpolated per lane at the grid points and then added: totals are exact for any
// phases, and the error stays in the slots next to an edge. Counts are never differenced before that, and lanes
// may have different numbers of records. It reads no clock, and its memory is limited.
//
// It does not fill a slot that some lane has not reached (NoValue). If a lane gave no record, its count is
// known for the gap but not for the slot: a slot is missing if that is more than 1 % of it, in CPU time
// (Track.incomplete). The number of silent lanes does not matter: an idle CPU may write no record and counts
// almost nothing.
//
// Levels (bytes in use) are interpolated too and added over lanes, but have no value before their first reading
// and are never differenced. With the values go out the share of time that each column was counted, and the
// epochs that sources report, each with its slot.
package sampler

// Grid divides time into slots: slot i begins at BaseNS + i*StepNS of CLOCK_MONOTONIC.
type Grid struct {
	StepNS, BaseNS int64
}

// NewGrid returns the grid whose slots begin at multiples of step, in ns; slot 0 is the one that contains the
// time now.
func NewGrid(stepNS, nowNS int64) Grid {
	return Grid{StepNS: stepNS, BaseNS: nowNS - nowNS%stepNS}
}

// Slot returns the number of the slot that contains a time; negative before the grid's start.
func (g Grid) Slot(t int64) int64 {
	d := t - g.BaseNS
	if d < 0 {
		return -((-d + g.StepNS - 1) / g.StepNS)
	}
	return d / g.StepNS
}

// Start returns when a slot begins; End when it ends.
func (g Grid) Start(slot int64) int64 { return g.BaseNS + slot*g.StepNS }

// End returns when a slot ends.
func (g Grid) End(slot int64) int64 { return g.Start(slot + 1) }
