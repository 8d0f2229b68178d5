package periodicity

import (
	"math"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

const (
	// longCycle is the ratio to the median length at which a cycle may contain a pause.
	longCycle = 3
	// leastPauseS is the least length of a pause in seconds: on a node with ten programs a CPU a job waits a tenth
	// of a second for its turn.
	leastPauseS = 0.5
	// idleShare is the part of the loop's busy CPUs below which a job does nothing.
	idleShare = 0.1
	// leastPauses is the least number of pauses that are removed.
	leastPauses = 3
	// leastRest is the least remaining part of a median cycle, for a cycle with a pause to be kept.
	leastRest = 0.75
)

// withoutPauses removes pauses from cycles that were found in CPU time. In CPU time a loop that writes or
// sleeps for a second after every 25th cycle shows no break, so that some of its cycles contain the pause in
// wall time. The part before or after the pause becomes the cycle. Lengths are in seconds; a cycle of which too
// little is left is dropped. If fewer than leastPauses cycles contain a pause, all cycles are returned
// unchanged.
func withoutPauses(set series.Set, in []Instance, lengths []float64) ([]Instance, []float64) {
	busy, ok := set.Column("busy_cpus")
	if !ok || len(in) < leastPauses {
		return in, lengths
	}
	usual := int(math.Round(robust.Median(lengths) / set.StepS))
	long := func(c Instance) bool {
		return c.Length >= longCycle*usual && float64(c.Length-usual)*set.StepS >= leastPauseS
	}
	worked, slots, found := 0.0, 0, 0 // in the other cycles
	for _, c := range in {
		if !long(c) {
			worked, slots = worked+sumOf(busy.Values[c.First:c.First+c.Length]), slots+c.Length
		}
	}
	var rest []Instance
	var restS []float64
	for i, c := range in {
		n := c.Length - usual
		if !long(c) {
			rest, restS = append(rest, c), append(restS, lengths[i])
			continue
		}
		at, used := leastBusy(busy.Values[c.First:c.First+c.Length], n)
		if used*float64(slots) > idleShare*worked*float64(n) {
			rest, restS = append(rest, c), append(restS, lengths[i])
			continue
		}
		found++
		before, after := Instance{c.First, at}, Instance{c.First + at + n, usual - at}
		kept := before
		if after.Length > before.Length {
			kept = after
		}
		if float64(kept.Length) >= leastRest*float64(usual) {
			rest, restS = append(rest, kept), append(restS, float64(kept.Length)*set.StepS)
		}
	}
	if found < leastPauses {
		return in, lengths
	}
	return rest, restS
}

// leastBusy returns the first of the n consecutive samples in which the job used the least CPU, and the sum
// over them.
func leastBusy(busy series.Values, n int) (at int, used float64) {
	sum := sumOf(busy[:n])
	used = sum
	for i := 1; i+n <= len(busy); i++ {
		if sum += sumOf(busy[i+n-1:i+n]) - sumOf(busy[i-1:i]); sum < used {
			at, used = i, sum
		}
	}
	return at, used
}

// sumOf returns the sum of the samples that are not missing.
func sumOf(v series.Values) (sum float64) {
	for _, x := range v {
		if !series.IsMissing(x) {
			sum += float64(x)
		}
	}
	return sum
}
