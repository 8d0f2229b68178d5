package tracker

import (
	"slices"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// effort is the CPU time of a cycle. It hardly varies where the elapsed time does. In the samples of a job that
// spins after its loop, turns of other work at the CPUs resemble the template of a cycle often enough to pass
// for cycles: beside another program, six of six spinning jobs were reported as running on. They take several
// times the CPU time.
type effort struct {
	column int     // busy CPUs, -1 without any
	usual  float64 // CPU time of a cycle, in samples of the tracker
	level  float64 // busy CPUs in the last cycles
}

const (
	// mostEffort is the largest ratio of a cycle's CPU time to the usual one.
	mostEffort = 3
	// levelCycles is the number of cycles over which the level is averaged: a short cycle that mostly sleeps has
	// less than one sample of code.
	levelCycles = 8
	// effortShare is the share by which the usual effort moves towards that of each cycle.
	effortShare = 1.0 / 32
)

// learnEffort returns the CPU time of the cycles of a period in a set, each of whose samples is merge samples
// of the tracker. Without a column busy_cpus its column is negative and no CPU time is compared.
func learnEffort(set series.Set, merge int, p periodicity.Period) effort {
	e := effort{column: slices.IndexFunc(set.Columns, func(c series.Column) bool { return c.Name == "busy_cpus" })}
	if e.column < 0 {
		return e
	}
	v, sum := set.Columns[e.column].Values, 0.0
	for _, c := range p.Instances {
		for _, x := range v[c.First:min(c.First+c.Length, len(v))] {
			if !series.IsMissing(x) {
				sum += float64(x) * float64(merge)
			}
		}
	}
	e.usual = sum / float64(len(p.Instances))
	e.level = e.usual / (p.PeriodS / set.StepS * float64(merge))
	return e
}

// add updates the level with a sample of all columns; length is that of the loop's cycles in samples.
func (e *effort) add(x []float32, length float64) {
	if e.column >= 0 && x[e.column] == x[e.column] {
		e.level += (float64(x[e.column]) - e.level) / (levelCycles * max(1, length))
	}
}

// isUsual reports whether cycles of a length, in samples, take at most mostEffort times their usual CPU time at the
// current level. It returns true if the CPU time is unknown.
func (e *effort) isUsual(length float64) bool {
	return e.column < 0 || e.usual <= 0 || e.level*length <= mostEffort*e.usual
}

// adapt moves the usual effort towards that of the last cycles.
func (e *effort) adapt(length float64) { e.usual += effortShare * (e.level*length - e.usual) }
