package periodicity

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/marks"
	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// Kind says whether the cycles of a period have equal lengths.
type Kind string

const (
	Equal Kind = "period" // cycles of one length
	// Unequal are cycles whose length varies by nature, as those of a solver that
	// converges sooner or later: the same code begins each (package marks).
	Unequal Kind = "marks"
)

const (
	// unequalBelow is the confidence of a period below which cycles of unequal length are searched.
	unequalBelow = 0.6
	// markBinS is the CPU time, in seconds, of the bins in which these are searched, and markBins the most bins:
	// bins of a long run are longer, 20 ms for 45 minutes.
	markBinS, markBins = 0.005, 1 << 17
	// maxLengthRatio is the largest ratio, either way, of the distance of two marks to the median for it to be a
	// cycle.
	maxLengthRatio = 3
)

// unequalPeriods returns the cycles of unequal length of the job's code as periods, in the order of marks.Find. It
// returns nil if the set has no code or no CPU time.
func unequalPeriods(set series.Set) []Period {
	clock, ok := set.Clock()
	if !ok {
		return nil
	}
	bin := max(markBinS, clock.Total()/max(1, clock.Busy())/markBins/max(1, set.StepS/finestS))
	gs := grids(set, clock, bin)
	if len(gs) == 0 {
		return nil
	}
	g := gs[0]
	code := marks.CodeBins{BinS: g.set.StepS}
	for _, c := range g.set.Columns {
		code.Pages = append(code.Pages, c.Values)
	}
	var out []Period
	for _, y := range marks.Find(code) {
		if p, ok := g.periodOfMarks(y, set); ok {
			out = append(out, p)
		}
	}
	return out
}

// periodOfMarks converts cycles of unequal length on a grid to a period with instances in wall time. It leaves out
// cycles that are more than maxLengthRatio times as long or as short as the median. The period is the median length in
// wall time, with the interval of a median. It returns false if no instance has a sample in wall time.
func (g grid) periodOfMarks(y marks.UnevenCycle, set series.Set) (Period, bool) {
	p := Period{Column: series.CodeGroup, Kind: Unequal, Timing: Timing{PeriodS: y.MedianS, Confidence: y.Confidence},
		Parts: Parts{Explained: 1, Regular: y.Confidence, Support: 1, Agreed: 1, Resolved: 1}}
	for i, m := range y.Marks[1:] {
		from, to := int(math.Round(y.Marks[i]/g.set.StepS)), int(math.Round(m/g.set.StepS))
		if d := m - y.Marks[i]; d < maxLengthRatio*y.MedianS && d*maxLengthRatio > y.MedianS {
			p.Instances = append(p.Instances, Instance{First: from, Length: to - from})
		}
	}
	q, ok := g.toWall(p, set)
	if !ok {
		return q, false
	}
	lengths := make([]float64, len(q.Instances))
	for i, in := range q.Instances {
		lengths[i] = float64(in.Length) * set.StepS
	}
	slices.Sort(lengths)
	q.PeriodS = robust.SortedQuantile(lengths, 0.5)
	// The interval of a median, by the binomial: 1.96 standard deviations of a rank.
	reach := 0.98 / math.Sqrt(float64(len(lengths)))
	q.PeriodLoS = robust.SortedQuantile(lengths, max(0, 0.5-reach))
	q.PeriodHiS = robust.SortedQuantile(lengths, min(1, 0.5+reach))
	q.PeriodSamples = q.PeriodS / set.StepS
	return q, true
}

// withUnequal adds the cycles of unequal length if no period was found or the confidence of the first is below
// unequalBelow; otherwise it returns the periods unchanged. One that is as long as a period found may raise the
// confidence of that, in place. The result has at most maxPatterns periods, the most confident first.
func withUnequal(periods []Period, set series.Set) []Period {
	if len(periods) > 0 && periods[0].Confidence >= unequalBelow {
		return periods
	}
	for _, y := range unequalPeriods(set) {
		same := func(p Period) bool { return math.Abs(math.Log(p.PeriodS/y.PeriodS)) < math.Log1p(sameCPU) }
		if i := slices.IndexFunc(periods, same); i >= 0 {
			periods[i].Confidence = max(periods[i].Confidence, y.Confidence)
			continue
		}
		periods = append(periods, y)
	}
	slices.SortStableFunc(periods, func(x, y Period) int { return cmp.Compare(y.Confidence, x.Confidence) })
	return periods[:min(len(periods), maxPatterns)]
}

// unequalNote returns the note that the main cycle has no fixed length, with the range and the median of its lengths.
func unequalNote(p Period) note.Note {
	return note.New(note.UnequalCycles,
		"the %d cycles have no fixed length: the middle 80 %% take %.3g to %.3g s (median %.3g s); the same code begins each",
		len(p.Instances), p.P10S, p.P90S, p.PeriodS)
}
