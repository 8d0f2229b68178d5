package phase

import (
	"math"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// withUnfollowed returns the table with the stretches beside a loop in which its code runs: its cycles went on there,
// only that they were not recognized, mostly because others had the CPUs. Of a start-up and a tail that is the part
// next to the loop, of what lies between cycles all or nothing.
func withUnfollowed(set series.Set, table []Phase, patterns []pattern.Pattern, periods []periodicity.Period) []Phase {
	loops := map[string]judge{}
	for i, p := range periods {
		if c, ok := periodicity.CodeOf(set, p); ok {
			loops[patterns[i].ID] = judge{c, set, maxBridge * p.PeriodS}
		}
	}
	if len(loops) == 0 {
		return table
	}
	var out []Phase
	for i, p := range table {
		before, after := neighbour(table, i-1, loops), neighbour(table, i+1, loops)
		switch {
		case p.Kind == StartUp && after != nil:
			at := after.back(p.StartS, p.EndS)
			out = append(out, divided(p, at, StartUp, Unfollowed)...)
		case p.Kind == Tail && before != nil:
			at := before.on(p.StartS, p.EndS)
			out = append(out, divided(p, at, Unfollowed, Tail)...)
		case p.Kind == Gap && before != nil && before.on(p.StartS, p.EndS) == p.EndS:
			p.Kind = Unfollowed
			out = append(out, p)
		default:
			out = append(out, p)
		}
	}
	return out
}

// judge says where the code of a loop runs.
type judge struct {
	code   periodicity.LoopCode
	set    series.Set
	leastS float64
}

// neighbour is the judge of the loop at an index of a table, nil without one.
func neighbour(table []Phase, i int, loops map[string]judge) *judge {
	if i < 0 || i >= len(table) || table[i].Kind != Loop {
		return nil
	}
	if j, ok := loops[table[i].Pattern]; ok {
		return &j
	}
	return nil
}

func (j *judge) slot(s float64) int { return int(math.Round((s - j.set.StartS) / j.set.StepS)) }

// on returns until when the loop's code runs from a time on, startS where that is for too short a time.
func (j *judge) on(startS, endS float64) float64 {
	from, end := j.slot(startS), j.slot(endS)
	at := from
	for at < end {
		next := min(at+j.code.Piece(), end)
		if end-next < j.code.Piece()/2 {
			next = end
		}
		if !j.code.Runs(at, next) {
			break
		}
		at = next
	}
	switch until := j.set.StartS + float64(at)*j.set.StepS; {
	case at == end && endS-startS >= j.leastS:
		return endS
	case until-startS >= j.leastS:
		return until
	}
	return startS
}

// back returns since when the loop's code runs until a time, endS where that is for too short a time.
func (j *judge) back(startS, endS float64) float64 {
	begin, at := j.slot(startS), j.slot(endS)
	for at > begin {
		next := max(at-j.code.Piece(), begin)
		if next-begin < j.code.Piece()/2 {
			next = begin
		}
		if !j.code.Runs(next, at) {
			break
		}
		at = next
	}
	switch since := j.set.StartS + float64(at)*j.set.StepS; {
	case at == begin && endS-startS >= j.leastS:
		return startS
	case endS-since >= j.leastS:
		return since
	}
	return endS
}

// divided returns a phase in two kinds, the second from a time on; in one where that is its start or its end.
func divided(p Phase, at float64, first, second Stage) []Phase {
	a, b := p, p
	a.Kind, a.EndS, b.Kind, b.StartS = first, at, second, at
	switch {
	case at <= p.StartS:
		return []Phase{b}
	case at >= p.EndS:
		return []Phase{a}
	}
	return []Phase{a, b}
}
