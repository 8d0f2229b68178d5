package scaling

import (
	"fmt"
	"io"
	"math"

	"jobgait/analysis/internal/parallel"
)

// chanceKind is a kind of list: series of one law and one kind of noise.
type chanceKind struct {
	name string
	draw func(drawSource) drawnSeries
	// stepped is whether every sixth series of the list has a change. How many
	// would be cut without it is what is expected.
	stepped bool
}

func chanceKinds() []chanceKind {
	low, all, high := []float64{0, 0.01, 0.02, 0.05}, []float64{0, 0.01, 0.02, 0.05, 0.1, 0.15}, []float64{0.1}
	mixed := oneMeasured([]float64{0.02, 0.05, 0.1, 0.15}, steadyFamilies...)
	kinds := []chanceKind{
		{name: "paper, 10 points, 0-15%", draw: onePaper(all, 10, 10)},
		{name: "paper, 10 points, 15%", draw: onePaper(all[5:], 10, 10)},
		{name: "paper, 6-12 points, 1-15%", draw: onePaper(all[1:], 6, 12)},
		{name: "paper, 6 points, 10%", draw: onePaper(high, 6, 6)},
		{name: "measured, 2-15%", draw: mixed},
		{name: "measured, 1 in 6 changed", draw: mixed, stepped: true},
		{name: "measured, 0-5%", draw: oneMeasured(low, steadyFamilies...)},
		{name: "constant, 10%", draw: oneMeasured(high, "constant")},
		{name: "sum of two terms, 10%", draw: oneMeasured(high, "sum")},
		{name: "strong scaling, 5%", draw: oneMeasured([]float64{0.05}, "strong", "amdahl")},
		{name: "paper, normal 5%", draw: normal(onePaper(low[:1], 6, 12), 0.05)},
		{name: "measured, normal 5%", draw: normal(oneMeasured(low[:1], steadyFamilies...), 0.05)},
		{name: "measured, normal 2%", draw: normal(oneMeasured(low[:1], steadyFamilies...), 0.02)},
	}
	for _, family := range []string{"day 5%", "shared days 5%", "outliers x1.5-10", "outliers exponential",
		"growing to 10%", "shrinking to 0.1%", "absolute 2% of median"} {
		kinds = append(kinds, chanceKind{name: family + ", 6-10", draw: func(s drawSource) drawnSeries {
			return s.Disturbed(family, 6+2*s.Below(3))
		}})
	}
	return kinds
}

func onePaper(noises []float64, from, to int) func(drawSource) drawnSeries {
	return func(s drawSource) drawnSeries {
		c := drawCell{In: s.Below(2) == 0, Decades: s.Below(2) == 0, Doubling: s.Below(2) == 0,
			Noise: noises[s.Below(len(noises))]}
		return s.Paper(c, from+s.Below(to-from+1))
	}
}

func oneMeasured(noises []float64, families ...string) func(drawSource) drawnSeries {
	return func(s drawSource) drawnSeries {
		return s.Measured(families[s.Below(len(families))], noises[s.Below(len(noises))])
	}
}

func normal(f func(drawSource) drawnSeries, sd float64) func(drawSource) drawnSeries {
	return func(s drawSource) drawnSeries { return s.Normal(f(s), sd) }
}

// chanceTally is the lists of a kind.
type chanceTally struct {
	lists, within  int // within the range that is printed
	seen, expected float64
}

// list draws n series that can be judged, and adds what is seen and expected.
func (k chanceKind) list(t *chanceTally, src drawSource, d *Detector, n int) {
	var list resultCounts
	seen := 0
	for i := 0; i < n; {
		v := k.draw(src)
		if !v.Positive() {
			continue
		}
		if d.Detect(v.P, v.Values, v.Groups).Segmented {
			seen++
		}
		if k.stepped && i%6 == 0 {
			v = v.Stepped(len(v.P)/2, 3)
		}
		d.Count(&list, v.P, v.Values, v.Groups)
		i++
	}
	e := list.expectedByChance()
	lo, hi := ChanceRange(e)
	t.lists++
	t.seen += float64(seen)
	t.expected += e
	if seen >= lo && seen <= hi {
		t.within++
	}
}

// chance is lists of series, 664 as the paper's HOMME has kernels: how many
// without a change are called segmented, and how many the program expects.
func chance(s tableSettings, w io.Writer) {
	lists := max(min(s.count/1000, 20), 1)
	fmt.Fprintf(w, "\nLists of %d series: segmented without a change, and expected by chance; %d lists of each kind\n",
		s.list, lists)
	fmt.Fprintln(w, "kind                           segmented  expected  ratio (95 % of it)  lists within their range")
	kinds := chanceKinds()
	tallies := make([]chanceTally, len(kinds))
	parallel.Each(len(kinds), func(i int) {
		src, d := newDraw(s.seed<<20+uint64(i)), NewDetector()
		for range lists {
			kinds[i].list(&tallies[i], src, d, s.list)
		}
	})
	var all chanceTally
	for i, k := range kinds {
		tallies[i].line(w, k.name)
		all.lists += tallies[i].lists
		all.within += tallies[i].within
		all.seen += tallies[i].seen
		all.expected += tallies[i].expected
	}
	all.line(w, "all")
}

// line prints a kind, with the interval of a count (Byar's) over what is expected.
func (t chanceTally) line(w io.Writer, name string) {
	const z = 1.959964
	at := func(n, z float64) float64 {
		if n == 0 {
			return 0
		}
		return n * math.Pow(1-1/(9*n)+z/(3*math.Sqrt(n)), 3) / t.expected
	}
	fmt.Fprintf(w, "%-30s %9.0f  %8.2f  %.2f (%.2f-%.2f)    %d of %d\n", name, t.seen, t.expected,
		t.seen/t.expected, at(t.seen, -z), at(t.seen+1, z), t.within, t.lists)
}
