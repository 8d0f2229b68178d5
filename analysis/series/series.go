// Package series holds regular samples: values at a fixed step, with the gaps kept as gaps. They come from a
// profile or from a user's file of samples and are the input of the analyses. Gaps are never filled with
// invented values: a missing sample is NaN here and null in JSON.
package series

// Scope says whose activity a column counted.
type Scope string

const (
	JobScope  Scope = "job"  // processes of the job only
	NodeScope Scope = "node" // everything on the node, neighbours included
)

// Column is one series. Columns that share a non-empty Group are the
// coordinates of one vector-valued series (the shares of code pages) and are
// analysed together.
type Column struct {
	Name   string
	Unit   string
	Scope  Scope
	Group  string
	Values Values
	// Waits reports that the column counts code in which MPI ranks or OpenMP threads spin while they wait for
	// each other, which is not work.
	Waits bool
	// Source describes how often the values were read, if less often than once per sample.
	Source Origin
}

// Origin describes when a column's values are refreshed, if not in every sample.
type Origin struct {
	Kind RefreshKind
	// EveryS is the mean time from one new value to the next, in seconds.
	EveryS float64
}

// RefreshKind is the way in which the times of new values are determined.
type RefreshKind string

const (
	// Ticked values are updated by a driver at equal intervals: a cycle shorter than two of them appears as a
	// longer one, with full confidence.
	Ticked RefreshKind = "ticked"
	// Drawn are counters that count on between readings, which come at intervals drawn
	// at random: what is shorter is not seen at all.
	Drawn RefreshKind = "drawn"
)

// Sampled returns the origin of a column of code samples in steps of stepS seconds, where a busy CPU is sampled hz
// times a second: Ticked, every 1/hz seconds, if a CPU gets less than one sample in two steps. Such samples form a comb
// that looks like a cycle. Otherwise it returns the zero Origin.
func Sampled(hz, stepS float64) Origin {
	if hz <= 0 || hz*stepS >= 0.5 {
		return Origin{}
	}
	return Origin{Ticked, 1 / hz}
}

// CodeGroup is the group of the columns that count samples of code addresses.
const CodeGroup = "code"

// Set is the columns of one profile on one grid. Sample i of every column
// covers the time from StartS + i*StepS to StartS + (i+1)*StepS, in seconds
// since the run began; on another axis than wall time, seconds of that.
type Set struct {
	StartS  float64
	StepS   float64
	Columns []Column
	// Axis is what StepS is seconds of. On another one than wall time WallS are
	// the wall times at which the samples begin, and the last one ends, and SlotS
	// is how finely was recorded what is spread over them: StepS if exactly so.
	Axis  Axis
	WallS []float64
	SlotS float64
	// Also is the same run on other axes, as far as it was recorded on them.
	Also []Set
}

// Len returns the number of samples of every column.
func (s Set) Len() int {
	if len(s.Columns) == 0 {
		return 0
	}
	return len(s.Columns[0].Values)
}

// Column returns the column of that name.
func (s Set) Column(name string) (Column, bool) {
	for _, c := range s.Columns {
		if c.Name == name {
			return c, true
		}
	}
	return Column{}, false
}
