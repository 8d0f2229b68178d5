package guest

import (
	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/perf"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/agent/sampler"
)

// ring is what the timer's records were, and what came of them on the grid.
type ring struct {
	Records int   `json:"records"`
	Lost    int64 `json:"lost"`
	// Phases is how long after a point of the grid each record was taken,
	// Steps the time between two of them and Cycles what was counted then.
	Phases []int64  `json:"phases"`
	Steps  []int64  `json:"steps"`
	Cycles []uint64 `json:"cycles"`
	// Slots are the cycles of each slot of the profile's block.
	Slots   []int64 `json:"slots"`
	Missing int64   `json:"missing"`
}

// measureRing checks every record of the time in which the CPU is busy.
func measureRing() (any, error) {
	c, err := openCounters(perf.Open)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	cycles, err := columnOf(c, "cycles")
	if err != nil {
		return nil, err
	}
	grid := sampler.NewGrid(stepNS, rawcall.Now())
	sink, err := counted(c, func() error { spin(3 * turns / 2); return nil })
	if err != nil {
		return nil, err
	}
	r := ring{Lost: sink.Gone}
	var last *countertest.Reading
	for i := range sink.Readings {
		now := &sink.Readings[i]
		if !now.Timer {
			continue
		}
		r.Records++
		r.Phases = append(r.Phases, now.TimeNS%stepNS)
		if last != nil {
			r.Steps = append(r.Steps, now.TimeNS-last.TimeNS)
			r.Cycles = append(r.Cycles, now.Counts[cycles]-last.Counts[cycles])
		}
		last = now
	}
	r.Slots, r.Missing = slots(grid, c, sink, cycles)
	return r, nil
}

// slots puts the readings on the grid and returns what a column counted in
// each slot.
func slots(grid sampler.Grid, c *perf.Counters, sink *countertest.Sink, column int) (increments []int64,
	missing int64) {
	s := sampler.New(grid, false, sampler.Shape{Columns: len(c.Columns()), Lanes: c.Lanes(), PeriodNS: c.PeriodNS()})
	track := s.Track(0)
	var end int64
	for _, r := range sink.Readings {
		if r.Timer {
			track.Record(r.Lane, r.TimeNS, r.Counts)
		} else {
			track.Read(r.Lane, r.TimeNS, r.Counts)
		}
		end = max(end, r.TimeNS)
	}
	var b profile.Block
	var was int64
	// A slow CPU takes more than a slot to start the counters after the grid was laid.
	started := grid.Slot(sink.Readings[0].TimeNS)
	for s.Emit(end+sampler.EmitDelayNS, &b) {
		missing += b.UncertainSlots
		for i, v := range b.Columns[column] {
			if v == profile.NoValue {
				continue
			}
			if b.First+int64(i) >= started {
				increments = append(increments, v-was)
			}
			was = v
		}
	}
	return increments, missing
}
