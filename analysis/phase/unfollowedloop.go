package phase

import (
	"math"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// withUnfollowed returns the table with the stretches beside a loop in which its code runs marked as Unfollowed: its
// cycles continued but were not recognized, mostly because others had the CPUs. A start-up or a tail is split where the
// code of the loop begins or ends. A gap is marked only if the code of the loop before it runs in all of it.
func withUnfollowed(set series.Set, table []Phase, patterns []pattern.Pattern, periods []periodicity.Period) []Phase {
	loops := map[string]loopPresence{}
	for i, p := range periods {
		if c, ok := periodicity.CodeOf(set, p); ok {
			loops[patterns[i].ID] = loopPresence{c, set, maxBridge * p.PeriodS}
		}
	}
	if len(loops) == 0 {
		return table
	}
	var out []Phase
	for i, p := range table {
		before, after := adjacentLoop(table, i-1, loops), adjacentLoop(table, i+1, loops)
		switch {
		case p.Kind == StartUp && after != nil:
			at := after.runsSince(p.StartS, p.EndS)
			out = append(out, splitPhase(p, at, StartUp, Unfollowed)...)
		case p.Kind == Tail && before != nil:
			at := before.runsUntil(p.StartS, p.EndS)
			out = append(out, splitPhase(p, at, Unfollowed, Tail)...)
		case p.Kind == Gap && before != nil && before.runsUntil(p.StartS, p.EndS) == p.EndS:
			p.Kind = Unfollowed
			out = append(out, p)
		default:
			out = append(out, p)
		}
	}
	return out
}

// loopPresence finds where in a set the code of a loop runs; stretches below leastS seconds do not count.
type loopPresence struct {
	code   periodicity.LoopCode
	set    series.Set
	leastS float64
}

// adjacentLoop returns the presence of the loop at an index of a table, nil if that phase is no loop.
func adjacentLoop(table []Phase, i int, loops map[string]loopPresence) *loopPresence {
	if i < 0 || i >= len(table) || table[i].Kind != Loop {
		return nil
	}
	if j, ok := loops[table[i].Pattern]; ok {
		return &j
	}
	return nil
}

func (j *loopPresence) slotAt(s float64) int {
	return int(math.Round((s - j.set.StartS) / j.set.StepS))
}

// runsUntil returns the time until which the loop's code runs from startS on, startS if that is too short.
func (j *loopPresence) runsUntil(startS, endS float64) float64 { return j.runsFrom(startS, endS) }

// runsSince returns the time since which the loop's code runs up to endS, endS if that is too short.
func (j *loopPresence) runsSince(startS, endS float64) float64 { return j.runsFrom(endS, startS) }

// runsFrom walks from time fromS towards towardsS, which may be earlier, as long as the loop's code runs. It returns
// the time at which that ends, or fromS if the stretch is shorter than leastS.
func (j *loopPresence) runsFrom(fromS, towardsS float64) float64 {
	from, end := j.slotAt(fromS), j.slotAt(towardsS)
	at := from
	for at != end {
		next, runs := j.nextStretch(at, end)
		if !runs {
			break
		}
		at = next
	}
	reachedS := j.set.StartS + float64(at)*j.set.StepS
	if at == end {
		reachedS = towardsS
	}
	if math.Abs(reachedS-fromS) < j.leastS {
		return fromS
	}
	return reachedS
}

// doubtfulPieces are the numbers of pieces that are judged together, in this order: of pieces of the loop itself one in
// a few dozen is unlike the others, and several together are not. Other code is unlike the loop however long it runs.
var doubtfulPieces = [...]int{1, 2, 4}

// nextStretch returns the slot at which the next stretch from slot at towards end ends, and whether the loop's code
// runs in it. A stretch is one piece (see PieceEnd); if the loop's code does not run in that, it is extended to two and
// then to four pieces, and all are judged together.
func (j *loopPresence) nextStretch(at, end int) (next int, runs bool) {
	next = at
	pieces := 0
	for _, n := range doubtfulPieces {
		for ; pieces < n && next != end; pieces++ {
			next = j.code.PieceEnd(next, end)
		}
		if j.code.Runs(min(at, next), max(at, next)) {
			return next, true
		}
	}
	return next, false
}

// splitPhase splits a phase at a time into one of kind first and one of kind second; at its start or end it returns
// only one.
func splitPhase(p Phase, at float64, first, second Stage) []Phase {
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
