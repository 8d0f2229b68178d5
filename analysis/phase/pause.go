package phase

import (
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

const (
	// longCycle is how many times as long as the median one a cycle is that holds a pause.
	longCycle = 3
	// idleShare is the part of the loop's busy CPUs below which a job does nothing.
	idleShare = 0.1
)

// pause is a stretch of a run in which it did nothing, in seconds since the run began.
type pause struct{ startS, endS float64 }

// pausesOf are the pauses within the cycles of a period. On the job's own clock a pause
// takes no time, and a loop that writes or sleeps for seconds after every 25th cycle
// goes on without a break: its long cycles are as long as the median one and a pause.
// Fewer than recur are left: others may have had the CPU.
func pausesOf(set series.Set, p periodicity.Period) []pause {
	at := slices.IndexFunc(set.Columns, func(c series.Column) bool { return c.Name == "busy_cpus" })
	if at < 0 || len(p.Instances) < minCheckpoints {
		return nil
	}
	busy := set.Columns[at].Values
	lengths := make([]float64, len(p.Instances))
	for i, c := range p.Instances {
		lengths[i] = float64(c.Length)
	}
	usual := int(robust.Median(lengths))
	worked, slots := 0.0, 0 // in the other cycles
	for _, c := range p.Instances {
		if c.Length < longCycle*usual {
			worked += sumOf(busy, c.First, c.First+c.Length)
			slots += c.Length
		}
	}
	var out []pause
	for _, c := range p.Instances {
		if c.Length < longCycle*usual {
			continue
		}
		from, used := idlest(busy, c, c.Length-usual)
		if used*float64(slots) <= idleShare*worked*float64(c.Length-usual) {
			out = append(out, pause{set.StartS + float64(from)*set.StepS, set.StartS + float64(from+c.Length-usual)*set.StepS})
		}
	}
	if len(out) < minCheckpoints {
		return nil
	}
	return out
}

// idlest is where within a cycle n samples are in which the job used least, and how much.
func idlest(busy series.Values, c periodicity.Instance, n int) (from int, used float64) {
	sum := sumOf(busy, c.First, c.First+n)
	from, used = c.First, sum
	for at := c.First + 1; at+n <= min(c.First+c.Length, len(busy)); at++ {
		if sum += sumOf(busy, at+n-1, at+n) - sumOf(busy, at-1, at); sum < used {
			from, used = at, sum
		}
	}
	return from, used
}

// sumOf adds up samples from to to, those that are missing left out.
func sumOf(v series.Values, from, to int) (sum float64) {
	for _, x := range v[max(0, min(from, len(v))):max(0, min(to, len(v)))] {
		if x == x {
			sum += float64(x)
		}
	}
	return sum
}

// between are the parts of a region without the pauses in it.
func between(r periodicity.Region, pauses []pause) []pause {
	var out []pause
	from := r.StartS
	for _, p := range pauses {
		if p.startS > from && p.endS <= r.EndS {
			out = append(out, pause{from, p.startS})
			from = p.endS
		}
	}
	if from < r.EndS {
		out = append(out, pause{from, r.EndS})
	}
	return out
}
