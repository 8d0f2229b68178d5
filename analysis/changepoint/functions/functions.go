package functions

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"

	"gonum.org/v1/gonum/stat/distuv"
)

// Part is a function, or the unnamed code of a library, with its CPU seconds per cycle in each run; NaN if the
// run does not list it.
type Part struct {
	Library, Name string
	Y             []float64
}

// Shift is the CPU time of a part before and after a change and their difference with its 95 % interval, in
// seconds per cycle.
type Shift struct {
	Library, Name          string
	Before, After          float64
	Delta, Lo, Hi          float64
	P                      float64 // of as much by chance, all parts considered
	vanished, came, listed bool
}

// Replacement is a part that was replaced by another one at a change.
type Replacement struct{ From, To Shift }

// Explanation lists the shifts of functions of which a change of the total CPU time consists.
type Explanation struct {
	// Total is the shift of the total CPU time. Shifts lists the significant shifts of parts, the largest first.
	Total    Shift
	Shifts   []Shift
	Replaced []Replacement
}

const (
	// fewest is the least number of runs on a side of the change.
	fewest = 3
	// present is the least share of a side's runs that list a part which exists there, absent the largest share
	// for one that does not.
	present, absent = 0.8, 0.2
	// maxFalseChance is the accepted probability of a false name among all parts. With .01, in 15 of 1000 simulated
	// changes in which one of ten functions was 10 % slower, a second function was named (MEASURED.md of changepoint).
	maxFalseChance = 0.001
	// leastOfTotal is the least share of the program's shift for a function to be named.
	leastOfTotal = 0.1
	// leastOfEffect is the least share of a change, in log units, by which the total CPU time has to change for
	// functions to be named.
	leastOfEffect = 0.3
	// maxMismatch is the largest relative difference between the times of a replaced part and of its replacement.
	maxMismatch = 0.15
	// leastGone is the least share of all CPU time of a vanished function that is examined.
	leastGone = 0.02
)

// Explain compares the CPU time per cycle of each part in the runs [lo, index) with that in the runs [index, hi). total
// is the CPU time per cycle of each run. Runs in which it is unknown (NaN) and runs for which leaveOut returns true are
// left out. It returns false if fewer than three runs remain on a side.
func Explain(parts []Part, total []float64, index, lo, hi int, leaveOut func(run int) bool) (Explanation, bool) {
	var sides [2][]int
	for k := lo; k < hi && k < len(total); k++ {
		if total[k] > 0 && !math.IsInf(total[k], 0) && !(leaveOut != nil && leaveOut(k)) {
			side := 0
			if k >= index {
				side = 1
			}
			sides[side] = append(sides[side], k)
		}
	}
	if len(sides[0]) < fewest || len(sides[1]) < fewest {
		return Explanation{}, false
	}
	e := Explanation{Total: shiftOf(Part{Y: total}, sides)}
	var all []Shift
	for _, p := range parts {
		if s := shiftOf(p, sides); s.listed {
			all = append(all, s)
		}
	}
	for i := range all {
		all[i].P = min(1, all[i].P*float64(len(all)))
	}
	e.Replaced, all = pairReplacements(all, e.Total)
	for _, s := range all {
		if s.P < maxFalseChance {
			e.Shifts = append(e.Shifts, s)
		}
	}
	slices.SortStableFunc(e.Shifts, func(a, b Shift) int { return cmp.Compare(math.Abs(b.Delta), math.Abs(a.Delta)) })
	return e, true
}

// Parts returns the shifts in the direction of the change that are large enough to be named; effect is the
// change in log units. It returns nil if the total CPU time changed little: a program that waits longer has no
// slower function.
func (e Explanation) Parts(effect float64) []Shift {
	var out []Shift
	if moved := math.Log(e.Total.After / e.Total.Before); !(moved*effect > 0) ||
		math.Abs(moved) < leastOfEffect*math.Abs(effect) {
		return nil
	}
	for _, s := range e.Shifts {
		if s.Delta*effect > 0 && math.Abs(s.Delta) >= leastOfTotal*math.Abs(e.Total.Delta) {
			out = append(out, s)
		}
	}
	return out
}

// shiftOf compares the CPU times of a part on the two sides of a change, given by their runs. On a side where at most a
// fifth of the runs list the part, its time is 0. If it is absent from both sides, or between a fifth and four fifths
// of the runs of one list it, nothing is compared and listed is false.
func shiftOf(p Part, sides [2][]int) Shift {
	s := Shift{Library: p.Library, Name: p.Name}
	var values [2][]float64
	var have [2]float64
	for i, side := range sides {
		for _, k := range side {
			v := math.NaN()
			if k < len(p.Y) {
				v = p.Y[k]
			}
			if v > 0 && !math.IsInf(v, 0) {
				have[i]++
				values[i] = append(values[i], v)
			}
		}
		have[i] /= float64(len(side))
	}
	for i, side := range sides {
		if have[i] <= absent { // it is not there: nothing, but for a straggler
			values[i] = make([]float64, len(side))
		}
	}
	s.vanished, s.came = have[0] >= present && have[1] <= absent, have[0] <= absent && have[1] >= present
	s.listed = s.vanished || s.came || have[0] >= present && have[1] >= present
	if !s.listed {
		return s
	}
	s.compare(values[0], values[1])
	return s
}

// compare sets the means of the values a before and b after the change, and by Welch's t test their difference with its
// 95 % interval and P. Without any scatter P is 0 if the means differ, else 1.
func (s *Shift) compare(a, b []float64) {
	var sa, sb float64
	s.Before, sa = robust.Mean(a)
	s.After, sb = robust.Mean(b)
	va, vb := sa*sa/float64(len(a)), sb*sb/float64(len(b))
	s.Delta = s.After - s.Before
	s.Lo, s.Hi, s.P = s.Delta, s.Delta, 1
	if va+vb <= 0 {
		if s.Delta != 0 {
			s.P = 0
		}
		return
	}
	df := (va + vb) * (va + vb) / (va*va/max(1, float64(len(a)-1)) + vb*vb/max(1, float64(len(b)-1)))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: max(df, 1)}
	half := t.Quantile(.975) * math.Sqrt(va+vb)
	s.Lo, s.Hi = s.Delta-half, s.Delta+half
	s.P = 2 * t.CDF(-math.Abs(s.Delta)/math.Sqrt(va+vb))
}

// pairReplacements separates the pairs of parts that replaced each other from the rest: one of a pair vanished
// or appeared, and their sum changed little.
func pairReplacements(all []Shift, total Shift) (pairs []Replacement, rest []Shift) {
	used := make([]bool, len(all))
	for i, gone := range all {
		if used[i] || !gone.vanished && !gone.came || math.Abs(gone.Delta) < leastGone*max(total.Before, total.After) {
			continue
		}
		best, least := -1, math.Inf(1)
		for k, other := range all {
			if used[k] || k == i || gone.Delta*other.Delta >= 0 || !other.vanished && !other.came && other.P >= maxFalseChance {
				continue
			}
			left := math.Abs(gone.Delta + other.Delta)
			room := maxMismatch*math.Abs(gone.Delta) + (gone.Hi-gone.Lo+other.Hi-other.Lo)/2
			if left <= room && left < least {
				best, least = k, left
			}
		}
		if best < 0 {
			continue
		}
		used[i], used[best] = true, true
		r := Replacement{gone, all[best]}
		if gone.Delta > 0 {
			r = Replacement{all[best], gone}
		}
		pairs = append(pairs, r)
	}
	for i, s := range all {
		if !used[i] {
			rest = append(rest, s)
		}
	}
	return pairs, rest
}
