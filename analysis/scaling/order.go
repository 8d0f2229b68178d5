package scaling

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// numberedRun is an observation with its place in the input, from 1.
type numberedRun struct {
	Observation
	run int
}

// point holds all usable runs at one parameter value. Values are finite.
type point struct {
	p         float64
	values    []float64
	groups    []string // of each value; "" is not known
	runs      []int    // of each value: its place in the input, from 1
	nodeHours float64  // mean of those known, 0 if none is
}

// mean returns the mean of the repetitions.
func (pt point) mean() float64 {
	if len(pt.values) == 1 {
		return pt.values[0]
	}
	sum := 0.0
	for _, v := range pt.values {
		sum += v
	}
	return sum / float64(len(pt.values))
}

// order returns the runs of a series as distinct ascending parameter values,
// and notes on what it left out. Runs at one value keep the order of the input.
func order(s Series) ([]point, []note.Note) {
	var notes []note.Note
	kept, notes := usableRuns(s, notes)
	byP := func(a, b numberedRun) int { return cmp.Compare(a.P, b.P) }
	// Repetition after repetition of a whole campaign is an order too.
	largest := math.Inf(-1)
	seen := map[float64]bool{}
	for _, o := range kept {
		if o.P < largest && !seen[o.P] {
			notes = append(notes, note.New(note.Unsorted,
				"the %d runs were not in the order of %s: they were sorted before use; the input is unchanged", len(kept),
				parameterName(s)))
			break
		}
		largest, seen[o.P] = max(largest, o.P), true
	}
	slices.SortStableFunc(kept, byP)
	return joinRepeats(kept), notes
}

// Usable reports whether a run can be fitted: it has a value, and a positive, finite parameter.
func (o Observation) Usable() bool {
	return o.P >= 1/largestParameter && o.P <= largestParameter && math.Abs(o.Value) <= largestValue
}

// Sizes returns the distinct ascending parameter values that are fitted, which the indexes of a Result count.
func Sizes(observations []Observation) []float64 {
	var p []float64
	for _, o := range observations {
		if o.Usable() {
			p = append(p, o.P)
		}
	}
	slices.Sort(p)
	return slices.Compact(p)
}

// Means returns the mean of the runs at each of Sizes, without bad repetitions.
func Means(observations []Observation) []float64 {
	points, _ := order(Series{Observations: observations})
	s := badRunSearch{points: points}
	s.removeBadRepetitions()
	_, y := columns(s.points)
	return y
}

// usableRuns removes runs that cannot be fitted, and adds notes that say why.
func usableRuns(s Series, notes []note.Note) ([]numberedRun, []note.Note) {
	kept := make([]numberedRun, 0, len(s.Observations))
	missing, infinite, bad := 0, 0, 0
	for i, o := range s.Observations {
		switch {
		case o.Usable():
			if math.Abs(o.Value) < 1/largestValue {
				o.Value = 0
			}
			kept = append(kept, numberedRun{o, i + 1})
		case !(o.P >= 1/largestParameter && o.P <= largestParameter):
			bad++
		case math.IsNaN(o.Value):
			missing++
		default:
			infinite++
		}
	}
	if missing > 0 {
		notes = append(notes, note.New(note.MissingRuns, "%d of %d runs have no value and are left out", missing,
			len(s.Observations)))
	}
	if infinite > 0 {
		notes = append(notes, note.New(note.UnusableValue,
			"%s, not finite or beyond %.0e: these runs are left out", quantity.Plural(infinite, "value"), largestValue))
	}
	if bad > 0 {
		notes = append(notes, note.New(note.UnusableParameter,
			"%s without a positive and finite %s: left out, because the law is a power of %[2]s", quantity.Plural(bad, "run"),
			parameterName(s)))
	}
	return kept, notes
}

// largestValue and largestParameter, and the inverse of both, keep the squares
// of p^3 over a value finite in 64 bits. Nothing that is measured comes near.
const (
	largestValue     = 1e60
	largestParameter = 1e30
)

// joinRepeats makes one point of all runs at one parameter value.
func joinRepeats(sorted []numberedRun) []point {
	// One array each for all values, groups and runs: a series of 100,000 points
	// is four allocations, not 300,000.
	values := make([]float64, len(sorted))
	groups := make([]string, len(sorted))
	runs := make([]int, len(sorted))
	var points []point
	for i := 0; i < len(sorted); {
		j := i
		hours, known := 0.0, 0
		for ; j < len(sorted) && sorted[j].P == sorted[i].P; j++ {
			values[j], groups[j], runs[j] = sorted[j].Value, sorted[j].Group, sorted[j].run
			if h := sorted[j].NodeHours; h > 0 && !math.IsInf(h, 0) {
				hours += h
				known++
			}
		}
		pt := point{p: sorted[i].P, values: values[i:j:j], groups: groups[i:j:j], runs: runs[i:j:j]}
		if known > 0 {
			pt.nodeHours = hours / float64(known)
		}
		points = append(points, pt)
		i = j
	}
	return points
}

// parameterName returns the parameter's name for sentences, "p" if it has none.
func parameterName(s Series) string {
	if s.Parameter == "" {
		return "p"
	}
	return s.Parameter
}
