package periodicity

import (
	"math/rand/v2"
)

// significant compares a fit with what the same search finds in permutations
// of the same stretch: cut into blocks of about one period, which keep the
// values, the noise and the short-range shape and lose the rhythm. Thresholds
// on distance alone cannot do this: they would have to know the noise.
func significant(f *lagFinder, p pyramid, x fit, minLag int, par Params) bool {
	if obvious(x, p[x.level].noise) {
		return true
	}
	level := max(0, x.level-1)
	scale := float64(int(1) << level)
	unit := x.lag / scale
	half := int(20*max(unit, unitPoints)) + 256
	mid := x.seed >> level
	lo, hi := max(x.a>>level, mid-half), min(x.b>>level, mid+half, p[level].len())
	v := p[level].slice(lo, hi)
	score := func(v vector) float64 { return best(f, newPyramid(v), unit, minLag>>level, par) }
	actual := score(v) // on the same samples and by the same search as its rivals
	rng := rand.New(rand.NewPCG(par.Seed, uint64(hi-lo)))
	largest := 0.0
	for i := range par.Surrogates {
		chance := score(permute(v, unit, rng))
		if actual-chance < par.Margin*(1-chance) {
			return false
		}
		largest = max(largest, chance)
		if i+1 >= par.EnoughSurrogates && actual-largest >= par.ClearMargin*(1-largest) {
			return true
		}
	}
	return true
}

// obvious says of a handful of occurrences that they are equal to within 1 %
// of their energy, a thousand times over the noise, without gap: four blocks
// have too few orders for permutations to say anything.
func obvious(x fit, noise float64) bool {
	if n := len(x.occ); n < 4 || n > 8 {
		return false
	}
	length := x.occ[len(x.occ)-1].at[parts] - x.occ[0].at[0]
	return x.distance <= 0.01 && float64(length<<x.level) >= 0.95*float64(x.b-x.a) &&
		unbroken(x.occ) && x.t.energy >= 1000*noise
}

func unbroken(occ []occurrence) bool {
	for i := 1; i < len(occ); i++ {
		if occ[i].at[0] != occ[i-1].at[parts] {
			return false
		}
	}
	return true
}

// best is the largest score of a lag between a half and the double of lag.
func best(f *lagFinder, p pyramid, lag float64, minLag int, par Params) float64 {
	n := p[0].len()
	top, tried := 0.0, 0
	if x, ok := fitLag(p, lag, 0, n, 0, n, par); ok && acceptable(x, p[x.level].noise, par) {
		top = x.score
	}
	for _, c := range f.candidates(p, 0, n, minLag, par) {
		if c.lag < lag/2.1 || c.lag > 2.1*lag {
			continue
		}
		if x, ok := fitLag(p, c.lag, 0, n, c.a, c.b, par); ok && acceptable(x, p[x.level].noise, par) {
			top = max(top, x.score)
		}
		if tried++; tried == 3 {
			break
		}
	}
	return top
}

// permute cuts v into blocks of 0.5 to 1.5 units and shuffles them.
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
