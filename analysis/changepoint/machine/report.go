package machine

import (
	"maps"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/quantity"
)

// spell is a stretch of runs, in the order of start, from which reportable shifts of one sign were subtracted.
type spell struct {
	first, last int
	shifts      []float64
	members     map[int]bool
}

// addSpells adds the spells of subtracted shifts to the events, because states of 21 runs miss short spells and the
// edges of long ones. A spell widens the event of the same sign that it overlaps. Otherwise it becomes an event, unless
// it is of fewer than fewest series or its median shift is below 2.25 %: about half of such shifts are estimation
// errors.
func (f *machineRuns) addSpells(events []MachineEvent) []MachineEvent {
	for _, s := range f.spells() {
		mid := robust.Median(s.shifts)
		i := slices.IndexFunc(events, func(e MachineEvent) bool { return e.EffectPct*mid > 0 && f.overlaps(e, s) })
		switch {
		case i >= 0:
			f.widen(&events[i], s)
		case len(s.members) >= fewest && math.Abs(mid) >= 1.5*leastMachine:
			e := MachineEvent{Start: f.runs[s.first].start, EffectPct: quantity.PercentOfLogs(mid), End: f.endOf(s.last)}
			f.widen(&e, s)
			events = append(events, e)
		}
	}
	return events
}

// spells returns the stretches of runs, in the order of start, with shifts of at least leastMachine and of one sign.
// Runs with smaller shifts in between do not end a stretch, unless the next such shift is more than stateRuns runs on.
func (f *machineRuns) spells() []spell {
	var list []spell
	for q, r := range f.runs {
		v := f.members[r.member].shift[r.run]
		if math.Abs(v) < leastMachine {
			continue
		}
		if n := len(list); n == 0 || q-list[n-1].last > stateRuns || v*list[n-1].shifts[0] < 0 {
			list = append(list, spell{first: q, members: make(map[int]bool)})
		}
		s := &list[len(list)-1]
		s.last, s.shifts = q, append(s.shifts, v)
		s.members[r.member] = true
	}
	return list
}

// overlaps reports whether a spell overlaps an event, or is within stateRuns runs of it.
func (f *machineRuns) overlaps(e MachineEvent, s spell) bool {
	from := f.runs[max(0, s.first-stateRuns)].start
	to := f.runs[min(len(f.runs)-1, s.last+stateRuns)].start
	return e.Start <= to && (e.End == nil || *e.End >= from)
}

// endOf returns when the run after run q began, in UTC epoch seconds; nil if none exists.
func (f *machineRuns) endOf(q int) *float64 {
	if q+1 >= len(f.runs) {
		return nil
	}
	end := f.runs[q+1].start
	return &end
}

// widen extends the time of an event to include the runs of a spell, and adds the spell's series to those of the event.
func (f *machineRuns) widen(e *MachineEvent, s spell) {
	e.Start = math.Min(e.Start, f.runs[s.first].start)
	if end := f.endOf(s.last); e.End != nil && (end == nil || *end > *e.End) {
		e.End = end
	}
	for _, m := range slices.Sorted(maps.Keys(s.members)) {
		e.Series = append(e.Series, f.members[m].ID)
	}
	slices.Sort(e.Series)
	e.Series = slices.Compact(e.Series)
}

// inEvent reports whether a run with the given start and shift lies in one of the events of the same sign.
func inEvent(events []MachineEvent, start, shift float64) bool {
	return slices.ContainsFunc(events, func(e MachineEvent) bool {
		return e.EffectPct*shift > 0 && e.Start <= start && (e.End == nil || start <= *e.End)
	})
}
