package changepoint

import "math"

// levelPiece is the runs [first,end) with their level mu, in log units.
type levelPiece struct {
	first, end int
	mu         float64
}

// claim is a hypothesis that is tested: one change, or the two ends of an episode, after which the first level
// returns. The split is that of the runs x, ordered with those of the left level first.
type claim struct {
	split
	x           []float64
	from, until int // the window
	boundaries  int
	parts       [3]levelPiece // in time order, since the regime began
	around      [2]float64    // the weight of the left level before and after the right one
	expected    float64       // evidence from outside the values
	others      float64       // of it that of other series
	flipped     bool          // a recorded field changed at the first boundary
	single      float64       // for an episode: evidence of the best single split
}

// pieces returns the levels of the claim in time order.
func (c *claim) pieces() []levelPiece { return c.parts[:c.boundaries+1] }

// changeClaim returns the claim that split c of the window [i,j) is one change.
func (sc *scanner) changeClaim(i, j int, c split) claim {
	at := i + c.k
	m := claim{split: c, x: sc.x[i:j], from: i, until: j, boundaries: 1}
	m.parts[0], m.parts[1] = levelPiece{sc.start, at, c.left.mu}, levelPiece{at, j, c.right.mu}
	m.around[0] = c.left.weight
	sc.addOutsideEvidence(&m)
	return m
}

// addOutsideEvidence adds to a claim the evidence of recorded fields and of other series at its boundaries. It also
// sets flipped: whether a recorded field changed at the first boundary.
func (sc *scanner) addOutsideEvidence(c *claim) {
	for _, q := range c.pieces()[1:] {
		c.expected += sc.outsideEvidence(q.first)
		if sc.prior != nil {
			c.others += sc.prior[q.first]
		}
	}
	c.flipped = sc.flips != nil && sc.flips[c.parts[1].first] > 0
}

// extraEpisodeNats is required for an episode beyond what one change needs, because it may have any length.
const extraEpisodeNats = 4

// requiredForFewRuns returns the additional evidence, in nats, required of a claim because its levels have few
// runs. The first level of a history and the last of an episode may be outliers as well.
func (sc *scanner) requiredForFewRuns(c *claim) float64 {
	up := c.right.mu > c.left.mu
	required := fewRunsNats(c.right.weight, up)
	if c.from == 0 {
		required += fewRunsNats(c.around[0], !up)
	}
	if c.boundaries == 2 {
		required += fewRunsNats(c.around[1], !up) + extraEpisodeNats
	}
	return required
}

// fewRunsNats returns the evidence, in nats, that a level of three to five runs needs beyond the threshold.
// weight is the number of its runs without outliers. A level above its neighbour needs more: slow outliers in a
// row look like one. The 18 make three runs an outlier run until another level follows.
func fewRunsNats(weight float64, up bool) float64 {
	required, above := [...]float64{18, 3, 2}, [...]float64{5, 2, 1}
	n := max(int(math.Ceil(weight-0.3))-3, 0)
	if n >= len(required) {
		return 0
	}
	if up {
		return required[n] + above[n]
	}
	return required[n]
}
