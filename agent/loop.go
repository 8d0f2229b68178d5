package main

import (
	"math"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/profile"
	"jobgait/analysis/phase"
	"jobgait/analysis/series"
	"jobgait/analysis/tracker"
)

// loop follows the job's loop in the blocks that are written to the profile.
type loop struct {
	pursuit  *tracker.LoopTracker
	columns  liveColumns
	nextSlot int64   // the expected first slot of the next block; -1 before the first block
	startS   float64 // time of the first followed sample, in seconds since the run began
	stepS    float64
	recent   []numberedCycle // the last cycles
	firstS   float64         // begin of the first counted cycle, in seconds since the first followed sample; NaN before
	beat     *tracker.CurrentLoop
	pauses   interruptions // of the loop
	writing  writeBursts
	wait     cpuWait
}

// numberedCycle is a cycle of the job's loop with its number n.
type numberedCycle struct {
	tracker.Cycle
	n int64
}

const (
	// maxGapSlots limits the missing slots that are passed on as missing samples; longer gaps shift the time base.
	maxGapSlots = 12_000
	// maxRecentCycles is how many cycles live.json lists at most.
	maxRecentCycles = 60
)

// newLoop returns the loop for the columns of a profile with this header; without columns its pursuit is nil. waits
// reports whether a page holds code that only waits; nil if unknown.
func newLoop(h profile.Header, waits func(page uint64) bool) loop {
	l := loop{columns: newLiveColumns(h), stepS: float64(h.StepNS) / 1e9, nextSlot: -1, firstS: math.NaN()}
	if len(l.columns.all) == 0 || l.stepS <= 0 {
		return l
	}
	l.columns.waits = waits
	l.pursuit = tracker.NewLoopTracker(l.columns.all, l.stepS)
	return l
}

// follow passes the slots of a written block to the pursuit and records the cycles that ended in it. hz is
// the rate of code addresses per second and CPU. Of the recorded cycles it keeps the last maxRecentCycles.
// Slots that no block has count as missing, at most maxGapSlots of them in a row.
func (l *loop) follow(b *profile.Block, h profile.Header, hz float64) {
	for j, c := range l.columns.assign(b) {
		l.pursuit.Replace(j, c)
	}
	if l.columns.coded {
		l.setResolution(hz)
	}
	if l.nextSlot < 0 {
		l.startS = float64(h.BaseNS-h.RunNS)/1e9 + float64(b.First)*l.stepS
		l.nextSlot = b.First
	}
	if gap := b.First - l.nextSlot; gap > 0 {
		l.startS += float64(max(0, gap-maxGapSlots)) * l.stepS
		for range min(gap, maxGapSlots) {
			l.pursuit.Add(l.columns.missing)
		}
	}
	if waitS, ok := l.wait.advance(b, h); ok {
		l.pursuit.Memory.AddCPUWait(waitS)
	}
	l.columns.computed.ComputeRows(b, hz)
	for i := max(0, int(l.nextSlot-b.First)); i < b.N; i++ {
		if c, ok := l.pursuit.Add(l.columns.computed.Row(i)); ok {
			l.recent = append(l.recent[max(0, len(l.recent)-maxRecentCycles+1):], numberedCycle{c, int64(l.pursuit.Cycles())})
			if l.beat != nil {
				l.pauses.add(c, l.beat.PeriodS)
			}
			if math.IsNaN(l.firstS) { // those that verified it are counted too
				l.firstS = max(0, c.EndS-float64(l.pursuit.Cycles())*c.LengthS)
			}
		}
	}
	l.nextSlot = max(l.nextSlot, b.First+int64(b.N))
}

// setResolution updates the resolution of the busy-CPU column if the rate of code addresses, hz, has changed.
func (l *loop) setResolution(hz float64) {
	busy := &l.columns.all[busyAt]
	if source := series.Sampled(hz, l.stepS); busy.Source != source {
		busy.Source = source
		l.pursuit.Replace(busyAt, *busy)
	}
}

// followWriting passes a reading of what the job has written to the bursts, once: it ignores a reading with the time of
// the last one. runNS is the CLOCK_MONOTONIC time at which the run began.
func (l *loop) followWriting(w kernel.Written, runNS int64) {
	if last := l.writing.last.AtNS; w.AtNS != last {
		l.writing.add(w, float64(last-runNS)/1e9-l.startS, float64(w.AtNS-runNS)/1e9-l.startS)
	}
}

// checkpointS returns the length of the longest checkpoint in seconds, 0 where none is known: of breaks of the loop at
// regular distances, or of regular bursts of writing.
func (l *loop) checkpointS() float64 {
	periodS := 0.0
	if l.beat != nil {
		periodS = l.beat.PeriodS
	}
	return max(l.pauses.checkpointS(), phase.LongestCheckpointWriteS(l.writing.bursts, l.pauses.table, periodS))
}

// updateBeat stores the loop tracker's present estimate of the period and the next cycle boundary, if it has
// one.
func (l *loop) updateBeat() {
	if b, ok := l.pursuit.CurrentLoop(); ok {
		l.beat = &b
	}
}
