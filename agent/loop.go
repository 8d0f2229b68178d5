package main

import (
	"math"

	"jobgait/agent/profile"
	"jobgait/analysis/series"
	"jobgait/analysis/tracker"
)

// loop is the job's loop as it is followed in the blocks that are written to the profile.
type loop struct {
	pursuit *tracker.Pursuit
	columns liveColumns
	next    int64   // the slot that is expected; -1 before the first block
	startS  float64 // of the first sample that was followed, since the run began
	stepS   float64
	recent  []counted // the last cycles
	firstS  float64   // where the first cycle began that was counted; NaN before
	beat    *tracker.Beat
	pauses  interruptions // of it
}

// counted is a cycle with its number.
type counted struct {
	tracker.Cycle
	n int64
}

const (
	// mostGap is how many missing slots are followed as such.
	mostGap = 12_000
	// mostRecent is how many cycles live.json lists.
	mostRecent = 60
)

// newLoop follows the columns of a header. Without columns its pursuit is nil.
func newLoop(h profile.Header, waits func(page uint64) bool) loop {
	l := loop{columns: newLiveColumns(h), stepS: float64(h.StepNS) / 1e9, next: -1, firstS: math.NaN()}
	if len(l.columns.all) == 0 || l.stepS <= 0 {
		return l
	}
	l.columns.waits = waits
	l.pursuit = tracker.NewPursuit(l.columns.all, l.stepS)
	return l
}

// follow takes a block that is written, in which code addresses came hz times a second and
// CPU.
func (l *loop) follow(b *profile.Block, h profile.Header, hz float64) {
	for j, c := range l.columns.assign(b) {
		l.pursuit.Replace(j, c)
	}
	if l.columns.coded {
		l.resolve(hz)
	}
	if l.next < 0 {
		l.startS = float64(h.BaseNS-h.RunNS)/1e9 + float64(b.First)*l.stepS
		l.next = b.First
	}
	if gap := b.First - l.next; gap > 0 {
		l.startS += float64(max(0, gap-mostGap)) * l.stepS
		for range min(gap, mostGap) {
			l.pursuit.Add(l.columns.missing)
		}
	}
	l.columns.computed.Read(b, hz)
	for i := max(0, int(l.next-b.First)); i < b.N; i++ {
		if c, ok := l.pursuit.Add(l.columns.computed.Row(i)); ok {
			l.recent = append(l.recent[max(0, len(l.recent)-mostRecent+1):], counted{c, int64(l.pursuit.Cycles())})
			if l.beat != nil {
				l.pauses.add(c, l.beat.PeriodS)
			}
			if math.IsNaN(l.firstS) { // those that verified it are counted too
				l.firstS = max(0, c.EndS-float64(l.pursuit.Cycles())*c.LengthS)
			}
		}
	}
	l.next = max(l.next, b.First+int64(b.N))
}

// resolve passes on how well busy CPUs are resolved at a rate of code addresses.
func (l *loop) resolve(hz float64) {
	busy := &l.columns.all[busyAt]
	if source := series.Sampled(hz, l.stepS); busy.Source != source {
		busy.Source = source
		l.pursuit.Replace(busyAt, *busy)
	}
}

// update takes the beat that the pursuit knows now.
func (l *loop) update() {
	if b, ok := l.pursuit.Beat(); ok {
		l.beat = &b
	}
}
