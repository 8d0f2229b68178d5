package changepoint

import "math"

// turnsApart is how many times their noise two fitted levels must be apart to be
// held against a change. Noise alone can be split in two halves that look
// nearer: at 2.5 a change of 3 % of a real history was lost.
const turnsApart = 3

// turnsRounds is how often levels, noise and chances of turns are improved.
const turnsRounds = 6

// turns are two levels between which runs take turns: their noise, and the
// chances to leave each from one run to the next.
type turns struct {
	a, b, s        float64
	leaveA, leaveB float64
}

// turning is alternating with levels and noise that are fitted to turns. Where a
// history had turned before, the levels of the claimed change are mixtures and
// its noise is what they leave over: 20 % at a noise of 5 % looked two noises
// apart instead of 3.6, and turns at such levels explain nothing. The change
// gets the same: its noise is fitted too, and it may take the levels of the
// turns, so that what counts are the turns and nothing else. Episodes are asked
// for at levels that are not mixtures.
func (sc *scanner) turning(c *claim, b belief) float64 {
	least := math.Inf(1)
	if c.boundaries == 2 {
		return least
	}
	for _, t := range sc.tellings(c) {
		f, explained := sc.fitTurns(sc.x[t.first:c.until], turns{t.a, t.b, t.noise(sc, c.s, b), 0.2, 0.2}, b)
		if math.Abs(f.a-f.b) < turnsApart*f.s {
			continue
		}
		change := min(t.surprise(sc, c.s, b), t.surprise(sc, t.noise(sc, c.s, b), b), t.surprise(sc, f.s, b))
		change = min(change, t.at(f.a, f.b).surprise(sc, f.s, b))
		least = min(least, explained-change-t.extra-sc.askedOfTurns(t.first, c))
	}
	return least
}

// surprise is the negative log likelihood of the runs of a telling, and of the
// belief of the noise, at noise s.
func (t telling) surprise(sc *scanner, s float64, b belief) float64 {
	l := newLoss(s, sc.p)
	sum := b.surprise(s)
	for _, q := range t.pieces {
		for _, v := range sc.x[q.first:q.end] {
			sum += math.Log(s) - math.Log(l.likelihood(v-q.mu))
		}
	}
	return sum
}

// noise is the noise that the levels of a telling leave, begun at s.
func (t telling) noise(sc *scanner, s float64, b belief) float64 {
	for range 3 {
		l := newLoss(s, sc.p)
		square, weight := b.weight*b.s*b.s, b.weight
		for _, q := range t.pieces {
			for _, v := range sc.x[q.first:q.end] {
				w := l.weight(v - q.mu)
				square += w * sq(v-q.mu)
				weight += w
			}
		}
		s = max(leastNoise, math.Sqrt(square/weight))
	}
	return s
}

// at is the telling with each level replaced by that of two which it is of.
func (t telling) at(a, b float64) telling {
	pieces := make([]piece, len(t.pieces))
	for k, q := range t.pieces {
		switch late := len(t.pieces) - k; {
		case late == 1:
			q.mu = b
		case late == 2 || math.Abs(q.mu-a) < math.Abs(q.mu-b):
			q.mu = a
		default:
			q.mu = b
		}
		pieces[k] = q
	}
	t.pieces = pieces
	return t
}

// surprise is the negative log likelihood of noise s, up to a constant.
func (b belief) surprise(s float64) float64 {
	return b.weight * (math.Log(s) + b.s*b.s/(2*s*s))
}

// fitTurns improves f on runs x by expectation and maximisation, and returns the
// best with its negative log likelihood.
func (sc *scanner) fitTurns(x []float64, f turns, b belief) (turns, float64) {
	best, least := f, math.Inf(1)
	inA := make([]float64, len(x))
	for range turnsRounds {
		surprise := sc.forward(x, f, b)
		if surprise < least {
			best, least = f, surprise
		}
		fromA, fromB := sc.backward(f, inA)
		var ok bool
		if f, ok = f.improved(x, inA, fromA, fromB, b, sc.p); !ok {
			return best, least
		}
	}
	if surprise := sc.forward(x, f, b); surprise < least {
		best, least = f, surprise
	}
	return best, least
}

// forward runs x through turns f. It leaves in cum, for each run, the
// likelihoods in both states, the share of the first state after it, and the
// likelihood of the run given those before.
func (sc *scanner) forward(x []float64, f turns, b belief) float64 {
	l := newLoss(f.s, sc.p)
	sc.cum = sc.cum[:0]
	pa := f.leaveB / (f.leaveA + f.leaveB)
	sum := b.surprise(f.s) + float64(len(x))*math.Log(f.s)
	for _, v := range x {
		la, lb := l.likelihood(v-f.a), l.likelihood(v-f.b)
		s := pa*la + (1-pa)*lb
		share := pa * la / s
		sc.cum = append(sc.cum, la, lb, share, s)
		sum -= math.Log(s)
		pa = share*(1-f.leaveA) + (1-share)*f.leaveB
	}
	return sum
}

// backward fills inA with the share of the first state in each run, and returns
// how often each state was left.
func (sc *scanner) backward(f turns, inA []float64) (fromA, fromB float64) {
	a, b := 1.0, 1.0
	for q := len(inA) - 1; q >= 0; q-- {
		at := sc.cum[4*q : 4*q+4]
		inA[q] = at[2] * a / (at[2]*a + (1-at[2])*b)
		if q == 0 {
			break
		}
		la, lb, before := at[0]*a/at[3], at[1]*b/at[3], sc.cum[4*q-2]
		fromA += before * f.leaveA * lb
		fromB += (1 - before) * f.leaveB * la
		a, b = (1-f.leaveA)*la+f.leaveA*lb, f.leaveB*la+(1-f.leaveB)*lb
	}
	return fromA, fromB
}

// improved returns f as the runs have it that are in its states with those
// shares. It is not ok when a state has no run.
func (f turns) improved(x, inA []float64, fromA, fromB float64, bl belief, p Params) (turns, bool) {
	l := newLoss(f.s, p)
	var a, b seat
	all := 0.0
	for q, v := range x {
		a.join(v, inA[q]*l.weight(v-f.a))
		b.join(v, (1-inA[q])*l.weight(v-f.b))
		all += inA[q]
	}
	if a.n < 1 || b.n < 1 {
		return f, false
	}
	square := bl.weight * bl.s * bl.s
	for q, v := range x {
		square += inA[q]*l.weight(v-f.a)*sq(v-a.mu) + (1-inA[q])*l.weight(v-f.b)*sq(v-b.mu)
	}
	slowest, fastest := leaving[0], leaving[len(leaving)-1]
	return turns{
		a: a.mu, b: b.mu,
		s:      max(leastNoise, math.Sqrt(square/(bl.weight+a.n+b.n))),
		leaveA: max(slowest, min(fastest, fromA/max(all, 1))),
		leaveB: max(slowest, min(fastest, fromB/max(float64(len(x))-all, 1))),
	}, true
}
