package changepoint

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/changepoint/functions"
)

// Values of Cause.Field for functions: FunctionField for a function whose time changed, ReplacedField for a
// function that replaced another.
const (
	FunctionField = "function"
	ReplacedField = "function_replaced"
)

// FunctionShift is the CPU time of a function per cycle before and after a change, in seconds, with the
// interval of the difference.
type FunctionShift struct {
	Library string  `json:"library"`
	Name    string  `json:"name"`
	BeforeS float64 `json:"before_s"`
	AfterS  float64 `json:"after_s"`
	LoS     float64 `json:"ci_lo_s"` // of the difference
	HiS     float64 `json:"ci_hi_s"`
	// TotalS is the difference of the CPU time of all functions.
	TotalS float64 `json:"total_s"`
}

// FunctionChange is a change of one function's CPU time that the series itself does not show.
type FunctionChange struct {
	Library string `json:"library"`
	Name    string `json:"name"`
	Change
}

const (
	// minFunctionShare is the least share of the CPU time for a function to be analysed as a series of its own:
	// one of 5 % is seen with 4 to 6. maxFunctions limits their number.
	minFunctionShare, maxFunctions = 0.04, 16
	// functionThreshold is the additional evidence, in nats, required for a function, beyond that for the number
	// of functions: it was not requested, and the total does not show it.
	functionThreshold = 1.5
	// maxShifts is the most functions that are named as the parts of a change.
	maxShifts = 3
	// commitField is the recorded field with the label of the code's version.
	commitField = "commit"
)

// addFunctionCauses puts before the other causes of a change the functions that explain it: at most maxShifts whose
// time shifted, and all replacements. Functions show where the time changed, recorded fields perhaps why. The runs from
// lo to before e.index are compared with those from there to before hi, without outliers. If they cannot be compared,
// nothing changes.
func (r *preparedSeries) addFunctionCauses(c *Change, e event, lo, hi int, outliers []int) {
	x, ok := r.explainByFunctions(e.index, lo, hi, outliers)
	if !ok {
		return
	}
	var causes []Cause
	for _, s := range x.Parts(e.effect) {
		if len(causes) == maxShifts {
			break
		}
		name := FunctionName(s.Library, s.Name)
		causes = append(causes, Cause{Field: FunctionField, From: name, To: name, P: s.P,
			Function: &FunctionShift{s.Library, s.Name, s.Before, s.After, s.Lo, s.Hi, x.Total.Delta}})
	}
	for _, p := range x.Replaced {
		causes = append(causes, Cause{Field: ReplacedField, From: FunctionName(p.From.Library, p.From.Name),
			To: FunctionName(p.To.Library, p.To.Name), P: 1 / float64(1+len(r.x))})
	}
	c.Causes = append(causes, c.Causes...)
}

// FunctionName returns the name of a function for a line of text, or "code of LIBRARY" if its name is unknown
// or not stored.
func FunctionName(library, name string) string {
	if name == "" {
		return "code of " + library
	}
	return name
}

// explainByFunctions compares the CPU time of the functions in the runs [lo, index) with that in [index, hi), without
// outliers. It returns false if no functions are recorded or a side has too few runs.
func (r *preparedSeries) explainByFunctions(index, lo, hi int, outliers []int) (functions.Explanation, bool) {
	total := column(r, r.CodeS)
	if total == nil || len(r.Code) == 0 {
		return functions.Explanation{}, false
	}
	return functions.Explain(r.parts(), total, index, lo, hi, func(k int) bool { return slices.Contains(outliers, k) })
}

// parts returns the functions with their CPU times in the kept runs.
func (r *preparedSeries) parts() []functions.Part {
	out := make([]functions.Part, len(r.Code))
	for i, p := range r.Code {
		out[i] = functions.Part{Library: p.Library, Name: p.Name, Y: column(r, p.Y)}
	}
	return out
}

// functionChanges detects changes in the larger functions, each as a series of its own: a function that has a
// tenth of the time may be 10 % slower long before the total shows it. The required evidence grows with the
// number of functions, so that their false alarms together stay those of one. It leaves out excursions, changes
// that the whole series already reports, replaced functions and, if commits are recorded, changes with no
// change of the commit nearby.
func (r *preparedSeries) functionChanges(res *SeriesResult, p Params) []FunctionChange {
	out := []FunctionChange{}
	own := r.largeFunctions()
	family := functionThreshold + math.Log(float64(max(1, len(own))))
	p.Threshold += family
	p.EpisodeRuns = 0
	for _, part := range own {
		s := *r.Series
		s.Y, s.Also, s.Nodes, s.User, s.Code, s.CodeS = r.correctFunction(part.Y, res), nil, nil, "", nil, nil
		f := prepare(&s)
		if f.quiet {
			continue
		}
		l := f.scanSeries(nil, p)
		for _, e := range l.out.events {
			c := f.changeOf(e)
			if e.kind == Excursion || alreadyReported(res.Changes, part, c) || !r.moveToCommit(&c) || r.isReplacement(part, c) {
				continue
			}
			c.Causes, c.ExcessNats = []Cause{}, excessNats(e.strength)
			out = append(out, FunctionChange{part.Library, part.Name, c})
		}
	}
	return out
}

// largeFunctions returns the functions to analyse as series, largest first, at most maxFunctions: those that at least
// fewestRuns runs and four in five of the runs with a known total list, and that have at least minFunctionShare of the
// CPU time.
func (r *preparedSeries) largeFunctions() []functions.Part {
	type sized struct {
		functions.Part
		share float64
	}
	var list []sized
	for _, p := range r.Code {
		if len(p.Y) != len(r.Y) || len(r.CodeS) != len(r.Y) {
			continue
		}
		sum, all, have, known := 0.0, 0.0, 0, 0
		for i, total := range r.CodeS {
			if !(total > 0) {
				continue
			}
			if known++; p.Y[i] > 0 {
				have, sum, all = have+1, sum+p.Y[i], all+total
			}
		}
		if have >= fewestRuns && 5*have >= 4*known && sum >= minFunctionShare*all {
			list = append(list, sized{p, sum / all})
		}
	}
	slices.SortStableFunc(list, func(a, b sized) int { return cmp.Compare(b.share, a.share) })
	var out []functions.Part
	for _, s := range list[:min(len(list), maxFunctions)] {
		out = append(out, s.Part)
	}
	return out
}

// correctFunction applies to the times y of a function the corrections of the series for shifts of the
// machine, slow nodes and weekdays. A run that is not judged becomes NaN. y is not changed.
func (r *preparedSeries) correctFunction(y []float64, res *SeriesResult) []float64 {
	out := slices.Clone(y)
	for i := range out {
		if i >= len(res.Adjusted) || !(res.Adjusted[i] > 0) || !(r.Y[i] > 0) {
			out[i] = math.NaN() // a run that is not judged
			continue
		}
		out[i] *= res.Adjusted[i] / r.Y[i]
	}
	return out
}

// alreadyReported reports whether a change of the series near change c names the function, or goes the same way
// and is at least half as large as c: a change of the whole program is not reported again for a part.
func alreadyReported(changes []Change, part functions.Part, c Change) bool {
	name := FunctionName(part.Library, part.Name)
	for _, x := range changes {
		near := max(x.FirstIndex, c.FirstIndex)-causeReach <= min(x.LastIndex, c.LastIndex)+causeReach
		if !near {
			continue
		}
		if x.EffectPct*c.EffectPct > 0 && math.Abs(c.EffectPct) <= 2*math.Abs(x.EffectPct) {
			return true
		}
		for _, k := range x.Causes {
			if (k.Field == FunctionField || k.Field == ReplacedField) && (k.From == name || k.To == name) {
				return true
			}
		}
	}
	return false
}

// moveToCommit moves a change to the run near it at which the recorded commit changed. If commits are recorded and none
// changed there, it returns false: a change of code begins only with another commit. Without recorded commits it
// returns true and moves nothing.
func (r *preparedSeries) moveToCommit(c *Change) bool {
	commits := r.Meta[commitField]
	if len(commits) != len(r.Y) {
		return true
	}
	last, best, near := "", -1, math.MaxInt
	for i, v := range commits {
		if v == "" {
			continue
		}
		if last != "" && v != last && i >= c.FirstIndex-causeReach && i <= c.LastIndex+causeReach && abs(i-c.Index) < near {
			best, near = i, abs(i-c.Index)
		}
		last = v
	}
	if last == "" { // none is known
		return true
	}
	if best >= 0 {
		c.Index, c.T = best, r.Time(best)
	}
	return best >= 0
}

// isReplacement reports whether a function changed because it replaced another one or was replaced.
func (r *preparedSeries) isReplacement(part functions.Part, c Change) bool {
	index, _ := slices.BinarySearch(r.at, c.Index)
	if !slices.IsSorted(r.at) {
		index = slices.Index(r.at, c.Index)
	}
	x, ok := r.explainByFunctions(index, max(0, index-metricRuns), min(len(r.x), index+metricRuns), nil)
	if !ok {
		return false
	}
	is := func(s functions.Shift) bool { return s.Library == part.Library && s.Name == part.Name }
	return slices.ContainsFunc(x.Replaced, func(p functions.Replacement) bool { return is(p.From) || is(p.To) })
}
