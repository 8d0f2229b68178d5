package scaling

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
)

// Of many series some are cut though nothing changed. How many depends on
// their laws and their noise, by a factor of 100: of 10,000 series of one term,
// ten points and 5 % none or one is, of sums of two terms at 10 % 130 are. So
// the list is asked itself: each of its series is drawn anew, many times, from
// what it says of itself if it has one law (chance_explain.go), with what the
// list says of how common levels and kinds of noise are (chance_learn.go), and
// looked at like the others (chance_draw.go).
//
// What happens over what is expected (experiment -tables chance -seed 9208
// -count 8000: 8 lists of 664 of each of 20 kinds): 1.03 in all, 568 against 552,
// with 95 % bounds of .95 and 1.12. Of single kinds two have bounds that leave
// out 1: days that sizes share, .68 (.48 to .93; with two more seeds .83), and
// noise that is the same everywhere, 1.45 (1.12 to 1.86; with two more 1.22).
// All 160 counts lie in the range of ChanceRange. Where half of a list changes
// and one in fifteen of that is missed, 2.4 times too many are expected: what
// was missed counts as noise, or bends.
//
// Tried and left: the share of false changes that was measured on other series
// with as many points and such residuals, 1.7 times too low on measured
// families; each series drawn from its best law only, which has taken up noise
// and bends where no law does, 1.3 to 4 times too many; noise in proportion to
// the value only, 20 times too many where one run in twenty is disturbed; no
// exception for series with three such runs, 1.4 times too many there.

// chanceSpread is the factor by which the expected number may be off.
const chanceSpread = 1.5

// Draws of a series cost time: a list gets as many as Params.ChanceDraws of ten
// points take, each series at least leastDraws, and not more than mostDraws. Of
// longer lists leastExplained to mostExplained series stand for all.
const (
	leastDraws     = 8
	mostDraws      = 500
	leastExplained = 200
	mostExplained  = 2000
)

// ExpectedByChance is how many of the results would be segmented if none of
// their series had a change. It is for the likelihood method with default
// settings; series without a verdict do not count. The same results give the
// same number. 664 series of 6 to 14 points take 0.7 s of CPU, shared by the
// processors (BenchmarkExpectedByChance).
func ExpectedByChance(results []Result) float64 {
	var grids []*grid
	for i := range results {
		if results[i].ChangeStrength != nil && results[i].judged != nil {
			grids = append(grids, results[i].judged)
		}
	}
	return expectedByChance(grids, Default())
}

// ChanceRange is how many may be segmented by chance, in 95 of 100 lists, where
// so many are expected: the scatter of counts, and expected may be off by chanceSpread.
func ChanceRange(expected float64) (lo, hi int) {
	if !(expected > 0) || math.IsInf(expected, 0) {
		return 0, 0
	}
	return poissonQuantile(expected/chanceSpread, 0.025), poissonQuantile(expected*chanceSpread, 0.975)
}

// poissonQuantile is the least count that at least the share of a Poisson
// distribution does not exceed.
func poissonQuantile(mean, share float64) int {
	sum := 0.0
	for k := 0; ; k++ {
		log, _ := math.Lgamma(float64(k + 1))
		sum += math.Exp(float64(k)*math.Log(mean) - mean - log)
		if sum >= share || float64(k) > mean+20*math.Sqrt(mean)+20 {
			return k
		}
	}
}

// chance is a list, what its series say, and what it says of them.
type chance struct {
	pr     Params
	grids  []*grid
	series []explanation
	common common
}

func expectedByChance(all []*grid, pr Params) float64 {
	if len(all) == 0 {
		return 0
	}
	c := &chance{pr: pr, grids: all}
	if n := c.most(); n < len(all) {
		c.grids = make([]*grid, n)
		for i := range c.grids {
			c.grids[i] = all[i*len(all)/n]
		}
	}
	c.series = make([]explanation, len(c.grids))
	c.each(func(s *chanceScratch, i int) { s.explain(c.grids[i], &c.series[i]) })
	c.learn()
	draws, found := c.draws(), make([]int, len(c.grids))
	c.each(func(s *chanceScratch, i int) {
		r := rand.New(rand.NewPCG(uint64(i), 0x6368616e6365))
		m := newMaker(s, c, i)
		for range draws {
			if s.d.detect(m.draw(r)).segmented {
				found[i]++
			}
		}
	})
	return c.mean(found) / float64(draws) * float64(len(all))
}

// leastOthers is the number of other series from which they speak for those that
// are cut, or that no level of noise explains that others have.
const leastOthers = 30

// mean is the mean number found in a series. A series that is cut has no one
// law that is near it, and those that come nearest bend: drawn from these, five
// times as many are cut as should be (1 in 6 of a list changed). One with three
// disturbed runs is explained by a noise of 50 %. Where there are others, they
// speak for it.
func (c *chance) mean(found []int) float64 {
	var sum, count [2]float64
	for i, k := range found {
		class := 0
		if c.series[i].unlike {
			class = 1
		}
		sum[class] += float64(k)
		count[class]++
	}
	if count[0] >= leastOthers {
		return sum[0] / count[0]
	}
	return (sum[0] + sum[1]) / (count[0] + count[1])
}

// cost is what it takes to draw each series once, in series of ten points: time
// grows with the square of the points.
func (c *chance) cost() float64 {
	sum := 0.0
	for _, g := range c.grids {
		sum += float64(len(g.y)*len(g.y)) / 100
	}
	return sum
}

// draws is how often each series is drawn.
func (c *chance) draws() int {
	return int(min(max(float64(c.pr.ChanceDraws)/c.cost(), leastDraws), mostDraws))
}

// most is how many series are looked at: as many as can be drawn leastDraws times.
func (c *chance) most() int {
	each := c.cost() / float64(len(c.grids))
	return int(min(max(float64(c.pr.ChanceDraws)/(leastDraws*each), leastExplained), mostExplained))
}

// each calls f for all series, on all processors. What f does must not depend
// on what it did before.
func (c *chance) each(f func(s *chanceScratch, i int)) {
	n := len(c.grids)
	workers := max(1, min(runtime.GOMAXPROCS(0), n/leastShareOfWork))
	var done sync.WaitGroup
	for w := range workers {
		done.Go(func() {
			s := &chanceScratch{d: newDetector(c.pr)}
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				f(s, i)
			}
		})
	}
	done.Wait()
}
