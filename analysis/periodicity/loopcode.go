package periodicity

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

const (
	// pieceCycles is how many cycles long the stretches are whose code is compared with that of the loop, and
	// mostPieces bounds those of the loop itself.
	pieceCycles, mostPieces = 2, 256
	// likeShare is how far from the code of the loop a stretch may be, as a quantile of those within the loop, times
	// likeFactor. Where these are further than mostUnlike, no stretch is judged.
	likeShare, likeFactor, mostUnlike = 0.95, 1.2, 0.35
	// leastPieceSamples is how many samples a stretch needs.
	leastPieceSamples = 20
)

// LoopCode is which code a loop runs: the shares of the columns, and how far stretches of the loop are from these.
type LoopCode struct {
	code  meanCycleCode
	piece int // slots
	limit float64
}

// CodeOf returns the code of a period's loop; false where the set does not show it.
func CodeOf(set series.Set, p Period) (LoopCode, bool) {
	columns := code(set)
	l := LoopCode{piece: int(math.Ceil(pieceCycles * p.PeriodSamples))}
	if len(columns) < 2 || len(p.Instances) == 0 || l.piece < 1 {
		return l, false
	}
	l.code = newMeanCycle(columns, p.Instances)
	var far []float64
	for i := 0; i < len(p.Instances); i += max(1, len(p.Instances)/mostPieces) {
		from := p.Instances[i].First
		if last := i + pieceCycles; last < len(p.Instances) && p.Instances[last].First-from <= 2*l.piece {
			if d, ok := l.distance(from, p.Instances[last].First); ok {
				far = append(far, d)
			}
		}
	}
	if len(far) < minInstances {
		return l, false
	}
	slices.Sort(far)
	l.limit = likeFactor * robust.SortedQuantile(far, likeShare)
	return l, l.limit <= mostUnlike
}

// PieceSlots is how many slots long the stretches are that Runs judges best.
func (l LoopCode) PieceSlots() int { return l.piece }

// Runs is whether the code of slots from to to is that of the loop.
func (l LoopCode) Runs(from, to int) bool {
	d, ok := l.distance(from, to)
	return ok && d <= l.limit
}

// distance is half the sum of the differences of the shares of columns: 0 for the code of the loop, 1 for code that
// has nothing in common with it; false with few samples.
func (l LoopCode) distance(from, to int) (sum float64, ok bool) {
	n := l.code.samples(max(0, from), min(to, len(l.code.columns[0].Values)))
	all, mean := 0.0, 0.0
	for c, v := range n {
		all, mean = all+v, mean+l.code.mean[c]
	}
	if all < leastPieceSamples || mean == 0 {
		return 0, false
	}
	for c, v := range n {
		sum += math.Abs(v/all-l.code.mean[c]/mean) / 2
	}
	return sum, true
}
