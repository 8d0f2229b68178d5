package changepoint

import (
	"cmp"
	"math"
	"slices"
)

// estimate is a shift that others show, with its standard error; n is 0 where
// too few of them ran.
type estimate struct {
	shift, se float64
	n         int
}

// newEstimate is the mean of what other series show, each weighted by how quiet
// it is, from the weighted median and with what lies more than two noises from
// it drawn in: a series of half a per cent tells more than one of ten. No series
// counts as less noisy than half the median one, or a disturbed run of the
// quietest would be the machine. The standard error is that of series, not of
// runs, since the error of a level is in all its runs; it is raised where they
// agree less than their noise allows, and where they are few.
func newEstimate(told []moment) estimate {
	one := bySeries(told)
	slices.SortFunc(one, func(a, b moment) int { return cmp.Compare(a.noise, b.noise) })
	least := one[len(one)/2].noise / 2
	for i := range one {
		one[i].noise = math.Max(one[i].noise, least)
	}
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
	return estimate{mid + wx/w, 1.05 * math.Sqrt(agree/w) * (1 + 3/df), len(told)}
}

// estimate is what runs of others show, 0 where they are of too few series or
// owners. What one owner's series show together may be his library: where an
// owner has several, and a fair part of all, only what is left without him
// counts too, and the smaller shift is believed. So none makes a machine alone.
func (p sharedParams) estimate(told []moment) estimate {
	if !p.enough(told) {
		return estimate{}
	}
	e := newEstimate(told)
	for _, owner := range large(told) {
		rest := make([]moment, 0, len(told))
		for _, o := range told {
			if o.owner != owner {
				rest = append(rest, o)
			}
		}
		switch r := newEstimate(rest); {
		case r.shift*e.shift <= 0:
			e.shift = 0
		case math.Abs(r.shift) < math.Abs(e.shift):
			e.shift, e.se = r.shift, r.se
		}
	}
	return e
}

// enough says whether runs are of as many series, and owners, as tell of a
// machine.
func (p sharedParams) enough(told []moment) bool {
	series, owners := make([]int, len(told)), make([]int, len(told))
	for i, o := range told {
		series[i], owners[i] = o.member, o.owner
	}
	return distinct(series) >= p.fewest && distinct(owners) >= p.owners
}

// distinct is how many different numbers a list has; it is sorted.
func distinct(list []int) int {
	slices.Sort(list)
	return len(slices.Compact(list))
}

// largeOwner is the part of all series from which on an owner of several is
// left out once: fewer are outvoted.
const largeOwner = .25

// large are the owners with that many series.
func large(told []moment) []int {
	pairs := make([][2]int, len(told))
	for i, o := range told {
		pairs[i] = [2]int{o.owner, o.member}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	pairs = slices.Compact(pairs)
	var list []int
	for i := 0; i < len(pairs); {
		j := i
		for j < len(pairs) && pairs[j][0] == pairs[i][0] {
			j++
		}
		if n := j - i; n > 1 && float64(n) >= largeOwner*float64(len(pairs)) {
			list = append(list, pairs[i][0])
		}
		i = j
	}
	return list
}

// shown is what of an estimate the run itself may have had: all of it while the
// run lies less than three standard errors short of it, nothing at four. A job
// that the machine did not slow down must not become faster by taking it out.
func (e estimate) shown(r moment) estimate {
	if e.n == 0 || math.IsNaN(r.off) {
		return e
	}
	short := math.Abs(e.shift) - math.Copysign(1, e.shift)*r.off
	e.shift *= math.Max(0, math.Min(1, 4-short/math.Hypot(r.noise, e.se)))
	return e
}

// bySeries is one value for each series: the mean of its runs.
func bySeries(told []moment) []moment {
	told = slices.Clone(told)
	slices.SortStableFunc(told, func(a, b moment) int { return cmp.Compare(a.member, b.member) })
	one := told[:0]
	for i := 0; i < len(told); {
		j, sum := i, 0.0
		for ; j < len(told) && told[j].member == told[i].member; j++ {
			sum += told[j].off
		}
		n := float64(j - i)
		m := told[i]
		m.off, m.noise = sum/n, m.noise/math.Sqrt(n)
		one = append(one, m)
		i = j
	}
	return one
}

// weightedMedian is the median of what runs show, by the inverse of noise.
func weightedMedian(told []moment) float64 {
	slices.SortFunc(told, func(a, b moment) int { return cmp.Compare(a.off, b.off) })
	total, sum := 0.0, 0.0
	for _, o := range told {
		total += 1 / o.noise
	}
	for _, o := range told {
		if sum += 1 / o.noise; sum >= total/2 {
			return o.off
		}
	}
	return 0
}

// believed is what is taken out of a run: all of an estimate that is certain,
// else the part that runs so far followed such estimates.
func (e estimate) believed(part, sure float64) float64 {
	if e.n == 0 {
		return 0
	}
	certain := math.Abs(e.shift)/e.se - (sure - 1)
	return e.shift * math.Max(part, math.Min(math.Max(certain, 0), 1))
}

// shrinkage learns how much of what others show a series shows too. Where a
// machine does nothing to its jobs, the median of others is mere noise: taking
// it out would add that noise to every series.
type shrinkage struct{ xy, xx, ee, n float64 }

// part is how much of an uncertain estimate is believed.
func (s *shrinkage) part() float64 {
	if s.n <= 20 || s.xx == 0 {
		return 0
	}
	slope := s.xy / s.xx
	if se := math.Sqrt(s.ee / s.n / s.xx); slope <= 7*se {
		return 0
	}
	return math.Min(slope, 1)
}

// learn adds a run that lies off its level where others estimated e. Old runs
// are forgotten over some 500.
func (s *shrinkage) learn(e estimate, off, noise float64) {
	if e.n == 0 {
		return
	}
	off = math.Max(-3*noise, math.Min(3*noise, off))
	const forget = 1 - 1.0/500
	s.xy = forget*s.xy + e.shift*off
	s.xx = forget*s.xx + e.shift*e.shift
	s.ee = forget*s.ee + (off-e.shift)*(off-e.shift)
	s.n = forget*s.n + 1
}
