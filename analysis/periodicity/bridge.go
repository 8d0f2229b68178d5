package periodicity

import (
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

// A cycle that is much longer than the others, as one in which an interpreter collects its garbage, is not followed.
// Between two cycles that are it leaves a break of about one cycle in which the code of the loop runs: that is a cycle.

const (
	// leastBreak and mostBreak are how long a break that is a cycle may be, in periods. What is shorter is the end of
	// the cycle before it.
	leastBreak, mostBreak = 0.55, 1.75
	// leastHeld is the part of the code of a mean cycle, column by column, that a stretch has to have to be a cycle:
	// beside it there may be other code.
	leastHeld = 0.7
)

// withClosedBreaks returns the period with its breaks closed where the code shows that they belong to the loop: a break
// that holds a cycle becomes an instance, and an instance that holds a cycle only together with the break after
// it is extended to the next instance. Only equal cycles of code are changed.
func (p Period) withClosedBreaks(set series.Set) Period {
	columns := code(set)
	if p.Column != series.CodeGroup || p.Kind != Equal || len(columns) < 2 {
		return p
	}
	l := newMeanCycle(columns, p.Instances)
	var in []Instance
	for _, x := range p.Instances {
		if n := len(in); n > 0 {
			last := &in[n-1]
			end := last.First + last.Length
			switch b := float64(x.First - end); {
			case b <= 0 || b > mostBreak*p.PeriodSamples:
			case b >= leastBreak*p.PeriodSamples && l.holdsCycle(end, x.First):
				in = append(in, Instance{First: end, Length: x.First - end})
			case float64(x.First-last.First) <= mostBreak*p.PeriodSamples && l.holdsCycle(last.First, x.First):
				last.Length = x.First - last.First
			}
		}
		in = append(in, x)
	}
	if len(in) == len(p.Instances) && slices.Equal(in, p.Instances) {
		return p
	}
	lengths := make([]float64, len(in))
	covered := 0
	for i, x := range in {
		lengths[i] = float64(x.Length) * set.StepS
		covered += x.Length
	}
	p.Instances, p.Regions = in, regions(set, in)
	p.Coverage = float64(covered) / float64(set.Len())
	mean, sd := robust.Mean(lengths)
	p.PeriodCV = lengthCV(mean, sd)
	p.setLengths(lengths)
	p.Timing = p.WithMean()
	return p
}

// meanCycleCode is the code of a loop: the samples of each column in a mean cycle.
type meanCycleCode struct {
	columns []series.Column
	mean    []float64
}

// maxAveragedCycles bounds the cycles of which the mean is taken.
const maxAveragedCycles = 512

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

// samples returns the samples of the columns in slots from to to.
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
