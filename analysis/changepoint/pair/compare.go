package pair

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"

	"gonum.org/v1/gonum/stat/distuv"
)

// Join is the rule by which runs of two series are paired. Runs of one day had the same state of the machine;
// runs of one scale had the same amount of work.
type Join string

const (
	JoinDay   Join = "day"   // runs of one day: floor(T)
	JoinScale Join = "scale" // runs of one scale: equal T, which is nodes x ranks x input
)

// With these settings 5000 intervals of .99, drawn with unused seeds and the scan
// in front, hold the truth .990, .992 and .988 times at 8, 15 and 30 pairs with six
// runs in a hundred disturbed, .988, .990 and .991 times with none. A difference of
// 3 % is shown at 15 pairs in .92 of them.
const (
	// level is that of the interval of a paired comparison; setLevel that of two
	// sets of runs.
	level, setLevel = .99, .95
	// fewPairs is the number of pairs below which the widened interval is noted.
	fewPairs = 10
	// seePct is the difference for which the runs still needed are counted.
	seePct = 3
)

// spikeModel returns the model of disturbed ratios, symmetric because either run of a pair may be disturbed.
func spikeModel() robust.Spikes { return robust.Spikes{Share: .06, Range: 1} }

// Comparison is the relative difference of series b from series a, positive if b is larger. Figures cover the
// time since the ratio last changed.
type Comparison struct {
	Pairs   int `json:"pairs"`
	Dropped int `json:"dropped"` // runs without a partner or a value
	// Used is the number of pairs from which the figures are computed: those since the last change.
	Used        int      `json:"used"`
	RelativePct *float64 `json:"relative_pct"`
	LoPct       *float64 `json:"ci_lo_pct"`
	HiPct       *float64 `json:"ci_hi_pct"`
	Level       float64  `json:"level"`
	P           *float64 `json:"p"`
	// Significant reports that the interval does not include 0; otherwise the difference is written "~".
	Significant bool `json:"significant"`
	// Need is the number of additional pairs (or runs of each set) with which a difference of SeePct percent is
	// detected four times in five; nil if there are enough.
	Need   *int    `json:"need"`
	SeePct float64 `json:"see_pct"`
	// Correlation is the correlation of the paired logarithms: the noise that pairing removes.
	Correlation *float64             `json:"correlation"`
	Changes     []changepoint.Change `json:"changes"`
	Histogram   []Bin                `json:"histogram"`
	Notes       []note.Note          `json:"notes"`
}

// Compare pairs the runs of two series, using the median of several runs of one day or scale, and tests the
// logarithm of the ratio. With JoinDay it first detects changes of the ratio, whose indexes count pairs, and
// uses only the pairs since the last of them.
func Compare(a, b changepoint.Series, join Join) Comparison {
	c := newComparison(level)
	ka, va := medianByKey(&a, join)
	kb, vb := medianByKey(&b, join)
	keys, xa, xb := commonKeys(ka, va, kb, vb)
	c.Pairs = len(keys)
	c.Dropped = countDropped(&a, keys, join) + countDropped(&b, keys, join)
	if c.Pairs < 2 {
		c.Notes = append(c.Notes, note.New(note.NoPairs, "the two histories are not compared: %s of runs with the same %s, "+
			"at least 2 are needed: add runs to both", quantity.Plural(c.Pairs, "pair"), join))
		return c
	}
	ratio := changepoint.Series{T: keys, Y: make([]float64, len(keys))}
	for i := range keys {
		ratio.Y[i] = math.Exp(xb[i] - xa[i])
	}
	first := 0
	if join == JoinDay {
		first = c.changesOfRatio(ratio)
	}
	c.Correlation = correlation(xa[first:], xb[first:])
	r := make([]float64, 0, len(keys)-first)
	for i := first; i < len(keys); i++ {
		r = append(r, xb[i]-xa[i])
	}
	c.setFromRatios(r)
	return c
}

// newComparison returns an empty comparison with intervals of the given level.
func newComparison(level float64) Comparison {
	return Comparison{Level: level, SeePct: seePct, Changes: []changepoint.Change{}, Histogram: []Bin{},
		Notes: []note.Note{}}
}

// changesOfRatio lists the changes of the ratio and returns the first pair
// since the last of them.
func (c *Comparison) changesOfRatio(ratio changepoint.Series) int {
	// A spike of either run is a spike of the ratio, up or down.
	p := changepoint.Default()
	p.Outliers.Down = p.Outliers.Up
	res := changepoint.Analyse([]changepoint.Series{ratio}, changepoint.Sequential, p).Series[0]
	c.Changes = res.Changes
	if len(res.Changes) == 0 {
		return 0
	}
	last := res.Changes[len(res.Changes)-1]
	times, since := "once", "then"
	if n := len(res.Changes); n > 1 {
		times, since = fmt.Sprintf("%d times", n), "the last change"
	}
	c.Notes = append(c.Notes, note.New(note.RatioChanged, "the ratio of the two histories changed %s: the figures "+
		"describe the %s since %s",
		times, quantity.Plural(c.Pairs-last.Index, "pair"), since))
	return last.Index
}

// setFromRatios sets the estimate, the interval, p and Need from log ratios r.
func (c *Comparison) setFromRatios(r []float64) {
	c.Used = len(r)
	n := float64(len(r))
	// Degrees of freedom lost because the spread of the spikes cannot be estimated from few pairs: without this
	// coverage is .975 at 8 pairs, .988 at 30.
	lost := math.Min(1.5, 12/n)
	m := spikeModel().Mean(r)
	lo, hi := interval(m, c.Level, lost)
	c.figures(m.Mean, lo, hi, pValue(m, lost))
	c.setNeed(m.SE*math.Sqrt(m.DF+1), len(r))
	c.Histogram = histogram(r)
	if len(r) < fewPairs {
		c.Notes = append(c.Notes, note.New(note.FewPairs, "the interval is widened, because %s of runs are compared, "+
			"fewer than %d: add runs to both",
			quantity.Plural(len(r), "pair"),
			fewPairs))
	}
}

// figures sets the estimate, its interval and p, given in log units, and Significant.
func (c *Comparison) figures(mean, lo, hi, p float64) {
	rel, l, h := quantity.PercentOfLogs(mean), quantity.PercentOfLogs(lo), quantity.PercentOfLogs(hi)
	c.RelativePct, c.LoPct, c.HiPct, c.P = &rel, &l, &h, &p
	c.Significant = lo > 0 || hi < 0
}

// setNeed sets Need, the number of runs that are missing to detect a difference of SeePct with a power of 80 %,
// with standard deviation s of single values.
func (c *Comparison) setNeed(s float64, have int) {
	const power = .84 // the normal quantile of four in five
	see := math.Log1p(c.SeePct / 100)
	enough := func(n int) bool {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(.5 + c.Level/2)
		return (t+power)*s/math.Sqrt(float64(n)) <= see
	}
	n := 3
	for n < mostCounted && !enough(n) {
		n++
	}
	if n == mostCounted {
		z := distuv.UnitNormal.Quantile(.5+c.Level/2) + power
		n = int(math.Min(math.Max(math.Ceil(z*s/see*z*s/see), mostCounted), 1e6))
	}
	if n > have {
		more := n - have
		c.Need = &more
	}
}

// mostCounted is the largest number of runs tried one by one; above it the normal distribution replaces
// Student's t, with an error below 2 %.
const mostCounted = 100

// medianByKey returns the distinct days or scales of a series, ascending, and the median logarithm of each.
func medianByKey(s *changepoint.Series, join Join) (keys, values []float64) {
	groups := make(map[float64][]float64)
	for i, y := range s.Y {
		if s.Usable(i) {
			k := joinKey(s, i, join)
			groups[k] = append(groups[k], math.Log(y))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(groups)) {
		keys, values = append(keys, k), append(values, robust.Median(groups[k]))
	}
	return keys, values
}

// joinKey returns the day or the scale of run i, by which runs are paired.
func joinKey(s *changepoint.Series, i int, join Join) float64 {
	if join == JoinDay {
		return math.Floor(s.Time(i))
	}
	return s.Time(i)
}

// commonKeys returns the keys that both series have, with the values of each.
func commonKeys(ka, va, kb, vb []float64) (keys, xa, xb []float64) {
	for i, j := 0, 0; i < len(ka) && j < len(kb); {
		switch {
		case ka[i] < kb[j]:
			i++
		case ka[i] > kb[j]:
			j++
		default:
			keys, xa, xb = append(keys, ka[i]), append(xa, va[i]), append(xb, vb[j])
			i, j = i+1, j+1
		}
	}
	return keys, xa, xb
}

// countDropped returns the number of runs of one series that are in no pair.
func countDropped(s *changepoint.Series, common []float64, join Join) int {
	n := 0
	for i := range s.Y {
		if !s.Usable(i) || !contains(common, joinKey(s, i, join)) {
			n++
		}
	}
	return n
}

// contains reports whether v is among the sorted numbers.
func contains(sorted []float64, v float64) bool {
	_, ok := slices.BinarySearch(sorted, v)
	return ok
}

// correlation returns the correlation of two lists, estimated from the signs of their distances from the
// medians, which disturbed runs do not affect; nil if one of them does not vary or they have fewer than three
// values.
func correlation(a, b []float64) *float64 {
	if len(a) < 3 || slices.Min(a) == slices.Max(a) || slices.Min(b) == slices.Max(b) {
		return nil
	}
	ma, mb := robust.Median(a), robust.Median(b)
	da, db := make([]float64, len(a)), make([]float64, len(b))
	for i := range a {
		da[i], db[i] = a[i]-ma, b[i]-mb
	}
	c := robust.SignCorrelation(da, db)
	return &c
}

// interval returns the two-sided confidence interval of the mean at the given level; lost degrees of freedom
// are subtracted because values are few.
func interval(m robust.SpikedMean, level, lost float64) (lo, hi float64) {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: math.Max(m.DF-lost, 1)}
	h := t.Quantile(.5+level/2) * m.SE
	return m.Mean - h, m.Mean + h
}

// pValue returns the two-sided probability of a mean at least this far from zero by chance.
func pValue(m robust.SpikedMean, lost float64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: math.Max(m.DF-lost, 1)}
	return 2 * t.Survival(math.Abs(m.Mean)/m.SE)
}
