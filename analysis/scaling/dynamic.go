package scaling

import (
	"math"
	"slices"
)

const (
	// maxChanges bounds the changes of one series.
	maxChanges = 4
	// minGain is what each change after the first must add to the evidence.
	minGain = 4
)

// segmentation is a division of a series into a number of laws.
type segmentation struct {
	cuts  []int
	score float64 // log evidence, less the logarithm of the number of such segmentations
}

// dynamic finds the best cuts for every number of laws at once, by dynamic programming.
type dynamic struct {
	cost []cost // [a*(n+1)+b]: points a..b-1
	// lowestCost[(k*(q+1) + t)*(n+1) + b] is the least cost of points 0..b-1 under k
	// laws of which t have a term; from is where the last of them starts.
	lowestCost []float64
	from       []int32
	sums       costs
	two        [2]int // the cuts of three
}

// fill computes the costs of all ranges of points.
func (y *dynamic) fill(f *frame) {
	n := f.n
	y.resize(n)
	for a := 0; a < n; a++ {
		y.sums.reset()
		for b := a; b < n; b++ {
			y.sums.add(f, b)
			y.cost[a*(n+1)+b+1] = y.sums.lowest()
		}
	}
}

// resize sets the size of the cost table for n points.
func (y *dynamic) resize(n int) {
	if cap(y.cost) < n*(n+1) {
		y.cost = make([]cost, n*(n+1))
	}
	y.cost = y.cost[:n*(n+1)]
	y.sums.resize(n)
}

// solve fills the tables lowestCost and from for every number of laws up to laws, each on at least shortest consecutive
// points, of n points. fill must have computed the costs.
func (y *dynamic) solve(n, laws, shortest int) {
	size := (laws + 1) * (laws + 1) * (n + 1)
	y.lowestCost = resized(y.lowestCost, size)
	if cap(y.from) < size {
		y.from = make([]int32, size)
	}
	y.from = y.from[:size]
	for i := range y.lowestCost {
		y.lowestCost[i] = math.Inf(1)
	}
	at := func(k, t, b int) int { return (k*(laws+1)+t)*(n+1) + b }
	y.lowestCost[at(0, 0, 0)] = 0
	for k := 1; k <= laws; k++ {
		for b := k * shortest; b <= n; b++ {
			for a := (k - 1) * shortest; a <= b-shortest; a++ {
				c := y.cost[a*(n+1)+b]
				for t := 0; t < k; t++ {
					base := y.lowestCost[at(k-1, t, a)]
					if v := base + c.constant; v < y.lowestCost[at(k, t, b)] {
						y.lowestCost[at(k, t, b)], y.from[at(k, t, b)] = v, int32(a)
					}
					if v := base + c.term; v < y.lowestCost[at(k, t+1, b)] {
						y.lowestCost[at(k, t+1, b)], y.from[at(k, t+1, b)] = v, int32(-a-1)
					}
				}
			}
		}
	}
}

// best returns the best segmentation into k laws from the tables that solve filled for up to laws laws on n points. Its
// score is the log evidence, less termPenalty for each law with a term and the logarithm of the number of such
// segmentations; -Inf if none exists.
func (y *dynamic) best(p *prior, n, laws, k int, termPenalty float64) segmentation {
	at := func(k, t, b int) int { return (k*(laws+1)+t)*(n+1) + b }
	out := segmentation{score: math.Inf(-1)}
	terms := -1
	for t := 0; t <= k; t++ {
		s := y.lowestCost[at(k, t, n)]
		if math.IsInf(s, 1) || n-k-t < 1 {
			continue
		}
		if v := p.score(s, n, k+t, float64(t)*termPenalty); v > out.score {
			out.score, terms = v, t
		}
	}
	if terms < 0 {
		return out
	}
	out.score -= logChoose(n-1, k-1)
	out.cuts = make([]int, k-1)
	b := n
	for i := k; i > 1; i-- {
		a := int(y.from[at(i, terms, b)])
		if a < 0 {
			a = -a - 1
			terms--
		}
		out.cuts[i-2] = a
		b = a
	}
	return out
}

// logChoose returns the logarithm of the number of ways to choose k of n.
func logChoose(n, k int) float64 {
	if k == 2 {
		return math.Log(float64(n) * float64(n-1) / 2)
	}
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// three returns the best segmentation into three laws, and its score. It computes only the costs of ranges that can lie
// between two changes, and takes those of beginnings and ends from d.cost.
func (d *detector) three() segmentation {
	y, n, minPoints := &d.dynamic, d.f.n, minSegment
	y.resize(n)
	var best [4]float64 // by number of laws with a term
	var cuts [4][2]int
	for t := range best {
		best[t] = math.Inf(1)
	}
	for a := minPoints; a <= n-2*minPoints; a++ {
		y.sums.reset()
		for b := a; b < n-minPoints; b++ {
			y.sums.add(&d.f, b)
			if b+1-a < minPoints {
				continue
			}
			l, m, r := d.cost.left[a], y.sums.lowest(), d.cost.right[b+1]
			flat := l.constant + m.constant + r.constant
			// What a term gains in each of the three, largest first.
			g := descending(l.constant-l.term, m.constant-m.term, r.constant-r.term)
			for t := range best {
				if t > 0 {
					flat -= g[t-1]
				}
				if flat < best[t] {
					best[t], cuts[t] = flat, [2]int{a, b + 1}
				}
			}
		}
	}
	out := segmentation{score: math.Inf(-1)}
	y.two = [2]int{}
	for t, s := range best {
		if n-3-t < 1 || math.IsInf(s, 1) {
			continue
		}
		if v := d.prior.score(max(s, 0), n, 3+t, float64(t)*termPenalty); v > out.score {
			out.score = v
			y.two = cuts[t]
		}
	}
	out.cuts = y.two[:]
	out.score -= logChoose(n-1, 2)
	return out
}

// descending returns three numbers in descending order.
func descending(a, b, c float64) [3]float64 {
	if a < b {
		a, b = b, a
	}
	if b < c {
		b, c = c, b
	}
	if a < b {
		a, b = b, a
	}
	return [3]float64{a, b, c}
}

// placeChanges decides how many changes there are, at most maxChanges, and sets their places in out.cuts. Each change
// after the first must add minGain to the evidence. If jumped is set, one change was not found but two were: then it
// starts with two, the pair that three returned.
func (d *detector) placeChanges(out *detection, two segmentation, jumped bool) {
	n, minPoints := d.f.n, minSegment
	at := minPoints
	for c := minPoints; c <= n-minPoints; c++ {
		if d.split[c] > d.split[at] {
			at = c
		}
	}
	out.cuts = []int{at}
	if n < 3*minPoints {
		return
	}
	if !jumped {
		two = d.three()
		if two.score-(d.split[at]-math.Log(float64(n-1))) <= minGain {
			return
		}
	}
	out.cuts = slices.Clone(two.cuts)
	laws := min(maxChanges+1, n/minPoints)
	if laws < 4 {
		return
	}
	y := &d.dynamic
	y.fill(&d.f)
	y.solve(n, laws, minPoints)
	for k, prev := 4, two.score; k <= laws; k++ {
		g := y.best(&d.prior, n, laws, k, termPenalty)
		if g.score-prev <= minGain {
			return
		}
		out.cuts, prev = g.cuts, g.score
	}
}
