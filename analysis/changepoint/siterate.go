package changepoint

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"jobgait/analysis/internal/parallel"
	"jobgait/analysis/internal/robust"
)

// SiteRate is the measured number of false alarms in a site's own histories: with changes of level removed and
// blocks of runs shuffled, they were analysed again.
type SiteRate struct {
	Series, Runs int // that were analysed
	FalseAlarms  int // histories reported as slower with a calibrated chance of 1/siteChanceOf or less
}

const (
	// minSiteSeries is the least number of histories for a rate: with fewer, a single unusual one would decide.
	minSiteSeries = 100
	// enoughRuns is the number of runs after which the measurement stops, a sixteenth of those of 4,000 histories:
	// in 250 of them calibration gives 2.5 false alarms.
	enoughRuns = 20_000
	// siteChanceOf is the inverse of the calibrated chance at which a shuffled history counts as a false alarm:
	// frequent enough to be counted in few runs.
	siteChanceOf = 100
	// minLevelRuns is the least number of runs of a level to be divided by it.
	minLevelRuns = 10
	// blockRuns is the number of consecutive runs that shuffling keeps together: what runs of one night have in
	// common is kept, changes are not.
	blockRuns = 5
)

// MeasureSiteRate measures how often the detector reports a strong worsening by chance at this site: it
// shuffles the adjusted runs of the histories in results in blocks, and detects again. It returns nil if there
// are fewer than minSiteSeries usable histories. Of many histories it takes every k-th, so that about
// enoughRuns runs remain.
func MeasureSiteRate(results []SeriesResult, p Params) *SiteRate {
	var flat [][]float64
	for i := range results {
		if x := relativeRuns(&results[i]); len(x) >= 2*minLevelRuns {
			flat = append(flat, x)
		}
	}
	if len(flat) < minSiteSeries {
		return nil
	}
	all := 0
	for _, x := range flat {
		all += len(x)
	}
	every := max(1, min(all/enoughRuns, len(flat)/minSiteSeries))
	own := SiteRate{Series: (len(flat) + every - 1) / every}
	var alarms, runs atomic.Int64
	parallel.Each(own.Series, func(k int) {
		x := shuffleBlocks(flat[k*every], rand.New(rand.NewPCG(uint64(k*every), 1)))
		runs.Add(int64(len(x)))
		r := prepare(&Series{Y: x})
		l := r.scanSeries(nil, p)
		res := r.buildResult(&l, p)
		if w := WorseSeries([]SeriesResult{res}, 0); len(w) > 0 && w[0].Chance(res) <= 1./siteChanceOf {
			alarms.Add(1)
		}
	})
	own.Runs, own.FalseAlarms = int(runs.Load()), int(alarms.Load())
	return &own
}

// relativeRuns returns the runs of a result, each divided by its level; those of short levels and of drifts are
// left out.
func relativeRuns(r *SeriesResult) []float64 {
	var out []float64
	for _, g := range r.Regimes {
		var x []float64
		for k := g.First; k <= g.Last && k < len(r.Adjusted); k++ {
			if v := r.Adjusted[k]; v > 0 && !r.isDriftRun(k) {
				x = append(x, v)
			}
		}
		if len(x) < minLevelRuns {
			continue
		}
		middle := robust.Median(x)
		for _, v := range x {
			out = append(out, v/middle)
		}
	}
	return out
}

// isDriftRun reports whether run k is part of a drift.
func (r *SeriesResult) isDriftRun(k int) bool {
	return slices.ContainsFunc(r.Changes, func(c Change) bool {
		return c.EndIndex != nil && c.Index <= k && k <= *c.EndIndex
	})
}

// shuffleBlocks returns x with its blocks of blockRuns runs in random order.
func shuffleBlocks(x []float64, r *rand.Rand) []float64 {
	out := make([]float64, 0, len(x))
	for _, b := range r.Perm((len(x) + blockRuns - 1) / blockRuns) {
		out = append(out, x[b*blockRuns:min(len(x), (b+1)*blockRuns)]...)
	}
	return out
}

// Factor returns the ratio of the site's false alarm rate to the calibrated one; 1 if it is not larger, or
// unknown. Half a history is added to the counted and to the expected number, because one history is no proof.
func (o *SiteRate) Factor() float64 {
	if o == nil {
		return 1
	}
	return math.Max(1, (float64(o.FalseAlarms)+.5)/(float64(o.Series)/siteChanceOf+.5))
}

// siteChance converts a calibrated chance to that of the site.
func (o *SiteRate) siteChance(p float64) float64 {
	if p >= 1 {
		return 1
	}
	return -math.Expm1(o.Factor() * math.Log1p(-p))
}
