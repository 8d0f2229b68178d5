package changepoint

import (
	"cmp"
	"math"
	"slices"
)

// False alarms per 1000 runs of independent noise: ratePerThousand at a margin of 0, a factor e less for every
// rateFold nats, never below rateFloor, the lowest rate that the calibration could measure.
const (
	ratePerThousand = 0.015
	rateFold        = 2
	rateFloor       = 0.005
)

// falseAlarmRate returns the number of events of at least the given margin, in nats, in 1000 runs without a
// change.
func falseAlarmRate(margin float64) float64 {
	return max(rateFloor, ratePerThousand*math.Exp(-margin/rateFold))
}

// excessNats returns by how many nats a margin exceeds the one at which the rate reaches rateFloor; 0 below it.
func excessNats(margin float64) float64 {
	return math.Max(0, margin-rateFold*math.Log(ratePerThousand/rateFloor))
}

// Chance returns the probability that n runs without a change give at least one event this strong; false if the
// noise is of no calibrated kind. Beyond the lowest measured rate it falls by a factor e in four nats. The
// measured rates fall faster, but among a thousand users some have noise with a tail; without any fall no list
// of a thousand could hold an entry.
func (c Change) Chance(n int) (p float64, ok bool) {
	if c.FalsePer1000 == nil {
		return 1, false
	}
	rate := *c.FalsePer1000 * math.Exp(-c.ExcessNats/tailNats)
	return -math.Expm1(-rate * float64(n) / 1000), true
}

// tailNats is the number of nats in which the extrapolated false alarm rate falls by a factor e.
const tailNats = 4

// ExpectedByChance returns how many of the listed changes chance alone would give: the sum over series of the
// rate of its weakest listed change times its runs.
func ExpectedByChance(results []SeriesResult) float64 {
	sum := 0.0
	for _, r := range results {
		sum += expectedFalse(r)
	}
	return sum
}

// expectedFalse returns how many changes chance would give in a series of as many runs, at the rate of its
// weakest change.
func expectedFalse(res SeriesResult) float64 {
	rate := 0.0
	for _, c := range res.Changes {
		if c.FalsePer1000 != nil {
			rate = math.Max(rate, *c.FalsePer1000)
		}
	}
	return rate * float64(res.N) / 1000
}

// maxFalseShare is the share of false entries that a list of worse histories may have: 5 %, by the method of
// Benjamini and Hochberg over all histories.
const maxFalseShare = 0.05

// Outstanding returns which of the calibrated chances, among judged histories, are small enough that at most 5
// % of those returned are false, and the expected number of false ones: how many of all would look as much
// worse as the weakest of them by chance. o converts the chances to those of the site.
func (o *SiteRate) Outstanding(calibrated []float64, judged int) (places []int, byChance float64) {
	chances := make([]float64, len(calibrated))
	for i, p := range calibrated {
		chances[i] = o.siteChance(p)
	}
	order := make([]int, len(chances))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(chances[a], chances[b]) })
	// The last entry that is at its place small enough, and all before it.
	keep := 0
	for k, i := range order {
		if chances[i]*float64(judged) <= maxFalseShare*float64(k+1) {
			keep = k + 1
		}
	}
	if keep > 0 {
		byChance = chances[order[keep-1]] * float64(judged)
	}
	slices.Sort(order[:keep])
	return order[:keep], byChance
}

// slowerShare is the share of false changes that are slower ones.
const slowerShare = 0.5

// Chance returns the probability, 0 to 1, that runs without a change look as much worse, by the smaller of two
// estimates; maxFalseShare if neither exists. The detector's rate is that of the day on which the change was
// committed, after about three runs, and is never below what its calibration measured: by it alone no change,
// however large, would stand out of 500 histories. It is missing for noise of a kind that was not calibrated,
// mostly noise that is correlated from run to run. The interval of the effect adds the evidence of later runs.
// In 1500 histories of 100 runs with correlations of 0.3 to 0.7, 1.3 % were worse with an interval above zero,
// 0.4 % by more than 4.4 standard errors, and none by more than 5.4: exp(2-z)/20 lies above that. By it a lone
// history needs an interval above zero, and one of 500 an effect of 8.2 standard errors.
func (w Worsening) Chance(r SeriesResult) float64 {
	c := r.Changes[w.Change]
	p, known := c.Chance(r.N)
	if !known && c.LoPct == nil {
		return maxFalseShare // it counts if it stands alone
	}
	p *= slowerShare
	if !known {
		p = 1
	}
	if w.Significant && c.HiPct != nil {
		const standardErrors = 2 * 1.96 // in an interval of 95 %
		z := standardErrors * math.Log1p(c.EffectPct/100) / (math.Log1p(*c.HiPct/100) - math.Log1p(*c.LoPct/100))
		many := math.Max(1, float64(r.N)/100)
		p = math.Min(p, maxFalseShare*math.Min(1, many*math.Exp(2-z)))
	}
	return p
}
