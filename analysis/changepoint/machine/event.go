package machine

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/parallel"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/quantity"
)

// leastMachine is the smallest shift of the machine, in log units, that is reported.
const leastMachine = .015

// stateRuns is the number of consecutive runs of all series, in the order of start, from which the state of the
// machine in their middle is estimated.
const stateRuns = 21

// events describes the subtracted shifts as times at which the machine was faster or slower than usual. A time
// begins where the shift is certainly at least leastMachine, extends to where half of it is left, and must show
// in enough series. The list is for reports: the analysis uses the shifts, not the events.
func (f *machineRuns) events() []MachineEvent {
	known := make([]moment, 0, len(f.runs))
	for _, r := range f.runs {
		if !math.IsNaN(r.off) {
			known = append(known, r)
		}
	}
	if len(known) < stateRuns {
		return nil
	}
	state := f.states(known)
	usual := usualState(state)
	var list []MachineEvent
	free := 0 // the first run that is in no event yet
	for q := 0; q < len(known); q++ {
		d := state[q].shift - usual
		if math.Abs(d) < leastMachine+sure*state[q].se {
			continue
		}
		first, last := q, q
		for first > free && (state[first-1].shift-usual)/d > .5 {
			first--
		}
		for last+1 < len(known) && (state[last+1].shift-usual)/d > .5 {
			last++
		}
		q, free = last, last+1
		if e, ok := f.newEvent(known, first, last, usual); ok {
			list = append(list, e)
		}
	}
	return list
}

// states returns the estimated shift of the machine around each run.
func (f *machineRuns) states(known []moment) []estimate {
	s := make([]estimate, len(known))
	const part = 1024
	parallel.Each((len(known)+part-1)/part, func(i int) {
		look := f.panel()
		defer f.spare.Put(look)
		for q := i * part; q < min(len(known), (i+1)*part); q++ {
			first := min(max(0, q-stateRuns/2), len(known)-stateRuns)
			look.begin()
			for k := range stateRuns {
				look.add(&known[first+k])
			}
			s[q] = look.mean(look.list)
		}
	})
	return s
}

// usualState returns the median shift of the machine over all runs.
func usualState(s []estimate) float64 {
	shifts := make([]float64, len(s))
	for i, e := range s {
		shifts[i] = e.shift
	}
	return robust.Median(shifts)
}

// newEvent returns the event that the runs from index first to last, inclusive, of known show, against the usual shift;
// false if too few series show the shift or if it is too small.
func (f *machineRuns) newEvent(known []moment, first, last int, usual float64) (MachineEvent, bool) {
	part := known[first : last+1]
	all := make([]float64, len(part))
	own := make(map[int][]float64)
	for i, r := range part {
		all[i] = r.off - usual
		own[r.member] = append(own[r.member], all[i])
	}
	effect := robust.Median(all)
	e := MachineEvent{Start: part[0].start, EffectPct: quantity.PercentOfLogs(effect)}
	f.look.begin()
	for m, v := range own {
		if robust.Median(v)/effect <= .4 {
			continue
		}
		f.look.add(&moment{member: m, owner: f.members[m].owner})
		e.Series = append(e.Series, f.members[m].ID)
	}
	slices.SortFunc(e.Series, cmp.Compare[string])
	if last+1 < len(known) {
		end := known[last+1].start
		e.End = &end
	}
	return e, math.Abs(effect) >= leastMachine && f.look.hasEnough()
}
