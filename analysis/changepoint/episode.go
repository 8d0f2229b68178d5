package changepoint

import (
	"cmp"
	"math"
	"slices"
)

// episodeRange is the runs [a,b) of a window whose level differs from that of the runs around them, with the
// evidence of a quick test in nats.
type episodeRange struct {
	a, b int
	nats float64
}

// An episode is a candidate if a quick test gives it episodeNats; the best episodeKeep candidates are fitted. A
// fit is moved to a better place only if it is within episodeMoveNats of the threshold, which is higher.
const (
	episodeNats     = 9.5
	episodeKeep     = 2
	episodeMoveNats = 4
	// episodeOwn is required for an episode beyond the best single change of the same runs: without that, and with
	// 12 runs, runs beside a true change were called an episode (0.35 false events per 1000 instead of 0.25 with
	// fields, seed 1).
	episodeOwn = 6
)

// bestEpisode searches the window [i,j) for a level that is left for a few runs and returns. Neither boundary alone may
// be evidence enough: on one side of a single boundary are few runs, or a mixture of levels. Both are tested as one
// claim, against all splits of the window. cut and b are the arguments that scan got, all is the list of splits that it
// fitted. A verdict without committed means that no episode was found.
func (sc *scanner) bestEpisode(i, j int, cut bool, all []split, b noisePrior) (claim, verdict) {
	places := sc.episodeCandidates(i, j, cut, b.s)
	if len(places) == 0 {
		return claim{}, verdict{}
	}
	single := sc.singleEvidence(i, j, all)
	var best claim
	best.evidence = math.Inf(-1)
	for _, s := range places {
		if c, ok := sc.refineEpisode(i, j, cut, s, b, single); ok && c.evidence > best.evidence {
			best = c
		}
	}
	if math.IsInf(best.evidence, -1) {
		return best, verdict{}
	}
	return best, sc.testClaim(&best, b)
}

// singleEvidence returns the evidence, in nats, of the best single change in the window [i,j), at least the
// value at which it begins to count against an episode.
func (sc *scanner) singleEvidence(i, j int, all []split) float64 {
	most := sc.p.Threshold - episodeOwn
	for q := range all {
		if c := &all[q]; c.evidence > most {
			sc.completeEvidence(sc.x[i:j], c, sc.outsideEvidence(i+c.k))
			most = max(most, c.evidence)
		}
	}
	return most
}

// episodeCandidates returns the most promising places of an episode in the window [i,j), by a quick test.
func (sc *scanner) episodeCandidates(i, j int, cut bool, s0 float64) []episodeRange {
	x := sc.x[i:j]
	n := len(x)
	first := sc.leastBefore(cut)
	if n < first+2*minSegment {
		return nil
	}
	sc.winsorise(x, s0)
	var best [episodeKeep]episodeRange
	for a := first; a <= n-2*minSegment; a++ {
		if !sc.startsNewTime(i + a) {
			continue
		}
		for e := a + minSegment; e <= min(a+sc.p.EpisodeRuns, n-minSegment); e++ {
			in, out := float64(e-a), float64(n-e+a)
			sum := sc.cum[e] - sc.cum[a]
			d := sum/in - (sc.cum[n]-sum)/out
			nats := d * d * in * out / (in + out) / 2
			if nats <= max(episodeNats, best[episodeKeep-1].nats) || !sc.startsNewTime(i+e) {
				continue
			}
			best[episodeKeep-1] = episodeRange{a, e, nats}
			slices.SortStableFunc(best[:], func(p, q episodeRange) int { return cmp.Compare(q.nats, p.nats) })
		}
	}
	k := 0
	for k < episodeKeep && best[k].nats > 0 {
		k++
	}
	return best[:k]
}

// leastBefore returns the least number of runs before an episode; cut says that the window does not reach back
// to the start of the regime.
func (sc *scanner) leastBefore(cut bool) int { return leastLeft(cut) + 2 }

// endShifts lists the shifts of an episode's ends that are tried to improve its fit.
var endShifts = [...]episodeRange{{a: -1}, {a: 1}, {b: -1}, {b: 1}, {a: -2}, {a: 2}, {b: -2}, {b: 2}}

// refineEpisode fits an episode and, if that may make it pass, moves its ends in up to four rounds to where the
// evidence is largest; false if it cannot be fitted.
func (sc *scanner) refineEpisode(i, j int, cut bool, s episodeRange, b noisePrior, single float64) (claim, bool) {
	best, ok := sc.episodeAt(i, j, s, b)
	best.single = single
	if !ok || !sc.promising(&best) {
		return best, ok
	}
	first := sc.leastBefore(cut)
	for range 4 {
		at := s
		for _, d := range endShifts {
			t := episodeRange{a: at.a + d.a, b: at.b + d.b}
			long := t.b - t.a
			if t.a < first || long < minSegment || long > sc.p.EpisodeRuns || t.b > j-i-minSegment ||
				!sc.startsNewTime(i+t.a) || !sc.startsNewTime(i+t.b) {
				continue
			}
			c, ok := sc.episodeAt(i, j, t, b)
			if !ok || c.evidence <= best.evidence {
				continue
			}
			if sc.completeEvidence(c.x, &c.split, c.expected); c.evidence > best.evidence {
				best, s = c, t
				best.single = single
			}
		}
		if s.a == at.a && s.b == at.b {
			break
		}
	}
	return best, true
}

// promising reports whether moving its ends may make an episode pass. Runs that alternate between two levels
// are full of episodes that never pass: to move the ends of each took four fifths of the time of such
// histories.
func (sc *scanner) promising(c *claim) bool {
	need := max(sc.p.Threshold, c.single+episodeOwn) - episodeMoveNats
	if c.evidence >= need {
		sc.completeEvidence(c.x, &c.split, c.expected)
	}
	return c.evidence >= need && sc.marginOverTurns(c, -episodeMoveNats) > -episodeMoveNats
}

// episodeAt fits an episode at the runs s of the window [i,j); false if a level has too few runs that agree.
func (sc *scanner) episodeAt(i, j int, s episodeRange, b noisePrior) (claim, bool) {
	x := slices.Concat(sc.x[i:i+s.a], sc.x[i+s.b:j], sc.x[i+s.a:i+s.b])
	c, ok := sc.fitSplit(x, len(x)-(s.b-s.a), b)
	if !ok {
		return claim{}, false
	}
	m := claim{split: c, x: x, from: i, until: j, boundaries: 2}
	m.parts = [3]levelPiece{{sc.start, i + s.a, c.left.mu}, {i + s.a, i + s.b, c.right.mu}, {i + s.b, j, c.left.mu}}
	sc.addOutsideEvidence(&m)
	l := sc.loss(c.s)
	for _, v := range sc.x[i : i+s.a] {
		m.around[0] += l.Weight(v - c.left.mu)
	}
	for _, v := range sc.x[i+s.b : j] {
		m.around[1] += l.Weight(v - c.left.mu)
	}
	sc.tightenEvidence(x, &m.split, m.expected)
	return m, true
}

// commitBoth appends the two ends of an episode to the committed events; i is the first run of the window in
// which the claim m counts runs.
func (sc *scanner) commitBoth(ev []event, i, newest int, m claim, v verdict) []event {
	l := sc.loss(m.s)
	for q := 1; q <= 2; q++ {
		left, right := m.parts[q-1], m.parts[q]
		c := m.split
		c.k = right.first - i
		if q == 2 {
			c.left, c.right = c.right, c.left
		}
		e := sc.event(i, newest, c, v)
		e.first, e.last = sc.placeBetween(left, right, &l)
		e.unaided = unaidedPlace{e.index, e.first, e.last}
		sc.identify(&e, sc.start+1, right.end)
		e.before, e.resumed = len(sc.past), e.index
		ev = append(ev, e)
		sc.past = append(sc.past, pastRegime{sc.start, e.index, left.mu, c.s})
		sc.start = e.index
	}
	return ev
}

// placeBetween returns the first and the last run at which the boundary between two pieces may lie: those
// within placeNats of the given one.
func (sc *scanner) placeBetween(left, right levelPiece, l *loss) (first, last int) {
	first, last = right.first, right.first
	worse := 0.0
	for k := right.first - 1; k > left.first && worse <= 2*placeNats; k-- {
		worse += l.Cost(sc.x[k]-right.mu) - l.Cost(sc.x[k]-left.mu)
		if worse <= placeNats && sc.startsNewTime(k) {
			first = k
		}
	}
	worse = 0
	for k := right.first + 1; k < right.end && worse <= 2*placeNats; k++ {
		worse += l.Cost(sc.x[k-1]-left.mu) - l.Cost(sc.x[k-1]-right.mu)
		if worse <= placeNats && sc.startsNewTime(k) {
			last = k
		}
	}
	return first, last
}

// excursionRuns is the longest stay, in runs, at another level that counts as an excursion.
const excursionRuns = 5

// markExcursions marks each pair of consecutive steps in opposite directions within excursionRuns runs as the
// two ends of an excursion, with a common group; a step belongs to one pair at most.
func markExcursions(ev []event) {
	group := 0
	for q := 1; q < len(ev); q++ {
		a, b := &ev[q-1], &ev[q]
		if a.group != nil || a.kind != Step || b.kind != Step ||
			b.index-a.index > excursionRuns || (a.effect > 0) == (b.effect > 0) {
			continue
		}
		g := group
		group++
		a.kind, b.kind = Excursion, Excursion
		a.group, b.group = &g, &g
	}
}
