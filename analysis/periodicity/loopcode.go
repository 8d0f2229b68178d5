package periodicity

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

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
	// mostStretched is how many times longer than within the loop a stretch with the samples of pieceCycles cycles may
	// be, where other programs have the CPUs. What is longer is idle.
	mostStretched = 20
	// chanceFactor is how much further from the code of the loop samples drawn at random may be than on average.
	chanceFactor = 2
)

// LoopCode is which code a loop runs: the shares of the columns, and how far stretches of the loop are from these.
type LoopCode struct {
	code  meanCycleCode
	piece int // slots
	limit float64
}

// CodeOf returns the code of a period's loop. It returns false if the set does not show it: there are fewer than two
// columns of code, too few stretches of pieceCycles cycles with enough samples, or stretches of the loop that differ
// too much from each other.
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
			if d, _, ok := l.distance(from, p.Instances[last].First); ok {
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

// PieceEnd returns the slot at which the stretch ends that begins at slot from and goes towards another, earlier or
// later one, and has the samples of pieceCycles cycles, as Runs judges best. It is at most mostStretched times as long
// as within the loop, and ends at towards if at most half as much would be left.
func (l LoopCode) PieceEnd(from, towards int) int {
	direction := 1
	if towards < from {
		direction = -1
	}
	whole := pieceCycles * floats.Sum(l.code.mean)
	at, held := from, 0.0
	for at != towards && held < whole && direction*(at-from) < mostStretched*l.piece {
		next := at + direction
		held += l.code.total(min(at, next), max(at, next))
		at = next
	}
	if 2*direction*(towards-at) <= direction*(at-from) {
		return towards
	}
	return at
}

// Runs reports whether the code in the slots [from, to) is that of the loop, as far as stretches of the loop and chance
// differ from it. It returns false if there are fewer than leastPieceSamples samples.
func (l LoopCode) Runs(from, to int) bool {
	d, chance, ok := l.distance(from, to)
	return ok && d <= l.limit+chanceFactor*chance
}

// distance returns half the sum of the differences of the shares of columns: 0 for the code of the loop, 1 for code
// that has nothing in common with it. chance is the mean distance of as many samples that were drawn at random from
// the code of the loop: where other programs have the CPUs, samples come irregularly. It returns false with few
// samples.
func (l LoopCode) distance(from, to int) (sum, chance float64, ok bool) {
	n := l.code.samples(max(0, from), min(to, len(l.code.columns[0].Values)))
	all, mean := 0.0, 0.0
	for c, v := range n {
		all, mean = all+v, mean+l.code.mean[c]
	}
	if all < leastPieceSamples || mean == 0 {
		return 0, 0, false
	}
	for c, v := range n {
		share := l.code.mean[c] / mean
		sum += math.Abs(v/all-share) / 2
		chance += math.Sqrt(share * (1 - share) / all / (2 * math.Pi))
	}
	return sum, chance, true
}
