package tracker

import (
	"slices"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// effort is the CPU time that a cycle takes. It hardly moves where the clock's time does, and in the samples of
// a job that spins after its loop, turns of other work at the CPUs resemble the template of a cycle often
// enough to pass for cycles: beside another program, six of six spinning jobs were reported as running on. They
// take several times the CPU time.
type effort struct {
	column int     // busy CPUs, -1 without any
	usual  float64 // CPU time of a cycle, in samples of the tracker
	level  float64 // busy CPUs in the last cycles
}

const (
	// mostEffort is how many times as much CPU time as usual a cycle may take.
	mostEffort = 3
	// levelCycles is of how many cycles the level is, about: of short ones that sleep
	// most of the time each has less than a sample of code.
	levelCycles = 8
	// effortShare is by which part the usual effort moves towards that of a cycle.
	effortShare = 1.0 / 32
)

// learnEffort learns what the cycles of a period take, of a set whose samples are merge samples of the tracker.
func learnEffort(set series.Set, merge int, p periodicity.Period) effort {
	e := effort{column: slices.IndexFunc(set.Columns, func(c series.Column) bool { return c.Name == "busy_cpus" })}
	if e.column < 0 {
		return e
	}
	v, sum := set.Columns[e.column].Values, 0.0
	for _, c := range p.Instances {
		for _, x := range v[c.First:min(c.First+c.Length, len(v))] {
			if x == x {
				sum += float64(x) * float64(merge)
			}
		}
	}
	e.usual = sum / float64(len(p.Instances))
	e.level = e.usual / (p.PeriodS / set.StepS * float64(merge))
	return e
}

// add takes a sample of all columns, of a loop whose cycles have the given length in samples.
func (e *effort) add(x []float32, length float64) {
	if e.column >= 0 && x[e.column] == x[e.column] {
		e.level += (float64(x[e.column]) - e.level) / (levelCycles * max(1, length))
	}
}

// fits is whether cycles of a length, in samples, take about the CPU time that they
// usually take.
func (e *effort) fits(length float64) bool {
	return e.column < 0 || e.usual <= 0 || e.level*length <= mostEffort*e.usual
}

// follow lets the usual effort go with the loop.
func (e *effort) follow(length float64) { e.usual += effortShare * (e.level*length - e.usual) }
