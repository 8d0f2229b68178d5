package changepoint

import (
	"cmp"
	"math"
	"slices"
)

// outing is the runs [a,b) of a window at another level than those around it.
type outing struct {
	a, b int
	nats float64
}

// An episode is looked for where the quick look gives it episodeNats, and
// episodeKeep of them are fitted: the threshold of evidence is higher. A fit is
// moved to a better place only if it is within episodeNear of the threshold.
const (
	episodeNats = 9.5
	episodeKeep = 2
	episodeNear = 4
	// episodeOwn is required for an episode beyond the best single change of the same runs: without that, and with
	// 12 runs, runs beside a true change were called an episode (0.35 false events per 1000 instead of 0.25 with
	// fields, seed 1).
	episodeOwn = 6
)

// episode looks for a level that is left for a few runs and found again. Neither
// boundary alone may be evidence enough: on one side of a single boundary are few
// runs, or a mixture of levels. Both are judged as one claim,
// beside all splits of the window.
func (sc *scanner) episode(i, j int, cut bool, all []split, b belief) (claim, verdict) {
	places := sc.outings(i, j, cut, b.s)
	if len(places) == 0 {
		return claim{}, verdict{}
	}
	single := sc.single(i, j, all)
	var best claim
	best.evidence = math.Inf(-1)
	for _, s := range places {
		if c, ok := sc.settle(i, j, cut, s, b, single); ok && c.evidence > best.evidence {
			best = c
		}
	}
	if math.IsInf(best.evidence, -1) {
		return best, verdict{}
	}
	return best, sc.judge(&best, b)
}

// single is the evidence of the best single change, or that from which on it
// counts against an episode.
func (sc *scanner) single(i, j int, all []split) float64 {
	most := sc.p.Threshold - episodeOwn
	for q := range all {
		if c := &all[q]; c.evidence > most {
			sc.complete(sc.x[i:j], c, sc.expected(i+c.k))
			most = max(most, c.evidence)
		}
	}
	return most
}

// outings returns the most promising places of an episode in the window [i,j).
func (sc *scanner) outings(i, j int, cut bool, s0 float64) []outing {
	x := sc.x[i:j]
	n := len(x)
	first := sc.leastBefore(cut)
	if n < first+2*minSegment {
		return nil
	}
	sc.winsorise(x, s0)
	var best [episodeKeep]outing
	for a := first; a <= n-2*minSegment; a++ {
		if !sc.separate(i + a) {
			continue
		}
		for e := a + minSegment; e <= min(a+sc.p.EpisodeRuns, n-minSegment); e++ {
			in, out := float64(e-a), float64(n-e+a)
			sum := sc.cum[e] - sc.cum[a]
			d := sum/in - (sc.cum[n]-sum)/out
			nats := d * d * in * out / (in + out) / 2
			if nats <= max(episodeNats, best[episodeKeep-1].nats) || !sc.separate(i+e) {
				continue
			}
			best[episodeKeep-1] = outing{a, e, nats}
			slices.SortStableFunc(best[:], func(p, q outing) int { return cmp.Compare(q.nats, p.nats) })
		}
	}
	k := 0
	for k < episodeKeep && best[k].nats > 0 {
		k++
	}
	return best[:k]
}

// leastBefore is the fewest runs before an episode.
func (sc *scanner) leastBefore(cut bool) int { return leastLeft(cut) + 2 }

// moves are the ways in which the ends of an episode are tried elsewhere.
var moves = [...]outing{{a: -1}, {a: 1}, {b: -1}, {b: 1}, {a: -2}, {a: 2}, {b: -2}, {b: 2}}

// settle fits an episode and moves its ends to where the evidence is most.
func (sc *scanner) settle(i, j int, cut bool, s outing, b belief, single float64) (claim, bool) {
	best, ok := sc.episodeAt(i, j, s, b)
	best.single = single
	if !ok || !sc.promising(&best) {
		return best, ok
	}
	first := sc.leastBefore(cut)
	for range 4 {
		at := s
		for _, d := range moves {
			t := outing{a: at.a + d.a, b: at.b + d.b}
			long := t.b - t.a
			if t.a < first || long < minSegment || long > sc.p.EpisodeRuns || t.b > j-i-minSegment ||
				!sc.separate(i+t.a) || !sc.separate(i+t.b) {
				continue
			}
			c, ok := sc.episodeAt(i, j, t, b)
			if !ok || c.evidence <= best.evidence {
				continue
			}
			if sc.complete(c.x, &c.split, c.expected); c.evidence > best.evidence {
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

// promising says whether better places may make an episode pass where this one
// does not. Runs of two levels that take turns are full of stays that do not: to
// move the ends of each took four fifths of the time of such histories.
func (sc *scanner) promising(c *claim) bool {
	need := max(sc.p.Threshold, c.single+episodeOwn) - episodeNear
	if c.evidence >= need {
		sc.complete(c.x, &c.split, c.expected)
	}
	return c.evidence >= need && sc.alternating(c)+max(0, c.expected) > -episodeNear
}

// episodeAt fits an episode at one place.
func (sc *scanner) episodeAt(i, j int, s outing, b belief) (claim, bool) {
	x := slices.Concat(sc.x[i:i+s.a], sc.x[i+s.b:j], sc.x[i+s.a:i+s.b])
	c, ok := sc.weigh(x, len(x)-(s.b-s.a), b)
	if !ok {
		return claim{}, false
	}
	m := claim{split: c, x: x, from: i, until: j, boundaries: 2}
	m.parts = [3]piece{{sc.start, i + s.a, c.left.mu}, {i + s.a, i + s.b, c.right.mu}, {i + s.b, j, c.left.mu}}
	sc.beside(&m)
	l := sc.loss(c.s)
	for _, v := range sc.x[i : i+s.a] {
		m.around[0] += l.Weight(v - c.left.mu)
	}
	for _, v := range sc.x[i+s.b : j] {
		m.around[1] += l.Weight(v - c.left.mu)
	}
	m.evidence += m.expected
	return m, true
}

// commitBoth adds the two ends of an episode.
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
		sc.identify(&e, sc.start+1, right.end)
		e.before, e.resumed = len(sc.past), e.index
		ev = append(ev, e)
		sc.past = append(sc.past, past{sc.start, e.index, left.mu, c.s})
		sc.start = e.index
	}
	return ev
}

// placeBetween returns the first and the last run at which the boundary of two
// pieces may be as well, within placeNats.
func (sc *scanner) placeBetween(left, right piece, l *loss) (first, last int) {
	first, last = right.first, right.first
	worse := 0.0
	for k := right.first - 1; k > left.first && worse <= 2*placeNats; k-- {
		worse += l.Cost(sc.x[k]-right.mu) - l.Cost(sc.x[k]-left.mu)
		if worse <= placeNats && sc.separate(k) {
			first = k
		}
	}
	worse = 0
	for k := right.first + 1; k < right.end && worse <= 2*placeNats; k++ {
		worse += l.Cost(sc.x[k-1]-left.mu) - l.Cost(sc.x[k-1]-right.mu)
		if worse <= placeNats && sc.separate(k) {
			last = k
		}
	}
	return first, last
}

// excursionRuns is the longest stay that makes an up and a down one excursion.
const excursionRuns = 5

// excursions marks each pair of events that leave a level and come back to it
// within excursionRuns runs: the two ends share a group.
func excursions(ev []event) {
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
