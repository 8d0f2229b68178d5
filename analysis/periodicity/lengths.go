package periodicity

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

// The search locates the beginnings of cycles to whole slots and keeps each near the position that its
// neighbours suggest. Therefore the scatter of the resulting lengths is too small or, where cycles have few
// slots, is that of rounding. Here each beginning is measured independently, to fractions of a slot, from the
// code that ran in the slots on both sides of it, and the measurement error is subtracted from the scatter.

const (
	// measuredSlots bounds the slots of the runs in which cycles are measured, and leastMeasured is the least
	// number of cycles from which a scatter is computed.
	measuredSlots, leastMeasured = 1 << 15, 24
	// measuredSamples is the least number of samples in a cycle for a scatter: in shorter ones the error of a begin is
	// as large as the scatter of three programs of four. lengthSamples is that for single lengths.
	measuredSamples, lengthSamples = 14, 5
	// shapePhases is how many phases a cycle has a slot, mostShapePhases at most.
	shapePhases, mostShapePhases = 2, 128
	// reachShare is how far from where it was found a begin may lie, as a share of the cycle, and shiftSlots the step
	// in which it is looked for; more where a cycle has more than mostShifts steps.
	reachShare, shiftSlots, mostShifts = 0.2, 0.25, 40
	// measurePasses is how often the shape of a cycle is learnt from the begins and these are measured again.
	measurePasses = 4
)

// cycleShape holds the code of one cycle: log[phase][column] is the logarithm of the column's share of the
// samples in that phase; and its wave of busy CPUs.
type cycleShape struct {
	phases int
	log    [][]float32
	wave   busyWave
}

// cycleBegin is where a cycle begins, in slots, and the variance of that.
type cycleBegin struct{ at, variance float64 }

// learnShape returns the mean shape, in the given number of phases, of the cycles between consecutive begins of each
// run: the code of hits by phase, and the wave of busy CPUs. mean holds the mean share of each column, to which phases
// with few samples are drawn. busy has the busy CPUs by slot, nil if they are not known.
func learnShape(hits []slotHits, busy series.Values, mean []float64, runs [][]cycleBegin, phases int) cycleShape {
	counts := make([][]float64, phases)
	for b := range counts {
		counts[b] = make([]float64, len(mean))
	}
	for slot, phase := range slotPhases(len(hits), runs, phases) {
		for j, c := range hits[slot].column {
			counts[phase][c] += float64(hits[slot].count[j])
		}
	}
	s := cycleShape{phases: phases, log: make([][]float32, phases), wave: learnWave(busy, runs, phases)}
	for b := range s.log {
		row, n := make([]float64, len(mean)), 0.0
		for _, near := range [...]struct {
			by int
			w  float64
		}{{-1, .5}, {0, 1}, {1, .5}} {
			for c, x := range counts[(b+near.by+phases)%phases] {
				row[c] += near.w * x
				n += near.w * x
			}
		}
		s.log[b] = make([]float32, len(row))
		for c, x := range row {
			s.log[b][c] = float32(math.Log((x + priorSamples*mean[c] + 1e-9) / (n + priorSamples)))
		}
	}
	return s
}

// gain returns the log-likelihood of the samples and the busy CPUs of a slot at position at in the cycle, in cycles
// (only the fraction counts).
func (s cycleShape) gain(hits []slotHits, slot int, at float64) (sum float64) {
	b := int(math.Floor((at-math.Floor(at))*float64(s.phases))) % s.phases
	h := hits[slot]
	for k, c := range h.column {
		sum += float64(h.count[k] * s.log[b][c])
	}
	if s.wave.precision > 0 {
		sum += s.wave.gain(slot, b)
	}
	return sum
}

// measure returns the most likely place of the begin near slot at, and its variance, by the code in half of the cycle
// before it and half of that after it. before and after are the lengths of these cycles in slots. It searches up to
// reachShare of the shorter one to either side. It returns false if the halves reach beyond the profile.
func (s cycleShape) measure(hits []slotHits, at, before, after float64) (cycleBegin, bool) {
	from, to := int(math.Round(at-before/2)), int(math.Round(at+after/2))
	if from < 0 || to > len(hits) {
		return cycleBegin{}, false
	}
	reach := reachShare * min(before, after)
	step := max(shiftSlots, reach/mostShifts)
	n := int(reach / step)
	gains := make([]float64, 2*n+1)
	best := 0
	for k := range gains {
		m := at + float64(k-n)*step
		for i := from; i < to; i++ {
			d := float64(i) + .5 - m
			if d < 0 {
				gains[k] += s.gain(hits, i, 1+d/before)
			} else {
				gains[k] += s.gain(hits, i, d/after)
			}
		}
		if gains[k] > gains[best] {
			best = k
		}
	}
	// The mean and the variance of where the begin may lie, by the likelihood.
	sum, first, second := 0.0, 0.0, 0.0
	for k, g := range gains {
		w, x := math.Exp(g-gains[best]), float64(k-best)*step
		sum, first, second = sum+w, first+w*x, second+w*x*x
	}
	mean := first / sum
	return cycleBegin{at + float64(best-n)*step + mean, second/sum - mean*mean + step*step/12}, true
}

// consecutiveBegins returns the runs of instances that follow each other without a gap: for each run the begins of its
// instances, in slots, followed by the end of the last.
func (p Period) consecutiveBegins() (runs [][]cycleBegin) {
	var run []cycleBegin
	end := -1
	flush := func() {
		if len(run) > 0 {
			runs = append(runs, append(run, cycleBegin{at: float64(end)}))
			run = nil
		}
	}
	for _, in := range p.Instances {
		if in.First != end {
			flush()
		}
		run = append(run, cycleBegin{at: float64(in.First)})
		end = in.First + in.Length
	}
	flush()
	return runs
}

// withMeasuredLengths returns the period with LengthsS, and P10S and P90S of its cycle lengths less the measurement
// error, from begins measured by the code: by slots, or by bins of CPU time where these have finer columns and give a
// smaller error. It returns the period unchanged where the code cannot measure them: for unequal or short cycles, in
// profiles of more than measuredSlots samples, or with few cycles.
func (p Period) withMeasuredLengths(set series.Set) Period {
	if p.Column != series.CodeGroup || p.Kind != Equal || p.PeriodSamples < lengthSamples || set.Len() > measuredSlots {
		return p
	}
	var runs [][]cycleBegin
	var lengths []float64
	noise := math.Inf(1)
	for _, g := range beginGrids(set) {
		r := g.measure(p)
		if l, n := cycleLengths(r); len(l) >= leastMeasured && n < noise {
			runs, lengths, noise = r, l, n
		}
	}
	if len(lengths) < leastMeasured {
		return p
	}
	p = p.withLengths(runs, set.StepS, math.Sqrt(noise))
	if p.PeriodSamples < measuredSamples {
		return p
	}
	slices.Sort(lengths)
	lo, mid, hi := robust.SortedQuantile(lengths, .1), robust.SortedQuantile(lengths, .5),
		robust.SortedQuantile(lengths, .9)
	wide := max(1e-9, (hi-lo)/tenthsDistance)
	kept := math.Sqrt(max(0, wide*wide-noise)) / wide
	if kept < minCycleScatter {
		return p
	}
	p.P10S, p.P90S = (mid-(mid-lo)*kept)*set.StepS, (mid+(hi-mid)*kept)*set.StepS
	return p
}

// minCycleScatter is which part of the scatter of the begins has to be that of the cycles: where most of it is the
// error of the begins, what the search found is closer.
const minCycleScatter = 0.6

// tenthsDistance is how many standard deviations lie between the first and the last tenth of a normal distribution.
const tenthsDistance = 2.563

// measureRun measures the begins of cycles that follow each other. Of the first and the last one side has the length
// of the period.
func (s cycleShape) measureRun(hits []slotHits, run []cycleBegin, period float64) {
	old := slices.Clone(run)
	for k := range run {
		before, after := period, period
		if k > 0 {
			before = old[k].at - old[k-1].at
		}
		if k+1 < len(run) {
			after = old[k+1].at - old[k].at
		}
		if b, ok := s.measure(hits, old[k].at, before, after); ok {
			run[k] = b
		}
	}
}

// withLengths returns the period with the lengths of its cycles between the begins of runs, and deviation as their
// error, both given in slots of stepS seconds, if the error is less than mostLengthError slots and each instance has a
// length; else it returns the period unchanged.
func (p Period) withLengths(runs [][]cycleBegin, stepS, deviation float64) Period {
	lengths, _ := cycleLengths(runs)
	if len(lengths) == len(p.Instances) && deviation < mostLengthError {
		for i := range lengths {
			lengths[i] *= stepS
		}
		p.LengthsS, p.LengthErrorS = lengths, deviation*stepS
	}
	return p
}

// mostLengthError is the standard error, in slots, up to which measured lengths replace those in whole slots.
const mostLengthError = 1.0

// cycleLengths returns the lengths of the cycles between begins, in slots and in order of time, and the mean variance
// of their errors.
func cycleLengths(runs [][]cycleBegin) (lengths []float64, noise float64) {
	for _, run := range runs {
		for k := range len(run) - 1 {
			lengths = append(lengths, run[k+1].at-run[k].at)
			noise += run[k].variance + run[k+1].variance
		}
	}
	return lengths, noise / max(1, float64(len(lengths)))
}
