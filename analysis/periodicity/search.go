package periodicity

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/note"
)

// stage is how far the search came before it gave up; the furthest is reported.
type stage int

const (
	noVariance stage = iota
	noValley
	notTracked
	notSignificant
	lowCoverage
	found
)

var stageCode = [...]note.Code{note.NoVariance, note.NoValley, note.NotTracked, note.NotSignificant, note.LowCoverage, ""}

// tries is the number of lags that are followed in one stretch.
const tries = 8

// search looks for a new period in samples a to b.
func search(f *lagFinder, p pyramid, a, b, minLag int, par Params) (fit, stage) {
	if b-a < minLevel {
		return fit{}, noValley
	}
	cand := f.candidates(p, a, b, minLag, par)
	if len(cand) == 0 {
		return fit{}, noValley
	}
	var fits []fit
	for _, c := range cand[:min(tries, len(cand))] {
		lo, hi := around(c, a, b)
		if x, ok := fitLag(p, c.lag, lo, hi, c.a, c.b, par); ok && acceptable(x, p[x.level].noise, par) {
			fits = append(fits, x)
		}
	}
	slices.SortStableFunc(fits, func(x, y fit) int { return cmp.Compare(y.gain(), x.gain()) })
	reached := notTracked
	for _, x := range fits[:min(3, len(fits))] {
		x = shorter(p, x, cand, minLag, par)
		if significant(f, p, x, minLag, par) {
			return x, found
		}
		reached = notSignificant
	}
	return fit{}, reached
}

func (f fit) gain() float64 { return f.score * float64(f.b-f.a) }

// around widens the place where a candidate was seen to some sixty periods.
func around(c candidate, a, b int) (lo, hi int) {
	w := max(8192, int(30*c.lag))
	mid := (c.a + c.b) / 2
	return max(a, min(c.a, mid-w)), min(b, max(c.b, mid+w))
}

// maxDrift is the largest step of level from one unit to the next, as energy
// over that of the template. A piece of a steady rise without its mean looks
// like the next piece (12); what recurs comes back to its level.
const maxDrift = 1

// acceptable says whether a fit could be a period at all.
func acceptable(x fit, noise float64, par Params) bool {
	units := float64(len(x.occ)) * (1 - x.distance/par.MaxDistance)
	n := len(x.occ) * x.t.periods
	return n >= par.MinInstances && len(x.occ) >= 2 && units >= 2 && x.distance <= par.MeanDistance &&
		x.t.energy >= par.MinSignal*noise && x.drift <= maxDrift
}

// beyond is the share of the energy of t, noise taken out, that a period shorter
// by the factor m cannot have: what folding t to it takes away. Where noise is
// over-estimated, as with short bursts in an idle process, the tracked distances
// of a period and of its fraction are both nothing, and only this tells them.
func (t template) beyond(m int) float64 {
	lost, all := 0.0, 0.0
	folded := fold(t.v, m*t.periods)
	for k, x := range t.v {
		for i, y := range x {
			d := float64(y - folded[k][i])
			lost += d * d
			all += float64(y) * float64(y)
		}
	}
	noise := t.own * float64(t.unit)
	return max(0, lost-noise*float64(m-1)/float64(m)) / max(all-noise, 0.02*all)
}

// shorter replaces a fit by the shortest period that explains nearly as much
// of the same stretch: a fraction of its lag, or another candidate. It is the
// test against doubles and triples, made by tracking rather than on the
// template alone, so that noise counts for both alike.
func shorter(p pyramid, x fit, cand []candidate, minLag int, par Params) fit {
	var lags []float64
	for m := 2; m <= 8; m++ {
		lags = append(lags, x.lag/float64(m))
	}
	for _, c := range cand[:min(tries, len(cand))] {
		if c.lag < 0.9*x.lag {
			lags = append(lags, c.lag)
		}
	}
	slices.Sort(lags)
	unit := int(x.lag)
	from, to := max(x.a, x.seed-8*unit-512), min(x.b, x.seed+8*unit+512)
	for _, lag := range lags {
		if lag < 2.5 || lag < float64(minLag) {
			continue
		}
		if m := math.Round(x.lag / lag); m < 9 && math.Abs(x.lag/lag-m) < 0.05*m && x.t.beyond(int(m)) > par.MaxBeyond {
			continue
		}
		y, ok := fitLag(p, lag, x.a, x.b, from, to, par)
		share := par.Preference
		if lag < 8 {
			share = par.ShortPreference
		}
		if ok && acceptable(y, p[y.level].noise, par) && y.score >= share*x.score && math.Abs(y.lag/lag-1) < 0.1 {
			return y
		}
	}
	return x
}
