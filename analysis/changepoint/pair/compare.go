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

// Join says which runs of two series belong together. The two ways are never
// mixed: a day says that the machine was alike, a scale that the work was.
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

// spikes are the ratios that are disturbed. Both sides are alike, because either
// run of a pair may be the one that was.
func spikes() robust.Spikes { return robust.Spikes{Share: .06, Range: 1} }

// Comparison is how b compares with a. A positive difference means that b is
// larger. Figures are of the time since the ratio last changed.
type Comparison struct {
	Pairs   int `json:"pairs"`
	Dropped int `json:"dropped"` // runs without a partner or a value
	// Used is how many pairs the figures rest on: those since the last change.
	Used        int      `json:"used"`
	RelativePct *float64 `json:"relative_pct"`
	LoPct       *float64 `json:"ci_lo_pct"`
	HiPct       *float64 `json:"ci_hi_pct"`
	Level       float64  `json:"level"`
	P           *float64 `json:"p"`
	// Significant says that the interval excludes no difference; without it the
	// difference is written "~".
	Significant bool `json:"significant"`
	// Need is how many more pairs (runs of each set) would show a difference of
	// SeePct four times in five; nil if there are enough.
	Need   *int    `json:"need"`
	SeePct float64 `json:"see_pct"`
	// Correlation is that of the paired logarithms: what the pairing removes.
	Correlation *float64             `json:"correlation"`
	Changes     []changepoint.Change `json:"changes"`
	Histogram   []Bin                `json:"histogram"`
	Notes       []note.Note          `json:"notes"`
}

// Compare pairs the runs of two series, several of one day or scale by their
// median, and judges the logarithm of the ratio. The scan looks for changes of
// the ratio first; indexes of changes count pairs.
func Compare(a, b changepoint.Series, join Join) Comparison {
	c := newComparison(level)
	ka, va := grouped(&a, join)
	kb, vb := grouped(&b, join)
	keys, xa, xb := joined(ka, va, kb, vb)
	c.Pairs = len(keys)
	c.Dropped = dropped(&a, keys, join) + dropped(&b, keys, join)
	if c.Pairs < 2 {
		c.Notes = append(c.Notes, note.New(note.NoPairs, "%s: the two have too few runs of one %s in common",
			quantity.Plural(c.Pairs, "pair"), join))
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
	c.judge(r)
	return c
}

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
	times, since := "once", "that"
	if n := len(res.Changes); n > 1 {
		times, since = fmt.Sprintf("%d times", n), "the last change"
	}
	c.Notes = append(c.Notes, note.New(note.RatioChanged, "the ratio changed %s: figures are of the %s since %s",
		times, quantity.Plural(c.Pairs-last.Index, "pair"), since))
	return last.Index
}

// judge fills in the figures of log ratios r.
func (c *Comparison) judge(r []float64) {
	c.Used = len(r)
	n := float64(len(r))
	// Degrees of freedom given up for the spread of the spikes, which few pairs
	// do not tell: without it coverage is .975 at 8 pairs, .988 at 30.
	lost := math.Min(1.5, 12/n)
	m := spikes().Mean(r)
	lo, hi := interval(m, c.Level, lost)
	c.figures(m.Mean, lo, hi, chance(m, lost))
	c.need(m.SE*math.Sqrt(m.DF+1), len(r))
	c.Histogram = histogram(r)
	if len(r) < fewPairs {
		c.Notes = append(c.Notes, note.New(note.FewPairs, "%s: the interval is widened below %d",
			quantity.Plural(len(r), "pair"),
			fewPairs))
	}
}

// figures sets the estimate, its interval and p, given in logarithms.
func (c *Comparison) figures(mean, lo, hi, p float64) {
	rel, l, h := quantity.OfLogs(mean), quantity.OfLogs(lo), quantity.OfLogs(hi)
	c.RelativePct, c.LoPct, c.HiPct, c.P = &rel, &l, &h, &p
	c.Significant = lo > 0 || hi < 0
}

// need counts the runs that are missing to detect the requested difference with a power of 80 %, with a spread
// of s from run to run.
func (c *Comparison) need(s float64, have int) {
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

// mostCounted is how many runs are tried one by one; beyond, Student's t is
// normal to 2 %.
const mostCounted = 100

// grouped are the distinct days or scales of a series, ascending, and the
// median logarithm of each.
func grouped(s *changepoint.Series, join Join) (keys, values []float64) {
	groups := make(map[float64][]float64)
	for i, y := range s.Y {
		if s.Usable(i) {
			k := key(s, i, join)
			groups[k] = append(groups[k], math.Log(y))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(groups)) {
		keys, values = append(keys, k), append(values, robust.Median(groups[k]))
	}
	return keys, values
}

func key(s *changepoint.Series, i int, join Join) float64 {
	if join == JoinDay {
		return math.Floor(s.Time(i))
	}
	return s.Time(i)
}

// joined are the keys that both have, with the values of each.
func joined(ka, va, kb, vb []float64) (keys, xa, xb []float64) {
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

// dropped counts the runs of one series that are in no pair.
func dropped(s *changepoint.Series, common []float64, join Join) int {
	n := 0
	for i := range s.Y {
		if !s.Usable(i) || !has(common, key(s, i, join)) {
			n++
		}
	}
	return n
}

func has(sorted []float64, v float64) bool {
	_, ok := slices.BinarySearch(sorted, v)
	return ok
}

// correlation of two lists by the quadrants about their medians, which disturbed
// runs do not move; nil where one of them does not vary.
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

// interval is the two-sided interval of the mean at the level; lost is how many
// more degrees of freedom are given up where values are few.
func interval(m robust.SpikedMean, level, lost float64) (lo, hi float64) {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: math.Max(m.DF-lost, 1)}
	h := t.Quantile(.5+level/2) * m.SE
	return m.Mean - h, m.Mean + h
}

// chance is the two-sided chance of a mean this far from zero.
func chance(m robust.SpikedMean, lost float64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: math.Max(m.DF-lost, 1)}
	return 2 * t.Survival(math.Abs(m.Mean)/m.SE)
}
