package periodicity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
)

// The choices of the method as published (Phase-TA III), and which resolution is taken
// where the paper is silent.
const (
	// paperLongest is the greatest length L of half a window (the paper's).
	paperLongest = 10000
	// paperClose is how close to 0 the difference of a window and its shifted copy has
	// to be, relative to the energies of both: 0 = equal, 1 = unrelated. The paper gives
	// no scale. At 0.3 noise as strong as the pattern hides it.
	paperClose = 0.3
	// paperMinCut to paperMaxCut is where the dendrogram is cut, which the paper does not
	// say: at paperCutFactor times the median distance to the nearest instance, in
	// standard deviations of the samples.
	paperMinCut, paperMaxCut, paperCutFactor = 0.12, 0.35, 1.6
	// paperMaxSamples and paperMaxCells bound the work: the search of L takes 20,000
	// steps a sample, the distances of a group 2.5 ns per pair of samples of each pair
	// of instances (a quarter of an hour).
	paperMaxSamples, paperMaxCells = 1 << 21, 4e11
)

// paper holds the limits of the published method, which tests lower.
type paper struct {
	longest   int // length of half a window, samples
	instances int // of one length that are compared: a matrix of 290 MB
}

// PaperShape is the representative pattern of one period: the paper's B and C
// come with its A, since they share the distances of all pairs.
type PaperShape struct {
	Values []float64
	// WGSS is the within-group sum of squares over the instances.
	WGSS float64
	// Rounds is the number of refinements of the average.
	Rounds int
}

// PaperResult is the result of the published method; Shapes are in the order of Periods.
type PaperResult struct {
	Result
	Shapes []PaperShape
	// Column is the one with the largest share in instances.
	Column string
}

// DetectPaper finds the periods of the column with the largest share of samples
// in periodic instances, as Phase-TA does. The result is the same for the same
// input to the last bit.
//
// On one draw of synthetic profiles like the paper's (its Table II in brackets):
//
//	          #rp(#i)[#pa]              %period
//	HPCG      3(468)[11]  (3(521)[14])  80.4 (89.2)
//	NEMO      1(429)[14]  (1(451)[21])  71.5 (76.7)
//	OpenFOAM  1(125)[6]   (1(169)[4])   50.1 (67.5)
//
// It distinguishes two shapes of one length, and alternating loops. Half of the run is lost at 5 % jitter, all
// of it at 0 dB; dips at random times pass for a loop (11 % of a profile). Ten minutes of NEMO take 18 s of CPU
// time.
func DetectPaper(set series.Set) (PaperResult, error) {
	return paper{longest: paperLongest, instances: 12000}.detect(set)
}

// detect is DetectPaper with the limits of par.
func (par paper) detect(set series.Set) (PaperResult, error) {
	if !(set.StepS > 0) {
		return PaperResult{}, fmt.Errorf(
			"internal error, please report it: detect periods: the step between samples is %v s, want more than 0", set.StepS)
	}
	n := set.Len()
	refuse := func(code note.Code, format string, args ...any) (PaperResult, error) {
		return PaperResult{Result: Result{Notes: []note.Note{note.New(code, format, args...)}}}, nil
	}
	switch {
	case n < minSamples:
		return refuse(note.TooShort, "no period: %d samples: at least %d are needed to look for one", n, minSamples)
	case n > paperMaxSamples:
		return refuse(note.TooManyPairs,
			"no period: %d samples: the paper's method would take hours beyond %d: use --method track", n, paperMaxSamples)
	}
	best, cut, err := par.best(set)
	switch {
	case err != nil:
		return PaperResult{}, err
	case cut.x == nil:
		return refuse(note.NoVariance, "no period: every column is flat, so nothing repeats")
	case cut.covered == 0:
		return refuse(note.NoValley, "no period: no counter repeats itself")
	}
	par.cluster(&best, cut, set)
	return best, nil
}

// best cuts every column into instances and returns the column with the largest share of samples in them; cut.x is nil
// if every column is flat. It returns an error if the columns differ in length.
func (par paper) best(set series.Set) (r PaperResult, cut paperCut, err error) {
	for _, c := range set.Columns {
		if n := set.Len(); len(c.Values) != n {
			return r, cut, fmt.Errorf("internal error, please report it: detect periods: column %q has %d samples, want %d "+
				"as in the other columns",
				c.Name, len(c.Values), n)
		}
		x, ok := paperSamples(c.Values)
		if !ok {
			continue
		}
		if got := par.search(x); cut.x == nil || got.covered > cut.covered {
			cut, r.Column = got, c.Name
		}
	}
	return r, cut, nil
}

// cluster groups the instances of cut by shape and sets the periods, shapes and notes of r. A group of instances whose
// comparison would take too long, and clusters that cover less than minCoverage of the profile, are left out.
func (par paper) cluster(r *PaperResult, cut paperCut, set series.Set) {
	n := len(cut.x)
	for _, g := range paperGroups(cut) {
		if pairs := float64(len(g)) * float64(len(g)) / 2; len(g) > par.instances ||
			pairs*square(float64(g[0].Length)) > paperMaxCells {
			r.Notes = append(r.Notes, note.New(note.TooManyPairs,
				"%d instances of about %d samples were left out: comparing all their pairs exceeds the limit",
				len(g), g[0].Length))
			continue
		}
		for _, c := range paperClusters(cut.x, g) {
			if !paperEnough(c.in, n) {
				continue
			}
			shape, rounds, wgss := paperAverage(cut.x, c)
			r.Periods = append(r.Periods, paperPeriod(cut.x, c.in, wgss, r.Column, set))
			r.Shapes = append(r.Shapes, PaperShape{Values: shape, WGSS: wgss, Rounds: rounds})
		}
	}
	if len(r.Periods) == 0 {
		r.Notes = append(r.Notes, note.New(note.LowCoverage,
			"no period: no group of instances of one shape, found in %s, covers %s of the profile", r.Column,
			quantity.Chosen(100*minCoverage)))
		return
	}
	r.sort()
	if k := len(r.Periods[0].Instances); k < FewInstances {
		r.Notes = append(r.Notes, note.New(note.FewInstances,
			"only %d cycles were seen: with fewer than %d their mean shape is uncertain", k,
			FewInstances))
	}
}

// sort sorts periods and shapes by coverage times confidence, the largest first.
func (r *PaperResult) sort() {
	order := make([]int, len(r.Periods))
	for i := range order {
		order[i] = i
	}
	worth := func(i int) float64 { return r.Periods[i].Coverage * r.Periods[i].Confidence }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(worth(j), worth(i)) })
	var periods []Period
	var shapes []PaperShape
	for _, i := range order {
		periods, shapes = append(periods, r.Periods[i]), append(shapes, r.Shapes[i])
	}
	r.Periods, r.Shapes = periods, shapes
}

// paperEnough reports whether instances make up minCoverage of n samples.
func paperEnough(in []Instance, n int) bool {
	return float64(paperCovered(in)) >= minCoverage*float64(n)
}

// paperCovered returns the number of samples in the instances.
func paperCovered(in []Instance) int {
	c := 0
	for _, i := range in {
		c += i.Length
	}
	return c
}

// paperPeriod converts one cluster of instances to a period; wgss is the sum of squares that its pattern leaves.
// Parts.Explained is the share of the instances' energy about their means that the pattern explains. Without energy the
// confidence is 0. It sorts in by time.
func paperPeriod(x []float64, in []Instance, wgss float64, column string, set series.Set) Period {
	slices.SortFunc(in, func(a, b Instance) int { return cmp.Compare(a.First, b.First) })
	lens := make([]float64, len(in))
	energy := 0.0
	for i, v := range in {
		lens[i] = float64(v.Length)
		_, sd := robust.Mean(x[v.First : v.First+v.Length])
		energy += sd * sd * float64(v.Length)
	}
	mean, sd := robust.Mean(lens)
	_, lo, hi := robust.MeanInterval(lens, 0.95)
	p := Period{Column: column, Instances: in, Regions: regions(set, in), Axis: series.Wall,
		Timing: Timing{PeriodS: mean * set.StepS, PeriodSamples: mean, PeriodCV: sd / mean,
			Coverage: float64(paperCovered(in)) / float64(len(x))}}
	grid := float64(len(p.Regions)) / float64(len(in))
	p.PeriodLoS, p.PeriodHiS = min(lo, mean-grid)*set.StepS, max(hi, mean+grid)*set.StepS
	for i := range lens {
		lens[i] *= set.StepS
	}
	p.setLengths(lens)
	if energy > 0 {
		p.Parts = Parts{max(0, 1-wgss/energy), max(0, 1-p.PeriodCV), 1 - math.Exp(-float64(len(in))/10), 1, 1}
		p.Confidence = p.Parts.product()
	}
	return p
}
