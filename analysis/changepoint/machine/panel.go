package machine

import (
	"math"

	"jobgait/analysis/internal/robust"
)

// witness is one series of those that tell a shift: the mean of its runs.
type witness struct {
	member, owner, n int
	off, noise       float64 // of the mean
}

// panel gathers the runs that one look at the machine meets, by series.
type panel struct {
	look, side int
	met, heard []sighting // by member, by owner
	list       []witness
	owners     []int
	rest       []witness // room to work in
	sorted     []witness
	buf        []float64
	rank       []int
}

// sighting is what a look has met of a member or an owner: how many runs on the
// present side, and its place in the list or its number of series.
type sighting struct{ look, side, runs, place int }

func newPanel(members int) panel {
	return panel{met: make([]sighting, members), heard: make([]sighting, members)}
}

// begin starts a look.
func (l *panel) begin() {
	l.look++
	l.list, l.owners = l.list[:0], l.owners[:0]
	l.turn()
}

// turn starts the other side of the run looked at.
func (l *panel) turn() { l.side++ }

// of counts the runs of the present side.
func (l *panel) of(s *sighting) int {
	if s.side < l.side {
		s.side, s.runs = l.side, 0
	}
	return s.runs
}

// room says whether one more run of a series and its owner is to be looked at:
// one that is busy is not the machine.
func (l *panel) room(o *moment) bool {
	return l.of(&l.met[o.member]) < perSeries && l.of(&l.heard[o.owner]) < perOwner
}

// add takes a run.
func (l *panel) add(o *moment) {
	s, h := &l.met[o.member], &l.heard[o.owner]
	if h.look < l.look {
		h.look, h.place = l.look, 0
		l.owners = append(l.owners, o.owner)
	}
	if s.look < l.look {
		s.look, s.place = l.look, len(l.list)
		l.list = append(l.list, witness{member: o.member, owner: o.owner})
		h.place++
	}
	s.runs++
	h.runs++
	w := &l.list[s.place]
	w.n++
	// Means so far; the noise of a run is that of its series.
	w.off += (o.off - w.off) / float64(w.n)
	w.noise = o.noise / math.Sqrt(float64(w.n))
}

// estimate is what runs of others show, 0 where they are of too few series or
// owners. What one owner's series show together may be his library: where an
// owner has several, and a fair part of all, only what is left without him
// counts too, and the smaller shift is believed. So none makes a machine alone.
func (l *panel) estimate() estimate {
	if !l.enough() {
		return estimate{}
	}
	e := l.mean(l.list)
	for _, owner := range l.owners {
		if n := l.heard[owner].place; n < 2 || float64(n) < largeOwner*float64(len(l.list)) {
			continue
		}
		l.rest = l.rest[:0]
		for _, w := range l.list {
			if w.owner != owner {
				l.rest = append(l.rest, w)
			}
		}
		switch r := l.mean(l.rest); {
		case r.shift*e.shift <= 0:
			e.shift = 0
		case math.Abs(r.shift) < math.Abs(e.shift):
			e.shift, e.se = r.shift, r.se
		}
	}
	return e
}

// largeOwner is the part of all series from which on an owner of several is
// left out once: fewer are outvoted.
const largeOwner = .25

// enough says whether runs are of as many series, and owners, as tell of a
// machine.
func (l *panel) enough() bool {
	return len(l.list) >= fewest && len(l.owners) >= fewestOwners
}

// mean is the mean of what series show, each weighted by how quiet it is, from
// the weighted median and with what lies more than two noises from it drawn in:
// a series of half a per cent tells more than one of ten. No series counts as
// less noisy than half the median one, or a disturbed run of the quietest would
// be the machine. The standard error is that of series, not of runs, since the
// error of a level is in all its runs; it is raised where they agree less than
// their noise allows, and where they are few.
func (l *panel) mean(one []witness) estimate {
	l.buf = l.buf[:0]
	runs := 0
	for _, o := range one {
		l.buf = append(l.buf, o.noise)
		runs += o.n
	}
	robust.Rank(l.buf, len(one)/2)
	least := l.buf[len(one)/2] / 2
	for i := range one {
		one[i].noise = math.Max(one[i].noise, least)
	}
	l.ascending(one)
	mid := weightedMedian(one)
	var w, wx, wr float64
	for _, o := range one {
		d := math.Max(-2*o.noise, math.Min(2*o.noise, o.off-mid))
		v := 1 / (o.noise * o.noise)
		w, wx, wr = w+v, wx+v*d, wr+v*d*d
	}
	df := math.Max(float64(len(one)-1), 1)
	// Drawn in at two, normal values have a variance of .78. The last factor is
	// about Student's t over the normal at three standard errors.
	agree := math.Max(1, (wr-wx*wx/w)/(.78*df))
	return estimate{mid + wx/w, 1.05 * math.Sqrt(agree/w) * (1 + 3/df), runs}
}

// ascending sorts what series show. All pairs are compared, without a branch: of
// some 24, half of the comparisons of a faster method would be guessed wrong. It
// takes a third of the time of sorting; equal ones stay as they were met.
func (l *panel) ascending(one []witness) {
	l.rank = append(l.rank[:0], make([]int, len(one))...)
	l.buf = l.buf[:0]
	for i, o := range one {
		before := 0
		for k, v := range l.buf {
			less := int(math.Float64bits(o.off-v) >> 63) // the sign
			l.rank[k] += less
			before += less
		}
		l.rank[i] = i - before
		l.buf = append(l.buf, o.off)
	}
	l.sorted = append(l.sorted[:0], one...)
	for i, r := range l.rank {
		one[r] = l.sorted[i]
	}
}

// weightedMedian is the median of what series show, by the inverse of noise, of
// series in the order of what they show.
func weightedMedian(one []witness) float64 {
	total, sum := 0.0, 0.0
	for _, o := range one {
		total += 1 / o.noise
	}
	for _, o := range one {
		if sum += 1 / o.noise; sum >= total/2 {
			return o.off
		}
	}
	return 0
}
