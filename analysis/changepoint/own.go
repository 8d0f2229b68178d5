package changepoint

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"jobgait/analysis/internal/parallel"
	"jobgait/analysis/internal/robust"
)

// OwnRate is how often chance makes histories of one's own look slower: their runs were
// taken off their levels, put in another order and judged again.
type OwnRate struct {
	Series, Runs int // that were judged
	FalseAlarms  int // histories slower by what calibration gives in one of ownOf or fewer
}

const (
	// ownLeast is the fewest histories that tell a rate: with fewer, the tail of one
	// of them is the site's.
	ownLeast = 100
	// ownRuns is how many runs are enough, a sixteenth of those of 4,000 histories: in 250
	// of them calibration gives 2.5 false alarms.
	ownRuns = 20_000
	// ownOf is by which chance a false alarm is one: few enough runs tell how often.
	ownOf = 100
	// ownLevel is the fewest runs whose level is known well enough to take them off it.
	ownLevel = 10
	// ownBlock is how many runs stay together: what those of one night share is kept,
	// changes are not.
	ownBlock = 5
)

// OwnRateOf measures it in results of Analyse, nil where they are too few. It samples histories at equal
// distances until there are enough runs.
func OwnRateOf(results []SeriesResult, p Params) *OwnRate {
	var flat [][]float64
	for i := range results {
		if x := levelled(&results[i]); len(x) >= 2*ownLevel {
			flat = append(flat, x)
		}
	}
	if len(flat) < ownLeast {
		return nil
	}
	all := 0
	for _, x := range flat {
		all += len(x)
	}
	every := max(1, min(all/ownRuns, len(flat)/ownLeast))
	own := OwnRate{Series: (len(flat) + every - 1) / every}
	var alarms, runs atomic.Int64
	parallel.Each(own.Series, func(k int) {
		x := shuffled(flat[k*every], rand.New(rand.NewPCG(uint64(k*every), 1)))
		runs.Add(int64(len(x)))
		r := prepare(&Series{Y: x})
		l := r.look(nil, p)
		res := r.tell(&l, p)
		if w := Worse([]SeriesResult{res}, 0); len(w) > 0 && w[0].Chance(res) <= 1./ownOf {
			alarms.Add(1)
		}
	})
	own.Runs, own.FalseAlarms = int(runs.Load()), int(alarms.Load())
	return &own
}

// levelled is the runs of a result, each in parts of its level; those of short levels and
// of drifts are left out.
func levelled(r *SeriesResult) []float64 {
	var out []float64
	for _, g := range r.Regimes {
		var x []float64
		for k := g.First; k <= g.Last && k < len(r.Adjusted); k++ {
			if v := r.Adjusted[k]; v > 0 && !r.drifts(k) {
				x = append(x, v)
			}
		}
		if len(x) < ownLevel {
			continue
		}
		middle := robust.Median(x)
		for _, v := range x {
			out = append(out, v/middle)
		}
	}
	return out
}

// drifts is whether run k is one of a drift.
func (r *SeriesResult) drifts(k int) bool {
	return slices.ContainsFunc(r.Changes, func(c Change) bool {
		return c.EndIndex != nil && c.Index <= k && k <= *c.EndIndex
	})
}

// shuffled is x with its blocks in another order.
func shuffled(x []float64, r *rand.Rand) []float64 {
	out := make([]float64, 0, len(x))
	for _, b := range r.Perm((len(x) + ownBlock - 1) / ownBlock) {
		out = append(out, x[b*ownBlock:min(len(x), (b+1)*ownBlock)]...)
	}
	return out
}

// Factor is how many times as often as by calibration chance makes a history look slower; 1 if it does not do
// so more often, or if that is unknown. Half a history is added to the counted and to the expected number,
// because one history is no proof.
func (o *OwnRate) Factor() float64 {
	if o == nil {
		return 1
	}
	return math.Max(1, (float64(o.FalseAlarms)+.5)/(float64(o.Series)/ownOf+.5))
}

// chance is a chance by calibration as the site's own.
func (o *OwnRate) chance(p float64) float64 {
	if p >= 1 {
		return 1
	}
	return -math.Expm1(o.Factor() * math.Log1p(-p))
}
