package changepoint

import "math"

// The runs of one day may share a part of their time: a neighbour, a loaded file
// system. Six runs of two days are then worth little more than two (MEASURED.md).

// dayTries are the shares of the variance, common to the runs of a day, that a
// claim must stand.
var dayTries = [...]float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}

// alikeDays returns by how many nats claim c passes if the runs of a day are
// alike: the least over the likeness of the evidence at that likeness and of what
// the residuals, and the belief that it is small, say against it, less what is
// asked of as few runs as the days are worth. It is infinite where every run has
// its own day.
func (sc *scanner) alikeDays(c *claim, b belief) float64 {
	days, repeated := sc.daysOf(c)
	if repeated == 0 {
		return math.Inf(1)
	}
	seen := sc.sameDay(c)
	least := math.Inf(1)
	for _, f := range dayTries {
		against := seen.against(f)
		if against > c.evidence {
			continue
		}
		d, infl := days.worth(c, f)
		left := sc.inflated(c.x, c.split, b, infl, f*repeated) + c.expected + c.others + against
		least = min(least, left-sc.few(&d)-smallCorrelated/d.df-sc.p.Threshold)
	}
	return least
}

// daySums are the runs of each piece of a claim within its window, and the sum
// of squares of the runs of each of its days.
type daySums [3]struct{ runs, squares float64 }

// daysOf counts the runs of the days of a claim; repeated is the share of runs
// that follow one of the same day.
func (sc *scanner) daysOf(c *claim) (d daySums, repeated float64) {
	if sc.day == nil {
		return d, 0
	}
	for q, v := range c.pieces() {
		again := 0.0
		d[q].runs, d[q].squares, again = sc.countDays(max(v.first, c.from), v.end)
		repeated += again
	}
	return d, repeated / float64(len(c.x))
}

// countDays returns the number of runs [first,end), the sum of squares of those of
// each day, and how many follow one of their day.
func (sc *scanner) countDays(first, end int) (runs, squares, repeated float64) {
	of := 0.0
	for i := first; i < end; i++ {
		if i > first && !sc.newDay(i) {
			repeated++
		} else {
			of = 0
		}
		of++
		squares += 2*of - 1
	}
	return float64(max(0, end-first)), squares, repeated
}

// inflation is by how much the variance of the mean of some pieces is larger
// than that of independent runs if runs of a day share f of theirs.
func (d *daySums) inflation(f float64, pieces ...int) float64 {
	runs, squares := 0.0, 0.0
	for _, q := range pieces {
		runs, squares = runs+d[q].runs, squares+d[q].squares
	}
	if runs == 0 {
		return 1
	}
	return 1 + f*(squares/runs-1)
}

// worth is claim c with its noise known from as many runs as their days are
// worth, and the inflations of the variance of its two levels. An outlier is as
// often one run as a day, so that few runs of few days are asked half of the way
// between what their runs and what their days would be.
func (d *daySums) worth(c *claim, f float64) (claim, [2]float64) {
	w := *c
	infl := [2]float64{d.inflation(f, 0, 2), d.inflation(f, 1)}
	n, nl := float64(len(c.x)), float64(c.k)
	w.df = max(1, c.df-n+nl/infl[0]+(n-nl)/infl[1])
	w.right.weight /= math.Sqrt(infl[1])
	w.around[0] /= math.Sqrt(d.inflation(f, 0))
	w.around[1] /= math.Sqrt(d.inflation(f, 2))
	return w, infl
}

// sameDay is what runs that follow one of their day tell of how alike they are.
type sameDay struct {
	lagOne
	levels []dayLevel
}

// dayLevel is one level: its pairs of such runs, its runs, and the sum of squares
// of the runs of its days.
type dayLevel struct{ pairs, runs, squares float64 }

// sameDay looks at all levels that tell of claim c.
func (sc *scanner) sameDay(c *claim) sameDay {
	var a sameDay
	sc.told(c, func(first, end int, mu float64, l *loss) {
		before := a.pairs
		sc.follow(first, end, mu, l, &a.lagOne, &lagOne{})
		v := dayLevel{pairs: a.pairs - before}
		v.runs, v.squares, _ = sc.countDays(first, end)
		a.levels = append(a.levels, v)
	})
	return a
}

// against is by how many nats the residuals, and the belief that runs of a day
// are little alike, speak against a share f of the variance, compared to none.
func (a *sameDay) against(f float64) float64 {
	nats := sq(f/alikeSD) / 2
	if a.pairs > 0 && a.square > 0 {
		phi := a.product / a.square
		se2 := max(1-sq(phi), 0.1) / a.pairs
		nats += (sq(phi-a.expected(f)) - sq(phi-a.expected(0))) / se2 / 2
	}
	return max(0, nats)
}

// expected is the correlation of the residuals around fitted levels if runs of a
// day share f of their variance: a level takes up most of what its days share if
// it has few.
func (a *sameDay) expected(f float64) float64 {
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
