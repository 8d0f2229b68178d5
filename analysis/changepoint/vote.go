package changepoint

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"jobgait/analysis/internal/robust"
)

// Evidence that a change of a user's other series gives for a change of this one. Where shapes share seven
// changes in ten, recall rises from .675 to .750 (z of 3.5 to 7: .355 to .489), with .58 false changes per 1000
// runs rather than .66; where they share none, .29 become .31. Drawn 150 times with unused seeds.
const (
	// jointOdds is how much more likely a change is at a boundary at which another
	// series of the user changed than anywhere: half of a user's changes are
	// shared (a library, an input, a file system), and a series changes once in
	// some 80 runs.
	jointOdds = 40
	// jointMost is the largest evidence of all other series together, in nats: a
	// change is never committed without evidence of its own.
	jointMost = 5
)

// vote is evidence, in nats, for a change at a run from another series, available from time known on.
type vote struct {
	index int
	nats  float64
	known float64 // days
}

// boundary is the time range of a change, for other series: the level changed after from and not after to, and
// this was committed at known; all in days.
type boundary struct {
	from, to, known float64
}

// sharedBoundaries returns the changes of a series that are evidence for others. Drifts are left out, because
// their beginning is too uncertain.
func (r *preparedSeries) sharedBoundaries(events []event) []boundary {
	var list []boundary
	for _, e := range events {
		if e.kind == Drift || e.first == 0 {
			continue
		}
		list = append(list, boundary{r.timeOf(e.first - 1), r.timeOf(e.last), r.timeOf(e.detected)})
	}
	return list
}

// timeOf returns the time of kept run k in days.
func (r *preparedSeries) timeOf(k int) float64 { return r.Time(r.at[k]) }

// maxNeighbours is the number of the user's series before and after one in the input that may vote for it: it
// limits the time for a user with thousands.
const maxNeighbours = 32

// votesFrom converts a boundary of another series to votes for the runs of this one at which its level may have
// changed with it: the first run after from, up to the first run at or after to. Several runs share the odds;
// nil if they are more than eleven.
func (r *preparedSeries) votesFrom(b boundary, other *preparedSeries) []vote {
	n := len(r.x)
	first := sort.Search(n, func(k int) bool { return r.timeOf(k) > b.from })
	last := sort.Search(n, func(k int) bool { return r.timeOf(k) >= b.to })
	first, last = max(first, 1), min(last, n-1)
	if first > last || last-first > 10 {
		return nil
	}
	part := 1 - sharedNoise(r, other, b.known)
	nats := part * math.Log1p(jointOdds/float64(last-first+1))
	list := make([]vote, 0, last-first+1)
	for k := first; k <= last; k++ {
		list = append(list, vote{k, nats, b.known})
	}
	return list
}

// sharedNoise returns the size of the correlation, 0 to 1, of the differences between consecutive runs of two
// series, up to a time; 0 if they are different runs. Differences hardly depend on changes of level.
func sharedNoise(a, b *preparedSeries, until float64) float64 {
	var da, db []float64
	la, lb := -1, -1
	for i, j := 0, 0; i < len(a.x) && j < len(b.x); {
		ta, tb := a.runKey(i), b.runKey(j)
		switch {
		case a.timeOf(i) > until:
			i = len(a.x)
		case ta < tb:
			i++
		case ta > tb:
			j++
		default:
			if la >= 0 {
				da, db = append(da, a.x[i]-a.x[la]), append(db, b.x[j]-b.x[lb])
			}
			la, lb = i, j
			i, j = i+1, j+1
		}
	}
	if 2*len(da) < min(len(a.x), len(b.x)) || len(da) < 5 {
		return 0
	}
	return math.Min(math.Abs(robust.SignCorrelation(da, db)), 1)
}

// runKey returns the number by which a run is recognized in other series: its start, else its time.
func (r *preparedSeries) runKey(k int) float64 {
	if len(r.Start) == len(r.Y) {
		return r.Start[r.at[k]]
	}
	return r.timeOf(k)
}

// voteEvidence holds the evidence of votes for each run, added as the votes become known.
type voteEvidence struct {
	votes   []vote
	time    func(k int) float64
	nats    []float64
	applied int
}

// newPrior sorts the votes by the time at which they become known; nil if none exists.
func newPrior(r *preparedSeries, given []vote) *voteEvidence {
	if len(given) == 0 {
		return nil
	}
	given = slices.Clone(given)
	slices.SortStableFunc(given, func(a, b vote) int {
		return cmp.Or(cmp.Compare(a.known, b.known), a.index-b.index)
	})
	return &voteEvidence{votes: given, time: r.timeOf, nats: make([]float64, len(r.x))}
}

// learn adds the votes that are known when run newest has arrived, at most jointMost nats for a run.
func (v *voteEvidence) learn(newest int) {
	now := v.time(newest)
	for v.applied < len(v.votes) && v.votes[v.applied].known <= now {
		w := v.votes[v.applied]
		v.nats[w.index] = math.Min(v.nats[w.index]+w.nats, jointMost)
		v.applied++
	}
}
