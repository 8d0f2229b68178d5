package periodicity

import (
	"math"
	"math/rand/v2"
)

const (
	// surrogateMargin is the share of what is left to a perfect score by which the permutations have to be beaten.
	// It makes up for the search over places and lags that the permutations do not go through.
	surrogateMargin = 0.12
	// enoughSurrogates permutations are enough where all of them are beaten by clearMargin, or the significance is
	// twice the required one.
	enoughSurrogates, clearMargin = 6, 0.6
)

// significance compares a fit with what the same search finds in permutations of the same stretch, and
// returns its significance and whether that suffices. A fit that is obvious gets obviousZ without
// permutations. The stretch is cut into blocks of about one period, which keep the values, the noise and the
// short-range shape and lose the rhythm. Thresholds on distance alone cannot do this: they would have to know
// the noise.
//
// The significance is the distance from the permutations in their standard deviations, times the share of what
// is left to a perfect score by which the best of them is beaten. Neither is enough alone: the first fails if
// all permutations find nothing, the second if one finds much.
func (h *searcher) significance(p *pyramid, x fit) (z float64, ok bool) {
	if isObvious(x, p.at(x.level).noise) {
		return obviousZ, true
	}
	level := max(0, x.level-1)
	scale := float64(int(1) << level)
	unit := x.lag / scale
	half := int(16*max(unit, unitPoints)) + 128
	mid := x.seed >> level
	lo, hi := max(x.a>>level, mid-half), min(x.b>>level, mid+half, p.at(level).len())
	v := p.at(level).slice(lo, hi)
	score := func(v vector) float64 {
		return h.bestScore(h.small.over(v), unit, h.minLag>>level)
	}
	h.quick = true
	defer func() { h.quick = false }()
	actual := score(v) // on the same samples and by the same search as its rivals
	rng := rand.New(rand.NewPCG(1, uint64(hi-lo)))
	largest, sum, sum2 := 0.0, 0.0, 0.0
	for i := range h.par.surrogates {
		chance := score(permute(v, unit, rng))
		largest = max(largest, chance)
		sum += chance
		sum2 += chance * chance
		n := float64(i + 1)
		above := (actual - largest) / (1 - largest)
		if above < surrogateMargin {
			return 0, false
		}
		sd := math.Sqrt(max(sum2/n-square(sum/n), 0) + square(0.02))
		z = above * (actual - sum/n) / sd
		if i+1 >= enoughSurrogates && (above >= clearMargin || z >= 2*h.minZ) {
			return max(z, h.minZ), true
		}
	}
	return z, z >= h.minZ
}

// obviousZ is the significance given to obvious periods, which permutations cannot test.
const obviousZ = 10

// isObvious reports whether a fit far above the noise needs no permutation test: four to eight occurrences without a
// gap that fill nearly all of the stretch and are equal to within 4 % of their energy (four blocks have too few
// orders), or alikeRun successive periods that are alike in any part of the stretch (if a profile is flat between its
// cycles, permutations match the flat parts).
func isObvious(x fit, noise float64) bool {
	if x.t.energy >= 300*noise && longestAlike(x.occ)*x.t.periods >= alikeRun {
		return true
	}
	if n := len(x.occ); n < 4 || n > 8 {
		return false
	}
	length := x.occ[len(x.occ)-1].at[parts] - x.occ[0].at[0]
	return x.distance <= 0.04 && float64(length<<x.level) >= 0.93*float64(x.b-x.a) &&
		isUnbroken(x.occ) && x.t.energy >= 300*noise
}

const (
	// alikeRun successive periods are not chance if each differs from the template by at most alikeDistance and
	// from their mean length by at most alikeLength.
	alikeRun      = 8
	alikeDistance = 0.05
	alikeLength   = 0.04
)

// longestAlike returns the number of occurrences in the longest run without a gap in which each is within alikeDistance
// of the template and within alikeLength of the mean length of all.
func longestAlike(occ []occurrence) int {
	length := 0.0
	for _, o := range occ {
		length += float64(o.length()) / float64(len(occ))
	}
	best, run := 0, 0
	for i, o := range occ {
		if distance(occ[i:i+1]) > alikeDistance || math.Abs(float64(o.length())/length-1) > alikeLength {
			run = 0
			continue
		}
		if run > 0 && occ[i-1].at[parts] != o.at[0] {
			run = 0
		}
		run++
		best = max(best, run)
	}
	return best
}

// isUnbroken reports whether there is no gap between the occurrences.
func isUnbroken(occ []occurrence) bool {
	for i := 1; i < len(occ); i++ {
		if occ[i].at[0] != occ[i-1].at[parts] {
			return false
		}
	}
	return true
}

// bestScore returns the largest score of an acceptable fit, 0 without one, among the given lag and up to two
// other candidates between half of and twice that lag. minLag is the shortest lag searched, in samples.
func (h *searcher) bestScore(p *pyramid, lag float64, minLag int) float64 {
	n := p.at(0).len()
	top, tried := 0.0, 0
	if x, ok := h.fitLag(p, lag, 0, n, 0, n); ok && isAcceptable(x, p.at(x.level).noise) {
		top = x.score
	}
	for _, c := range h.lags.candidates(p, 0, n, minLag, h.par) {
		if c.lag < lag/2.1 || c.lag > 2.1*lag || math.Abs(c.lag/lag-1) < 0.02 {
			continue
		}
		if x, ok := h.fitLag(p, c.lag, 0, n, c.a, c.b); ok && isAcceptable(x, p.at(x.level).noise) {
			top = max(top, x.score)
		}
		if tried++; tried == 2 {
			break
		}
	}
	return top
}

// permute returns v cut into blocks of 0.5 to 1.5 units in random order.
func permute(v vector, unit float64, rng *rand.Rand) vector {
	type block struct{ a, b int }
	var blocks []block
	for a := 0; a < v.len(); {
		b := min(a+max(1, int(unit*(0.5+rng.Float64()))), v.len())
		blocks = append(blocks, block{a, b})
		a = b
	}
	rng.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	w := vector{c: make([][]float32, len(v.c)), noise: v.noise}
	for k, x := range v.c {
		y := make([]float32, 0, len(x))
		for _, b := range blocks {
			y = append(y, x[b.a:b.b]...)
		}
		w.c[k] = y
	}
	return w
}
