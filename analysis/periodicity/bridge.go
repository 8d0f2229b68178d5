package periodicity

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

// A cycle that is much longer than the others, as one in which an interpreter collects its garbage, is not followed.
// Between two cycles that are it leaves a break of about one cycle in which the code of the loop runs: that is a cycle.
// A longer break, as one in which other programs leave the job much more of the CPUs, holds as many cycles as its
// samples of code fill. Without them the mean length would be that of the time before and after only.

const (
	// leastBreak and mostBreak are how long a break that is a cycle may be, in periods. What is shorter is the end of
	// the cycle before it.
	leastBreak, mostBreak = 0.55, 1.75
	// leastHeld is the part of the code of a mean cycle, column by column, that a stretch has to have to be a cycle:
	// beside it there may be other code.
	leastHeld = 0.7
	// severalCycles is how many cycles of the loop's code a stretch holds if it is more than one cycle.
	severalCycles = 1.5
	// mostBreakCycles is the most cycles that are counted in one break, and mostBreakShare in all of them, as a share
	// of those that were followed.
	mostBreakCycles, mostBreakShare = 12, 0.25
)

// withClosedBreaks returns the period with its breaks closed where the code shows that they belong to the loop: a break
// that holds a cycle becomes an instance, one that holds several becomes as many, and an instance that holds a cycle
// only together with the break after it is extended to the next instance. Only equal cycles of code are changed.
func (p Period) withClosedBreaks(set series.Set) Period {
	columns := code(set)
	if p.Column != series.CodeGroup || p.Kind != Equal || len(columns) < 2 {
		return p
	}
	loop, judged := CodeOf(set, p)
	l := loop.code
	mayAdd := int(mostBreakShare * float64(len(p.Instances)))
	var in []Instance
	for _, x := range p.Instances {
		if n := len(in); n > 0 {
			last := &in[n-1]
			end := last.First + last.Length
			b, stretch := float64(x.First-end)/p.PeriodSamples, float64(x.First-last.First)/p.PeriodSamples
			switch {
			case b <= 0:
			case l.holdsSeveral(end, x.First):
				if more := loop.cyclesIn(end, x.First); judged && len(more) <= mayAdd {
					in = append(in, more...)
					mayAdd -= len(more)
				}
			case b >= leastBreak && b <= mostBreak && l.holdsCycle(end, x.First):
				in = append(in, Instance{First: end, Length: x.First - end})
			case stretch <= mostBreak && !l.holdsSeveral(last.First, x.First) && l.holdsCycle(last.First, x.First):
				last.Length = x.First - last.First
			}
		}
		in = append(in, x)
	}
	if slices.Equal(in, p.Instances) {
		return p
	}
	return p.withInstances(set, in)
}

// withInstances returns the period with other instances, and its lengths and coverage by these. In CPU time the period
// is the mean of the lengths (see toWall); in wall time it stays as it is.
func (p Period) withInstances(set series.Set, in []Instance) Period {
	lengths := make([]float64, len(in))
	covered := 0
	for i, x := range in {
		lengths[i] = float64(x.Length) * set.StepS
		covered += x.Length
	}
	p.Instances, p.Regions = in, regions(set, in)
	p.Coverage = float64(covered) / float64(set.Len())
	mean, sd := robust.Mean(lengths)
	p.PeriodCV = lengthCV(mean/set.StepS, sd/set.StepS)
	p.setLengths(lengths)
	if p.Axis == series.CPU {
		p.PeriodS, p.PeriodLoS, p.PeriodHiS = robust.MeanInterval(lengths, 0.95)
		p.PeriodSamples = p.PeriodS / set.StepS
	}
	p.Timing = p.WithMean()
	return p
}

// cyclesIn returns the cycles in a break, the slots [from, to), as many as its samples of code fill, with the same
// number of samples each. It returns none if these are fewer than pieceCycles or more than mostBreakCycles, or if the
// loop's code does not run throughout.
func (l LoopCode) cyclesIn(from, to int) []Instance {
	held := l.code.total(from, to)
	n := int(math.Round(held / floats.Sum(l.code.mean)))
	if n < pieceCycles || n > mostBreakCycles {
		return nil
	}
	each := held / float64(n)
	filled := make([]float64, to-from) // samples up to the end of each slot
	for i := range filled {
		filled[i] = l.code.total(from+i, from+i+1)
	}
	floats.CumSum(filled, filled)
	out := make([]Instance, n)
	at := from
	for k := range out {
		end := to
		if k+1 < n {
			end = from + sort.SearchFloat64s(filled, float64(k+1)*each) + 1
		}
		out[k] = Instance{First: at, Length: end - at}
		at = end
	}
	for k := range n - pieceCycles + 1 {
		if last := out[k+pieceCycles-1]; !l.Runs(out[k].First, last.First+last.Length) {
			return nil
		}
	}
	return out
}

// meanCycleCode is the code of a loop: the samples of each column in a mean cycle.
type meanCycleCode struct {
	columns []series.Column
	mean    []float64
}

// maxAveragedCycles bounds the cycles of which the mean is taken.
const maxAveragedCycles = 512

// newMeanCycle returns the columns with their mean number of samples in a cycle, over evenly chosen instances, at most
// about 2*maxAveragedCycles.
func newMeanCycle(columns []series.Column, in []Instance) meanCycleCode {
	l := meanCycleCode{columns: columns, mean: make([]float64, len(columns))}
	step := max(1, len(in)/maxAveragedCycles)
	n := 0.0
	for i := 0; i < len(in); i += step {
		for c, v := range l.samples(in[i].First, in[i].First+in[i].Length) {
			l.mean[c] += v
		}
		n++
	}
	for c := range l.mean {
		l.mean[c] /= max(1, n)
	}
	return l
}

// samples returns the number of samples of each column in the slots [from, to).
func (l meanCycleCode) samples(from, to int) []float64 {
	out := make([]float64, len(l.columns))
	for c, column := range l.columns {
		for _, v := range column.Values[from:to] {
			if v > 0 {
				out[c] += float64(v)
			}
		}
	}
	return out
}

// total returns the samples of all columns in slots from to to.
func (l meanCycleCode) total(from, to int) (n float64) {
	for _, column := range l.columns {
		for _, v := range column.Values[from:to] {
			if v > 0 {
				n += float64(v)
			}
		}
	}
	return n
}

// holdsSeveral reports whether the slots [from, to) have at least severalCycles times the samples of a mean cycle. Of
// each column at most twice its mean counts, because a cycle with much of one column is still one.
func (l meanCycleCode) holdsSeveral(from, to int) bool {
	held := 0.0
	for c, n := range l.samples(from, to) {
		held += min(n, 2*l.mean[c])
	}
	return held >= severalCycles*floats.Sum(l.mean)
}

// holdsCycle reports whether the slots from from to to have at least leastHeld of the samples of a mean cycle,
// column by column.
func (l meanCycleCode) holdsCycle(from, to int) bool {
	held, all := 0.0, 0.0
	for c, n := range l.samples(from, to) {
		held += min(n, l.mean[c])
		all += l.mean[c]
	}
	return held >= leastHeld*all && all > 0
}
