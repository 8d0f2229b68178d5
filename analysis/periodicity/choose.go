package periodicity

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/series"
)

// Of many columns some always show a period of something else: the sampler's
// own, a daemon's, the kernel's tick. The period of the job is the one that most
// of the columns agree on, not the one that is clearest in any of them.

// samePeriod is the relative difference up to which two columns show one period.
// The columns of a run whose iterations became shorter differ by 4 %.
const samePeriod = 0.05

// copyCorrelation is the correlation above which two columns count the same thing.
const copyCorrelation = 0.9

// groupVotes is the weight of a group of columns in the vote.
const groupVotes = 2

// shorterShare is the share of the support of a period at which a fraction of it
// is preferred: a column that is written to every tenth iteration.
const shorterShare = 0.4

// vote is one period of one source.
type vote struct {
	from  int // index of the source
	lag   float64
	worth float64
}

// choose returns the index of the outcome whose periods are the job's, or -1 without one, and the share of the votes
// that agree with its period, multiples and fractions included. The period with the most support wins. One of its
// fractions with shorterShare of that support replaces it, unless a source contradicts that. usage reports whether only
// sources of CPU use show periods; else such sources do not count alone.
func choose(all []source, got []outcome) (at int, agreed float64, usage bool) {
	families := voteFamilies(votesOf(all, got))
	works := func(f []vote) bool {
		return slices.ContainsFunc(f, func(v vote) bool { return !all[v.from].showsUsageOnly() })
	}
	usage = !slices.ContainsFunc(families, works)
	if !usage {
		families = slices.DeleteFunc(families, func(f []vote) bool { return !works(f) })
	}
	best, sum := -1, 0.0
	support := make([]float64, len(families))
	for i, f := range families {
		support[i] = voteSupport(all, f)
		sum += support[i]
		if best < 0 || support[i] > support[best] {
			best = i
		}
	}
	if best < 0 {
		return -1, 0, false
	}
	for i, f := range families {
		m := nearMultiple(f[0].lag / families[best][0].lag)
		if m > 1 && support[i] >= shorterShare*support[best] && contradictFraction(all, got, f, m) {
			best = i
		}
	}
	for i, f := range families {
		m := nearMultiple(families[best][0].lag / f[0].lag)
		if m > 1 && support[i] >= shorterShare*support[best] && !contradictFraction(all, got, families[best], m) {
			best = i
		}
	}
	at = reportedSource(all, families[best])
	for i, f := range families {
		if i == best || nearMultiple(f[0].lag/families[best][0].lag) > 1 ||
			nearMultiple(families[best][0].lag/f[0].lag) > 1 ||
			slices.ContainsFunc(f, func(v vote) bool { return v.from == at }) {
			agreed += support[i] / sum
		}
	}
	return at, agreed, usage
}

// contradictFraction reports whether one of the sources that show the period of a family contradicts an m-th of it.
func contradictFraction(all []source, got []outcome, family []vote, m int) bool {
	return slices.ContainsFunc(family, func(v vote) bool {
		i := slices.IndexFunc(got[v.from].periods, func(p Period) bool { return p.PeriodS == v.lag })
		return i >= 0 && all[v.from].rulesOutFraction(got[v.from].periods[i], m)
	})
}

// votesOf returns the periods of all sources as votes, the clearest first; a vote's worth is coverage times confidence,
// for a group of columns times groupVotes. If there is more than one source, periods of clocks are left out unless many
// sources show them.
func votesOf(all []source, got []outcome) []vote {
	var votes []vote
	for i, o := range got {
		for _, p := range o.periods {
			w := p.Coverage * p.Confidence
			if len(all[i].cols) > 1 {
				w *= groupVotes
			}
			if len(all) == 1 || !isClockPeriod(p, all[i]) || isWidelySeen(p, got) {
				votes = append(votes, vote{from: i, lag: p.PeriodS, worth: w})
			}
		}
	}
	slices.SortStableFunc(votes, func(x, y vote) int { return cmp.Compare(y.worth, x.worth) })
	return votes
}

// nearMultiple returns the whole number, 1 to 12, to which a ratio of two lags is near, or 0. The tolerance
// allows for iterations that became shorter.
func nearMultiple(ratio float64) int {
	m := math.Round(ratio)
	if m < 1 || m > 12 || math.Abs(ratio-m) > min(0.08*m, 0.25) {
		return 0
	}
	return int(m)
}

// voteFamilies groups the votes for one period, the clearest first in each family.
func voteFamilies(votes []vote) [][]vote {
	var families [][]vote
next:
	for _, v := range votes {
		for i, f := range families {
			if math.Abs(v.lag/f[0].lag-1) <= samePeriod {
				families[i] = append(f, v)
				continue next
			}
		}
		families = append(families, []vote{v})
	}
	return families
}

// voteSupport returns the sum of the votes of a family, with one vote, the clearest, for each source. Columns that are
// copies of each other (copyCorrelation) count as one source.
func voteSupport(all []source, f []vote) float64 {
	sum := 0.0
	var counted []int
next:
	for _, v := range f {
		for _, i := range counted {
			if i == v.from || len(all[i].cols) == 1 && len(all[v.from].cols) == 1 &&
				math.Abs(correlation(all[i].cols[0].Values, all[v.from].cols[0].Values)) > copyCorrelation {
				continue next
			}
		}
		counted = append(counted, v.from)
		sum += v.worth
	}
	return sum
}

// reportedSource returns the source of a family whose period is reported: a group of columns unless it is much
// less clear, else the clearest. The code that runs says more than a single counter.
func reportedSource(all []source, f []vote) int {
	for _, v := range f {
		if len(all[v.from].cols) > 1 && v.worth >= f[0].worth/1.5 {
			return v.from
		}
	}
	return f[0].from
}

// correlation returns the correlation of two columns, over blocks of samples if they are long. Samples that are missing
// in either are left out. It is 0 if a column does not vary.
func correlation(x, y series.Values) float64 {
	var n, sx, sy, xx, yy, xy float64
	for i := range sampleIndexes(len(x)) {
		a, b := float64(x[i]), float64(y[i])
		if isUnusable(a) || isUnusable(b) {
			continue
		}
		n++
		sx += a
		sy += b
		xx += a * a
		yy += b * b
		xy += a * b
	}
	d := (xx - sx*sx/n) * (yy - sy*sy/n)
	if !(d > 0) {
		return 0
	}
	return (xy - sx*sy/n) / math.Sqrt(d)
}
