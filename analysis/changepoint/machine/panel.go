package machine

import (
	"math"

	"jobgait/analysis/internal/robust"
)

// seriesMean is the mean deviation, with its noise, of the runs of one series from which a shift is estimated.
type seriesMean struct {
	member, owner, n int
	off, noise       float64 // of the mean
}

// panel collects, by series, the runs from which one shift of the machine is estimated.
type panel struct {
	look, side        int
	bySeries, byOwner []panelEntry // by member, by owner
	list              []seriesMean
	owners            []int
	rest              []seriesMean // room to work in
	sorted            []seriesMean
	buf               []float64
	order             []placedShift
}

// placedShift is the deviation of a series and its place in a list.
type placedShift struct {
	off   float64
	place int
}

// panelEntry counts the collected runs of a member or an owner on the present side; place is the index in the
// list, or for an owner the number of its series.
type panelEntry struct{ look, side, runs, place int }

func newPanel(members int) panel {
	return panel{bySeries: make([]panelEntry, members), byOwner: make([]panelEntry, members)}
}

// begin starts the collection for another run.
func (l *panel) begin() {
	l.look++
	l.list, l.owners = l.list[:0], l.owners[:0]
	l.otherSide()
}

// otherSide starts the collection on the other side of the run.
func (l *panel) otherSide() { l.side++ }

// runsOnSide returns the number of collected runs of an entry on the present side.
func (l *panel) runsOnSide(s *panelEntry) int {
	if s.side < l.side {
		s.side, s.runs = l.side, 0
	}
	return s.runs
}

// hasRoom reports whether one more run of a series and of its owner may be added: a busy one must not dominate.
func (l *panel) hasRoom(o *moment) bool {
	return l.runsOnSide(&l.bySeries[o.member]) < perSeries && l.runsOnSide(&l.byOwner[o.owner]) < perOwner
}

// add adds a run to the mean of its series.
func (l *panel) add(o *moment) {
	s, h := &l.bySeries[o.member], &l.byOwner[o.owner]
	if h.look < l.look {
		h.look, h.place = l.look, 0
		l.owners = append(l.owners, o.owner)
	}
	if s.look < l.look {
		s.look, s.place = l.look, len(l.list)
		l.list = append(l.list, seriesMean{member: o.member, owner: o.owner})
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

// estimate returns the shift that the collected runs show, zero if they are of too few series or owners.
// Several series of one owner may share a library: for an owner of several series and of a large part of all,
// the shift is also estimated without them, and the smallest shift is returned.
func (l *panel) estimate() estimate {
	if !l.hasEnough() {
		return estimate{}
	}
	e := l.mean(l.list)
	for _, owner := range l.owners {
		if n := l.byOwner[owner].place; n < 2 || float64(n) < largeOwner*float64(len(l.list)) {
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

// largeOwner is the share of all series at which an owner of several is left out once: smaller ones are
// outvoted.
const largeOwner = .25

// hasEnough reports whether the runs are of at least fewest series and fewestOwners owners.
func (l *panel) hasEnough() bool {
	return len(l.list) >= fewest && len(l.owners) >= fewestOwners
}

// mean returns the mean of the series' deviations, each weighted by the inverse of its noise, with values
// more than two noises from the weighted median drawn in. The noise of a series is taken as at least half the
// median noise, so that a disturbed run of the quietest does not decide. The standard error is that of
// series, not of runs, since the error of a level is in all its runs; it is raised where they agree less than
// their noise allows, and where they are few. It sorts the list by deviation and raises noises in place.
func (l *panel) mean(one []seriesMean) estimate {
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
	l.sortByShift(one)
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

// shiftCells is the number of cells of equal width into which sortByShift divides the deviations.
const shiftCells = 64

// sortByShift sorts the series by deviation, ascending; equal ones stay as they were met. It sorts them into cells, and
// then those of one cell by insertion.
func (l *panel) sortByShift(one []seriesMean) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range one {
		lo, hi = min(lo, one[i].off), max(hi, one[i].off)
	}
	perCell := (shiftCells - 1) / (hi - lo)
	if !(perCell <= math.MaxFloat64) {
		perCell = 0 // nearly equal
	}
	var end [shiftCells]int
	for i := range one {
		end[int((one[i].off-lo)*perCell)]++
	}
	for c := 1; c < shiftCells; c++ {
		end[c] += end[c-1]
	}
	l.order = append(l.order[:0], make([]placedShift, len(one))...)
	for i := len(one) - 1; i >= 0; i-- {
		c := int((one[i].off - lo) * perCell)
		end[c]--
		l.order[end[c]] = placedShift{one[i].off, i}
	}
	for i := 1; i < len(l.order); i++ {
		v, k := l.order[i], i
		for ; k > 0 && v.off < l.order[k-1].off; k-- {
			l.order[k] = l.order[k-1]
		}
		l.order[k] = v
	}
	l.sorted = append(l.sorted[:0], one...)
	for i, v := range l.order {
		one[i] = l.sorted[v.place]
	}
}

// weightedMedian returns the median deviation of series, weighted by the inverse of their noise; they must be
// sorted by deviation.
func weightedMedian(one []seriesMean) float64 {
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
