package periodicity

import (
	"math"
	"slices"
)

// Periods of clocks. Ticks beat with the samples (4 ms with 5 ms every 20), and
// what the kernel or a daemon does at intervals lasts a round time, or a little
// more where it sleeps in between. A loop may last a round time too. But a clock
// keeps time, where the iterations of a loop add up their jitter; it shows in a
// few of the columns, and not in what code the job runs.
const (
	// beatSamples is the length below which a period in step with the samples
	// is taken for a beat: too short to show whether it keeps time.
	beatSamples = 10
	// inStep is the length of the mean phase of the instances on a grid of
	// whole samples from which on they are in step with it: 0 by chance.
	inStep = 0.6
	// roundBelow and roundAbove are by how much a period may differ from a
	// round number. Periods of jobs are hit in 2 % of the cases.
	roundBelow, roundAbove = 0.002, 0.005
	// leastJitter is the coefficient of variation of the iterations of the
	// most regular loops.
	leastJitter = 0.002
	// keepsTime is the share of equal sums from which on a clock keeps time.
	keepsTime = 0.5
	// jobShare is the share of all sources from which on what they show is
	// the job, whatever it looks like.
	jobShare = 0.5
)

// isClockPeriod reports whether period p of source s is that of a clock of the machine and not of the job. Below
// beatSamples samples, a period in step with the samples or of a round time is. A longer one is if it keeps time, is of
// a round length or a multiple of the column's refresh, and comes from a single column that does not show the job's own
// idleness.
func isClockPeriod(p Period, s source) bool {
	if p.PeriodSamples < beatSamples {
		return isInStep(p) || isRoundTime(p.PeriodS)
	}
	return len(s.cols) == 1 && !s.voluntaryIdle && (isRoundTime(p.PeriodS) || s.inStepWithRefresh(p.PeriodS)) &&
		isSteady(p)
}

// isWidelySeen reports whether enough sources show a period for it to be the job's even if it looks like a clock's: at
// least three and jobShare of all. Periods below beatSamples samples never are.
func isWidelySeen(p Period, got []outcome) bool {
	n := 0
	for _, o := range got {
		if slices.ContainsFunc(o.periods, func(q Period) bool { return math.Abs(q.PeriodS/p.PeriodS-1) <= samePeriod }) {
			n++
		}
	}
	return p.PeriodSamples >= beatSamples && n >= 3 && float64(n) >= jobShare*float64(len(got))
}

// isSteady reports whether runs of k instances take the same time, to the sample, nearly wherever they are. k is such
// that the jitter of a loop would have added up to two samples, or half of an average run. It is true if no run has so
// many instances.
func isSteady(p Period) bool {
	k := int(math.Ceil(square(2 / (leastJitter * p.PeriodSamples))))
	k = max(1, min(k, len(p.Instances)/max(1, 2*len(p.Regions))))
	var spans []int
	run, end := 0, -1
	for i, in := range p.Instances {
		if in.First != end {
			run = i
		}
		end = in.First + in.Length
		if i-k >= run {
			spans = append(spans, in.First-p.Instances[i-k].First)
		}
	}
	if len(spans) == 0 {
		return true
	}
	slices.Sort(spans)
	mid, same := spans[len(spans)/2], 0
	for _, n := range spans {
		if n == mid {
			same++
		}
	}
	return float64(same) >= keepsTime*float64(len(spans))
}

// isInStep reports whether the begins of the instances stay at nearly the same phase of a grid of whole samples with
// the length of the period, longer than those of a loop would. It is false for fewer than four instances per sample of
// the period.
func isInStep(p Period) bool {
	t := math.Round(p.PeriodSamples)
	if t < 1 || float64(len(p.Instances)) < 4*t {
		return false
	}
	var re, im float64
	for _, in := range p.Instances {
		s, c := math.Sincos(2 * math.Pi * float64(in.First) / t)
		re += c
		im += s
	}
	return math.Hypot(re, im) >= inStep*float64(len(p.Instances))
}

// isRoundTime reports whether a time is nearly 1, 2, 2.5 or 5 times a power of ten of seconds.
func isRoundTime(s float64) bool {
	for _, r := range []float64{1, 2, 2.5, 5, 10} {
		x := s / (r * math.Pow(10, math.Floor(math.Log10(s))))
		if x > 1-roundBelow && x < 1+roundAbove {
			return true
		}
	}
	return false
}
