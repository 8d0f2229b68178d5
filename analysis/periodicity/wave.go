package periodicity

import (
	"math"

	"jobgait/analysis/series"
)

// busyWave is the number of busy CPUs in the course of a cycle. It shows the beginning of a cycle better than
// its code does if the cycle alternates between computation and waiting.
type busyWave struct {
	values    series.Values // by slot
	level     []float64     // by phase
	precision float64       // half the inverse of the variance of a slot about its level; 0 where the wave is not clean
}

const (
	// cleanShare is the share of the variance of the busy CPUs that the mean cycle explains from which on they are
	// a clean wave. Where other programs take the CPUs they are not.
	cleanShare = 0.5
	// leastWaveVariance bounds how exactly the busy CPUs of a slot are known.
	leastWaveVariance = 1e-3
)

// busyValues returns the number of the job's busy CPUs by slot, nil where it was not recorded.
func busyValues(set series.Set) series.Values {
	if c, ok := set.Column("busy_cpus"); ok && len(c.Values) == set.Len() {
		return c.Values
	}
	return nil
}

// learnWave returns the mean of the values (busy CPUs by slot) in each of the given number of phases, over the cycles
// between consecutive begins of each run. precision is 0, so that the wave is not used, if the phases explain less than
// cleanShare of the variance.
func learnWave(values series.Values, runs [][]cycleBegin, phases int) busyWave {
	w := busyWave{values: values, level: make([]float64, phases)}
	if len(values) == 0 {
		return w
	}
	count := make([]float64, phases)
	n, sum, squares := 0.0, 0.0, 0.0
	for slot, phase := range slotPhases(len(values), runs, phases) {
		if y := float64(values[slot]); !isUnusable(y) {
			w.level[phase] += y
			count[phase]++
			n, sum, squares = n+1, sum+y, squares+y*y
		}
	}
	explained := 0.0
	for b, c := range count {
		if c > 0 {
			w.level[b] /= c
			explained += c * w.level[b] * w.level[b]
		}
	}
	if n == 0 {
		return w
	}
	total := (squares - sum*sum/n) / n
	rest := max((squares-explained)/n, leastWaveVariance)
	if total > 0 && 1-rest/total >= cleanShare {
		w.precision = 1 / (2 * rest)
	}
	return w
}

// gain returns the log-likelihood of the busy CPUs of a slot in a phase, up to a constant; 0 if they are not known.
func (w busyWave) gain(slot, phase int) float64 {
	y := float64(w.values[slot])
	if isUnusable(y) {
		return 0
	}
	return -w.precision * square(y-w.level[phase])
}

// slotPhases yields the slots that lie in cycles between consecutive begins, with the phase of each.
func slotPhases(slots int, runs [][]cycleBegin, phases int) func(yield func(slot, phase int) bool) {
	return func(yield func(slot, phase int) bool) {
		for _, run := range runs {
			for k := range len(run) - 1 {
				from, length := run[k].at, run[k+1].at-run[k].at
				for i := max(0, int(math.Ceil(from-.5))); i < slots && float64(i)+.5 < from+length; i++ {
					if !yield(i, min(phases-1, int((float64(i)+.5-from)/length*float64(phases)))) {
						return
					}
				}
			}
		}
	}
}
