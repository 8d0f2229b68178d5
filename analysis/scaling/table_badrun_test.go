package scaling_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"jobgait/analysis/internal/parallel"
	"jobgait/analysis/scaling"
)

// campaign is how often which sizes are run.
type campaign struct {
	name        string
	sizes       []float64
	repetitions int
}

func campaigns() []campaign {
	every := func(n int, f func(k int) float64) []float64 {
		p := make([]float64, n)
		for k := range p {
			p[k] = f(k)
		}
		return p
	}
	doubling := func(k int) float64 { return math.Exp2(float64(k + 1)) }
	return []campaign{
		{"6 sizes x 3", every(6, doubling), 3},
		{"6 sizes x 5", every(6, doubling), 5},
		{"9 sizes x 2", every(9, func(k int) float64 { return 4 * float64(k+1) }), 2},
		{"18 sizes x 1", every(18, func(k int) float64 { return 2 * float64(k+1) }), 1},
		{"18 sizes x 1, x 1.4", every(18, func(k int) float64 { return math.Round(4 * math.Pow(1.4, float64(k))) }), 1},
		{"10 sizes x 1", every(10, doubling), 1},
	}
}

// badRunLaws are the laws of the table, each of which noise of 1 % leaves visible.
func badRunLaws() []scaling.Model {
	return []scaling.Model{
		{Constant: 10, Terms: []scaling.Term{{Coefficient: 3, I: 1}}},
		{Constant: 5, Terms: []scaling.Term{{Coefficient: 4, I: 0.5}}},
		{Constant: 1, Terms: []scaling.Term{{Coefficient: 100, I: -1}}},
		{Constant: 20, Terms: []scaling.Term{{Coefficient: 10, J: 1}}},
		{Constant: 100, Terms: []scaling.Term{{Coefficient: 1, I: 2}}},
		{Constant: 42},
	}
}

// badRunFactors are what one run, or two, are multiplied by; 1 is none.
func badRunFactors() []float64 { return []float64{1, 0, 0.1, 0.3, 0.5, 0.7, 1.5, 2, 5, 10} }

// badRuns prints in what share of the series the law is kept when one or two runs
// are wrong by a factor: the exponents shown are those of the law drawn, over all
// sizes, and at twice the largest size the law is within 20 % of it.
func badRuns(seed uint64, count int, w io.Writer) {
	for _, wrong := range []int{1, 2} {
		for _, noise := range []float64{0.01, 0.03} {
			fmt.Fprintf(w, "\nLaw kept with %d wrong runs, noise %g %% (normal), %d series of each law\n", wrong, 100*noise, count)
			fmt.Fprintf(w, "%-22s", "factor")
			for _, f := range badRunFactors() {
				fmt.Fprintf(w, "%6g", f)
			}
			fmt.Fprintln(w)
			for _, c := range campaigns() {
				if wrong == 2 && c.repetitions*len(c.sizes) < 18 {
					continue
				}
				badRunRows(w, c, wrong, noise, seed, count)
			}
		}
	}
}

func badRunRows(w io.Writer, c campaign, wrong int, noise float64, seed uint64, count int) {
	kept := make([][]int, len(badRunLaws()))
	for l := range kept {
		kept[l] = make([]int, len(badRunFactors()))
	}
	cells := len(badRunLaws()) * len(badRunFactors())
	parallel.Each(cells, func(i int) {
		l, f := i/len(badRunFactors()), i%len(badRunFactors())
		r := rand.New(rand.NewPCG(seed, uint64(1000*l+10*len(c.sizes)+c.repetitions)))
		for range count {
			s := c.measure(r, badRunLaws()[l], noise)
			for _, k := range r.Perm(len(s.Observations))[:wrong] {
				s.Observations[k].Value *= badRunFactors()[f]
			}
			if lawKept(scaling.Analyse([]scaling.Series{s}, scaling.Likelihood)[0], badRunLaws()[l]) {
				kept[l][f]++
			}
		}
	})
	all := make([]int, len(badRunFactors()))
	row := func(name string, counts []int, of int) {
		fmt.Fprintf(w, "%-22s", name)
		for _, n := range counts {
			fmt.Fprintf(w, "%6.2f", float64(n)/float64(of))
		}
		fmt.Fprintln(w)
	}
	for l := range kept {
		for f, n := range kept[l] {
			all[f] += n
		}
	}
	row(c.name, all, count*len(kept))
	row("  10 + 3p alone", kept[0], count)
}

// measure draws a campaign under a law.
func (c campaign) measure(r *rand.Rand, law scaling.Model, noise float64) scaling.Series {
	s := scaling.Series{Parameter: "p", Metric: "time"}
	for _, p := range c.sizes {
		for range c.repetitions {
			v := law.At(p) * (1 + noise*r.NormFloat64())
			s.Observations = append(s.Observations, scaling.Observation{P: p, Value: v})
		}
	}
	return s
}

// lawKept is whether the result has the terms of the law and its value at twice
// the largest size.
func lawKept(r scaling.Result, law scaling.Model) bool {
	if r.Segmented || r.Whole == nil || !slices.EqualFunc(r.Whole.Terms, law.Terms, func(a, b scaling.Term) bool {
		return a.I == b.I && a.J == b.J
	}) || len(r.Predictions) < 2 {
		return false
	}
	p := r.Predictions[1].P
	return math.Abs(r.Whole.At(p)/law.At(p)-1) < 0.2
}
