package scaling

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"jobgait/analysis/internal/parallel"
)

// badRunCampaign describes which sizes are run and how often.
type badRunCampaign struct {
	name        string
	sizes       []float64
	repetitions int
}

func badRunCampaigns() []badRunCampaign {
	every := func(n int, f func(k int) float64) []float64 {
		p := make([]float64, n)
		for k := range p {
			p[k] = f(k)
		}
		return p
	}
	doubling := func(k int) float64 { return math.Exp2(float64(k + 1)) }
	return []badRunCampaign{
		{"6 sizes x 3", every(6, doubling), 3},
		{"6 sizes x 5", every(6, doubling), 5},
		{"9 sizes x 2", every(9, func(k int) float64 { return 4 * float64(k+1) }), 2},
		{"18 sizes x 1", every(18, func(k int) float64 { return 2 * float64(k+1) }), 1},
		{"18 sizes x 1, x 1.4", every(18, func(k int) float64 { return math.Round(4 * math.Pow(1.4, float64(k))) }), 1},
		{"10 sizes x 1", every(10, doubling), 1},
		{"9 sizes x 1", every(9, func(k int) float64 { return 4 * float64(k+1) }), 1},
		{"6 sizes x 2", every(6, doubling), 2},
		{"6 sizes x 1", every(6, doubling), 1},
	}
}

// badRunLaws are the laws of the table, each of which noise of 1 % leaves visible.
func badRunLaws() []Model {
	return []Model{
		{Constant: 10, Terms: []Term{{Coefficient: 3, I: 1}}},
		{Constant: 5, Terms: []Term{{Coefficient: 4, I: 0.5}}},
		{Constant: 1, Terms: []Term{{Coefficient: 100, I: -1}}},
		{Constant: 20, Terms: []Term{{Coefficient: 10, J: 1}}},
		{Constant: 100, Terms: []Term{{Coefficient: 1, I: 2}}},
		{Constant: 42},
	}
}

// badRunFactors multiply one run, or two; 1 leaves the runs as they are.
func badRunFactors() []float64 {
	return []float64{1, 0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.5, 2, 3, 5, 10}
}

// badRuns prints the share of series whose law is kept when one or two runs are wrong
// by a factor: the exponents shown are those of the law drawn, over all sizes, and at
// twice the largest size the law is within 20 % of it. The first row of each campaign
// is 10 + 3p with five times as many series, the second is all laws.
func badRuns(s tableSettings, w io.Writer) {
	for _, wrong := range []int{1, 2} {
		for _, noise := range []float64{0.01, 0.03} {
			fmt.Fprintf(w, "\nLaw kept with %d wrong runs by factor, normal noise of %g %%, %d and %d series\n",
				wrong, 100*noise, 5*s.count, len(badRunLaws())*s.count)
			fmt.Fprintf(w, "%-30s", "")
			for _, f := range badRunFactors() {
				fmt.Fprintf(w, "%6g", f)
			}
			fmt.Fprintln(w)
			for _, c := range badRunCampaigns() {
				if wrong == 2 && c.repetitions*len(c.sizes) < 18 {
					continue
				}
				laws := badRunLaws()
				badRunRow{s.seed, 5 * s.count, c, wrong, noise}.print(w, c.name+", 10 + 3p", laws[:1])
				badRunRow{s.seed, s.count, c, wrong, noise}.print(w, c.name+", all laws", laws)
			}
		}
	}
}

// badRunRow is one row of the table.
type badRunRow struct {
	seed     uint64
	count    int // series of each law
	campaign badRunCampaign
	wrong    int
	noise    float64
}

func (b badRunRow) print(w io.Writer, name string, laws []Model) {
	kept := make([]int, len(badRunFactors()))
	parallel.Each(len(kept), func(f int) {
		for l, law := range laws {
			r := rand.New(rand.NewPCG(b.seed, uint64(1000*l+10*len(b.campaign.sizes)+b.campaign.repetitions)))
			for range b.count {
				s := b.campaign.measure(r, law, b.noise)
				for _, k := range r.Perm(len(s.Observations))[:b.wrong] {
					s.Observations[k].Value *= badRunFactors()[f]
				}
				if lawKept(Analyse([]Series{s}, Likelihood)[0], law) {
					kept[f]++
				}
			}
		}
	})
	fmt.Fprintf(w, "%-30s", name)
	for _, n := range kept {
		fmt.Fprintf(w, "%6.2f", float64(n)/float64(b.count*len(laws)))
	}
	fmt.Fprintln(w)
}

// measure draws a campaign under a law.
func (c badRunCampaign) measure(r *rand.Rand, law Model, noise float64) Series {
	s := Series{Parameter: "p", Metric: "time"}
	for _, p := range c.sizes {
		for range c.repetitions {
			v := law.At(p) * (1 + noise*r.NormFloat64())
			s.Observations = append(s.Observations, Observation{P: p, Value: v})
		}
	}
	return s
}

// lawKept reports whether the result has the terms of the law and its value at twice the largest size.
func lawKept(r Result, law Model) bool {
	if r.Segmented || r.Whole == nil || !slices.EqualFunc(r.Whole.Terms, law.Terms, func(a, b Term) bool {
		return a.I == b.I && a.J == b.J
	}) || len(r.Predictions) < 2 {
		return false
	}
	p := r.Predictions[1].P
	return math.Abs(r.Whole.At(p)/law.At(p)-1) < 0.2
}
