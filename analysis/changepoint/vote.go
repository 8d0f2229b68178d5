package changepoint

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"jobgait/analysis/internal/robust"
)

// How much a change of a user's other series tells of this one.
// Where shapes share seven changes in ten, recall rises from .675 to .750 (z of
// 3.5 to 7: .355 to .489), with .58 false changes per 1000 runs rather than .66;
// where they share none, .29 become .31. Drawn 150 times with unused seeds.
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

// vote is evidence for a change at a run, from another series, that was known
// from a time on.
type vote struct {
	index int
	nats  float64
	known float64 // days
}

// boundary is a change of one series as another sees it: the level changed
// after from and not after to, and this was committed at known.
type boundary struct {
	from, to, known float64
}

// boundaries are the changes of a series that tell of others. The beginning of
// a drift is too vague.
func (r *ready) boundaries(events []event) []boundary {
	var list []boundary
	for _, e := range events {
		if e.kind == Drift || e.first == 0 {
			continue
		}
		list = append(list, boundary{r.at0(e.first - 1), r.at0(e.last), r.at0(e.detected)})
	}
	return list
}

// at0 is the time of kept run k.
func (r *ready) at0(k int) float64 { return r.Time(r.at[k]) }

// kin is how many series before and after one, as they are given, may tell of
// it: it bounds the time for a user with thousands.
const kin = 32

// votes gives each series the evidence of its user's other ones. Metrics of the
// very same runs share their noise: they count for as much as they differ.
func votes(runs []ready, solo []look) [][]vote {
	given := make([][]vote, len(runs))
	for _, group := range users(runs) {
		for g, from := range group {
			list := runs[from].boundaries(solo[from].out.events)
			if len(list) == 0 {
				continue
			}
			for q := max(0, g-kin); q < min(len(group), g+kin+1); q++ {
				to := group[q]
				if to == from {
					continue
				}
				for _, b := range list {
					given[to] = append(given[to], runs[to].hear(b, &runs[from])...)
				}
			}
		}
	}
	return given
}

// users groups series by owner; those without one stand alone.
func users(runs []ready) [][]int {
	where := make(map[string]int)
	var groups [][]int
	for i := range runs {
		user := runs[i].User
		if user == "" || runs[i].quiet {
			continue
		}
		g, ok := where[user]
		if !ok {
			g = len(groups)
			where[user] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// hear turns a boundary of another series into votes for the runs of this one
// at which its level may have changed with it: the first run after from, up to
// the first run at or after to. Several share the odds.
func (r *ready) hear(b boundary, other *ready) []vote {
	n := len(r.x)
	first := sort.Search(n, func(k int) bool { return r.at0(k) > b.from })
	last := sort.Search(n, func(k int) bool { return r.at0(k) >= b.to })
	first, last = max(first, 1), min(last, n-1)
	if first > last || last-first > 10 {
		return nil
	}
	part := 1 - common(r, other, b.known)
	nats := part * math.Log1p(jointOdds/float64(last-first+1))
	list := make([]vote, 0, last-first+1)
	for k := first; k <= last; k++ {
		list = append(list, vote{k, nats, b.known})
	}
	return list
}

// common is how alike two series of the same runs move from run to run, up to a
// time; 0 where they are different runs. Steps hardly know of changes.
func common(a, b *ready, until float64) float64 {
	var da, db []float64
	la, lb := -1, -1
	for i, j := 0, 0; i < len(a.x) && j < len(b.x); {
		ta, tb := a.when(i), b.when(j)
		switch {
		case a.at0(i) > until:
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

// when is what identifies a run: its start, else its time.
func (r *ready) when(k int) float64 {
	if len(r.Start) == len(r.Y) {
		return r.Start[r.at[k]]
	}
	return r.at0(k)
}

// prior is the evidence of votes as it becomes known.
type prior struct {
	votes []vote
	time  func(k int) float64
	nats  []float64
	heard int
}

func newPrior(r *ready, given []vote) *prior {
	if len(given) == 0 {
		return nil
	}
	given = slices.Clone(given)
	slices.SortStableFunc(given, func(a, b vote) int {
		return cmp.Or(cmp.Compare(a.known, b.known), a.index-b.index)
	})
	return &prior{votes: given, time: r.at0, nats: make([]float64, len(r.x))}
}

// learn adds what is known when run newest has arrived.
func (v *prior) learn(newest int) {
	now := v.time(newest)
	for v.heard < len(v.votes) && v.votes[v.heard].known <= now {
		w := v.votes[v.heard]
		v.nats[w.index] = math.Min(v.nats[w.index]+w.nats, jointMost)
		v.heard++
	}
}
