package changepoint

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/changepoint/functions"
)

// Fields of causes that are no recorded fields: a function that takes another time,
// and one that took the place of another.
const (
	FunctionField = "function"
	ReplacedField = "function_replaced"
)

// FunctionShift is how the CPU time of a function in a cycle differs across a change,
// in seconds.
type FunctionShift struct {
	Library string  `json:"library"`
	Name    string  `json:"name"`
	BeforeS float64 `json:"before_s"`
	AfterS  float64 `json:"after_s"`
	LoS     float64 `json:"ci_lo_s"` // of the difference
	HiS     float64 `json:"ci_hi_s"`
	// TotalS is the difference of all CPU time.
	TotalS float64 `json:"total_s"`
}

// FunctionChange is a change of one function that the series itself does not show.
type FunctionChange struct {
	Library string `json:"library"`
	Name    string `json:"name"`
	Change
}

const (
	// ownSeries is the part of the CPU time from which a function is a series of its
	// own: one of 5 % is seen with 4 to 6. mostFunctions is how many are.
	ownSeries, mostFunctions = 0.04, 16
	// functionDoubt is the further evidence, in nats, required for a function beyond that of its family: it was
	// not requested, and the total does not show it.
	functionDoubt = 1.5
	// mostShifts is how many functions are named as what a change consists of.
	mostShifts = 3
	// commitField has the label of the code that a run is of.
	commitField = "commit"
)

// explain names the functions whose shifts a change consists of, before what was
// recorded: they say where, fields perhaps why.
func (r *ready) explain(c *Change, e event, lo, hi int, outliers []int) {
	x, ok := r.explanation(e.index, lo, hi, outliers)
	if !ok {
		return
	}
	var causes []Cause
	for _, s := range x.Of(e.effect) {
		if len(causes) == mostShifts {
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

// FunctionName is a function in a line: what has no name, or none that is stored, goes
// by its library.
func FunctionName(library, name string) string {
	if name == "" {
		return "code of " + library
	}
	return name
}

// explanation compares the functions on both sides of a run.
func (r *ready) explanation(index, lo, hi int, outliers []int) (functions.Explanation, bool) {
	total := column(r, r.CodeS)
	if total == nil || len(r.Code) == 0 {
		return functions.Explanation{}, false
	}
	return functions.Explain(r.parts(), total, index, lo, hi, func(k int) bool { return slices.Contains(outliers, k) })
}

// parts are the functions with the kept runs.
func (r *ready) parts() []functions.Part {
	out := make([]functions.Part, len(r.Code))
	for i, p := range r.Code {
		out[i] = functions.Part{Library: p.Library, Name: p.Name, Y: column(r, p.Y)}
	}
	return out
}

// functionChanges judges the larger functions as series of their own: a function that
// has a tenth of the time is 10 % slower long before anything is seen of the whole.
// Whatever many are looked at, they ask together for what one asks for.
func (r *ready) functionChanges(res *SeriesResult, p Params) []FunctionChange {
	out := []FunctionChange{}
	own := r.large()
	family := functionDoubt + math.Log(float64(max(1, len(own))))
	p.Threshold += family
	p.EpisodeRuns = 0
	for _, part := range own {
		s := *r.Series
		s.Y, s.Also, s.Nodes, s.User, s.Code, s.CodeS = r.corrected(part.Y, res), nil, nil, "", nil, nil
		f := prepare(&s)
		if f.quiet {
			continue
		}
		l := f.look(nil, p)
		for _, e := range l.out.events {
			c := f.change(e)
			if e.kind == Excursion || told(res.Changes, part, c) || !r.ofCode(&c) || r.tookOver(part, c) {
				continue
			}
			c.Causes, c.Beyond = []Cause{}, beyond(e.strength)
			out = append(out, FunctionChange{part.Library, part.Name, c})
		}
	}
	return out
}

// large are the functions that are series of their own, largest first: those that most
// runs list and that have enough of their CPU time.
func (r *ready) large() []functions.Part {
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
		if have >= fewestRuns && 5*have >= 4*known && sum >= ownSeries*all {
			list = append(list, sized{p, sum / all})
		}
	}
	slices.SortStableFunc(list, func(a, b sized) int { return cmp.Compare(b.share, a.share) })
	var out []functions.Part
	for _, s := range list[:min(len(list), mostFunctions)] {
		out = append(out, s.Part)
	}
	return out
}

// corrected takes out of a function what was taken out of the series: shifts of the
// machine, slow nodes, weekdays.
func (r *ready) corrected(y []float64, res *SeriesResult) []float64 {
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

// told says whether a change of the series has named the function, or lies there and
// goes the same way: what all of a program does is no news of a part.
func told(changes []Change, part functions.Part, c Change) bool {
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

// ofCode moves a change to the commit that lies in its place. Where runs say which
// commit they are of, a change of code begins only where that is another one.
func (r *ready) ofCode(c *Change) bool {
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

// tookOver says whether what changed in a function is another's that vanished or came.
func (r *ready) tookOver(part functions.Part, c Change) bool {
	index, _ := slices.BinarySearch(r.at, c.Index)
	if !slices.IsSorted(r.at) {
		index = slices.Index(r.at, c.Index)
	}
	x, ok := r.explanation(index, max(0, index-metricRuns), min(len(r.x), index+metricRuns), nil)
	if !ok {
		return false
	}
	is := func(s functions.Shift) bool { return s.Library == part.Library && s.Name == part.Name }
	return slices.ContainsFunc(x.Replaced, func(p functions.Replacement) bool { return is(p.From) || is(p.To) })
}
