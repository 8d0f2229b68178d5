package changepoint

import "math"

// piece is the runs [first,end) at a level.
type piece struct {
	first, end int
	mu         float64
}

// claim is what is judged: one change, or the two ends of an episode, between
// which a level is left and found again. The split is that of the runs x, with
// those of the left level first.
type claim struct {
	split
	x           []float64
	from, until int // the window
	boundaries  int
	parts       [3]piece   // in time order, since the regime began
	around      [2]float64 // the weight of the left level before and after the right one
	expected    float64    // evidence from outside the values
	others      float64    // of it that of other series
	flipped     bool       // a recorded field changed at the first boundary
	single      float64    // for an episode: evidence of the best single split
}

// pieces are the levels that are claimed, in time order.
func (c *claim) pieces() []piece { return c.parts[:c.boundaries+1] }

// one is the claim that split c of the window [i,j) is a change.
func (sc *scanner) one(i, j int, c split) claim {
	at := i + c.k
	m := claim{split: c, x: sc.x[i:j], from: i, until: j, boundaries: 1}
	m.parts[0], m.parts[1] = piece{sc.start, at, c.left.mu}, piece{at, j, c.right.mu}
	m.around[0] = c.left.weight
	sc.beside(&m)
	return m
}

// beside adds what is known beside the values at the boundaries of a claim.
func (sc *scanner) beside(c *claim) {
	for _, q := range c.pieces()[1:] {
		c.expected += sc.expected(q.first)
		if sc.prior != nil {
			c.others += sc.prior[q.first]
		}
	}
	c.flipped = sc.flips != nil && sc.flips[c.parts[1].first] > 0
}

// episodeMore is required for an episode beyond one change, because it may have any length.
const episodeMore = 4

// few returns the evidence required for the levels of a claim because they have few runs. The first level of a
// history and the last of an episode may be outliers as well.
func (sc *scanner) few(c *claim) float64 {
	up := c.right.mu > c.left.mu
	asked := fewRuns(c.right.weight, up)
	if c.from == 0 {
		asked += fewRuns(c.around[0], !up)
	}
	if c.boundaries == 2 {
		asked += fewRuns(c.around[1], !up) + episodeMore
	}
	return asked
}

// fewRuns returns the evidence that a level of three to five runs needs beyond the threshold. weight is the number
// of its runs without outliers. A level above its neighbour needs more: slow outliers in a row look like one. The 18
// make three runs an outlier run until another level follows.
func fewRuns(weight float64, up bool) float64 {
	asked, above := [...]float64{18, 3, 2}, [...]float64{5, 2, 1}
	n := max(int(math.Ceil(weight-0.3))-3, 0)
	if n >= len(asked) {
		return 0
	}
	if up {
		return asked[n] + above[n]
	}
	return asked[n]
}
