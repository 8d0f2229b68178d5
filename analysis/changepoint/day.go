package changepoint

import "math"

// The runs of one day may share a part of their time: a neighbor, a loaded file
// system. Six runs of two days are then worth little more than two. A day on which
// the level changes is on both sides of the change: what its runs share cancels.

// dayTries lists the assumed shares of the variance that the runs of a day have in common; a claim must hold
// for each.
var dayTries = [...]float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}

// dayPriorSD is the prior standard deviation of that share: runs of one day are taken as correlated only if the
// data show it, not if a history has too few days.
const dayPriorSD = 0.2

// enoughSharingNats is the evidence that residuals must be able to give for a shared variance until a level of few
// days is judged by its days rather than by its runs.
const enoughSharingNats = 8

// dayMargin returns by how many nats claim c passes if the runs of a day are correlated: the least, over the
// assumed shares, of the evidence at that share plus its improbability by the residuals and the prior, less the
// evidence required of the effective number of runs. The less the residuals can show that runs of a day share anything,
// the more that number is the number of runs: a history of two days, one at each level, shows nothing of it. The margin
// is infinite if every run has its own day. Of margins that are not positive the first is returned.
func (sc *scanner) dayMargin(c *claim, b noisePrior) float64 {
	days, repeated := sc.countClaimDays(c)
	if repeated == 0 {
		return math.Inf(1)
	}
	seen := sc.sameDay(c)
	comparable := min(1, seen.distinguishableNats()/enoughSharingNats)
	few := sc.requiredForFewRuns(c)
	least := math.Inf(1)
	for _, f := range dayTries {
		against := seen.penalty(f)
		if against > c.evidence {
			continue
		}
		d, infl := days.claimOfDays(c, f)
		infl.hidden = f * repeated
		left := sc.evidenceAtVariances(c.x, c.split, b, infl) + c.expected + c.others + against
		required := few + comparable*(sc.requiredForFewRuns(&d)-few)
		if least = min(least, left-required-smallCorrelated/d.df-sc.p.Threshold); least <= 0 {
			return least
		}
	}
	return least
}

// dayCount is the number of runs of one day at each of the two levels of a claim.
type dayCount struct{ left, right float64 }

// dayCounts holds the counts of the days of a claim's window, in time order.
type dayCounts []dayCount

// countClaimDays counts the runs of a claim by day; repeated is the share of its runs that follow one of the
// same day. It returns nil and 0 if the days are not known.
func (sc *scanner) countClaimDays(c *claim) (days dayCounts, repeated float64) {
	if sc.day == nil {
		return nil, 0
	}
	for q, v := range c.pieces() {
		for i := max(v.first, c.from); i < v.end; i++ {
			if len(days) == 0 || sc.newDay(i) {
				days = append(days, dayCount{})
			} else {
				repeated++
			}
			if d := &days[len(days)-1]; q == 1 {
				d.right++
			} else {
				d.left++
			}
		}
	}
	return days, repeated / float64(len(c.x))
}

// total returns the numbers of runs at the left and at the right level.
func (d dayCounts) total() (left, right float64) {
	for _, v := range d {
		left, right = left+v.left, right+v.right
	}
	return left, right
}

// claimOfDays returns claim c with the effective number of runs if runs of a day share f of their variance, and
// the inflated variances. An outlier is as often one run as a day, so that of few runs of few days evidence
// half of the way between what their runs and what their days would need is required.
func (d dayCounts) claimOfDays(c *claim, f float64) (claim, variances) {
	nl, nr := d.total()
	squares := dayCount{} // sums of squares of the shares of the days
	own := dayCount{}     // as far as the other level does not have the same days
	difference := 0.0
	for _, v := range d {
		p, q := v.left/nl, v.right/nr
		squares.left += p * p
		squares.right += q * q
		own.left += p * max(0, p-q)
		own.right += q * max(0, q-p)
		difference += sq(p - q)
	}
	infl := variances{
		left:       1 - f + f*nl*squares.left,
		right:      1 - f + f*nr*squares.right,
		difference: 1 - f + f*difference/(1/nl+1/nr),
	}
	left, right := max(1, 1-f+f*nl*own.left), max(1, 1-f+f*nr*own.right)
	w := *c
	w.df = max(1, c.df-nl-nr+nl/left+nr/right)
	w.right.weight /= math.Sqrt(right)
	w.around[0] /= math.Sqrt(left)
	w.around[1] /= math.Sqrt(left)
	return w, infl
}

// sameDay estimates the correlation of runs of one day from pairs of consecutive runs.
type sameDay struct {
	lagOne
	levels []dayLevel
}

// dayLevel is one level: its pairs of consecutive runs of one day, its runs, and the sum over its days of the
// squared number of runs.
type dayLevel struct{ pairs, runs, squares float64 }

// sameDay collects what the estimate of the correlation of runs of one day needs to test claim c: from each
// level that eachLevel passes, the pairs of consecutive runs of one day, the number of runs, and the sum over
// its days of the squared number of runs.
func (sc *scanner) sameDay(c *claim) sameDay {
	var a sameDay
	sc.eachLevel(c, func(first, end int, mu float64, l *loss) {
		before := a.pairs
		sc.addPairs(first, end, mu, l, &a.lagOne, &lagOne{})
		v := dayLevel{pairs: a.pairs - before}
		v.runs, v.squares = sc.countDays(first, end)
		a.levels = append(a.levels, v)
	})
	return a
}

// countDays returns the number of runs [first,end) and the sum over days of the squared number of runs.
func (sc *scanner) countDays(first, end int) (runs, squares float64) {
	of := 0.0
	for i := first; i < end; i++ {
		if i == first || sc.newDay(i) {
			of = 0
		}
		of++
		squares += 2*of - 1
	}
	return float64(max(0, end-first)), squares
}

// distinguishableNats returns the expected evidence, in nats, by which the residuals distinguish the largest assumed
// share from none.
func (a *sameDay) distinguishableNats() float64 {
	most := dayTries[len(dayTries)-1]
	return a.pairs * sq(a.expectedCorrelation(most)-a.expectedCorrelation(0)) / 2
}

// penalty returns by how many nats the residuals and the prior make a share f of the variance less likely than
// none; at least 0.
func (a *sameDay) penalty(f float64) float64 {
	nats := sq(f/dayPriorSD) / 2
	if a.pairs > 0 && a.square > 0 {
		phi := a.product / a.square
		se2 := max(1-sq(phi), 0.1) / a.pairs
		nats += (sq(phi-a.expectedCorrelation(f)) - sq(phi-a.expectedCorrelation(0))) / se2 / 2
	}
	return max(0, nats)
}

// expectedCorrelation returns the correlation of residuals around fitted levels if runs of a day share f of
// their variance: a level takes up most of what its days share if it has few.
func (a *sameDay) expectedCorrelation(f float64) float64 {
	product, square := 0.0, 0.0
	for _, v := range a.levels {
		fitted := (1 + f*(v.squares/v.runs-1)) / v.runs
		product += v.pairs * (f - fitted)
		square += v.pairs * (1 - fitted)
	}
	if square <= 0 {
		return 0
	}
	return product / square
}
