package reports

import (
	"fmt"

	"jobgait/analysis/phase"
)

// textShapes draws one iteration of each pattern, the first three at most.
func (r Report) textShapes(p *page) {
	for i, q := range r.Rhythm.Patterns {
		v := floats(q.Shape.Mean)
		lo, hi, ok := shapeRange(v)
		if i >= 3 || !ok {
			break
		}
		p.line("")
		p.line("  " + padRight("one "+q.ID, gutter-2) + spark(stretch(v, strip), lo, hi, r.ascii))
		p.line(spaces(gutter) + padRight("0", strip-width(period(q.Period.value()))) + period(q.Period.value()))
		p.text(spaces(gutter), fmt.Sprintf("%s, %s; mean of %s iterations", q.Shape.Label,
			levelRange(lo, hi, q.Shape.Unit), count(int64(q.Instances))))
	}
}

// stretch returns values at n points: means where there are more, repeated
// where there are fewer.
func stretch(values []float64, n int) []float64 {
	if len(values) >= n || len(values) == 0 {
		return resample(values, n)
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = values[i*len(values)/n]
	}
	return out
}

// phaseTotal is all phases of one kind and pattern.
type phaseTotal struct {
	first   Phase // of the kind, for its letter and name
	n       int
	lengthS float64
	share   float64
	longest Phase
}

// totals joins the phases by kind and pattern, in the order in which each
// begins.
func (r Rhythm) totals() []phaseTotal {
	type key struct {
		kind    phase.Kind
		pattern Word
	}
	at := make(map[key]int)
	var out []phaseTotal
	for _, p := range r.Phases {
		k := key{p.Kind, p.Pattern}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, phaseTotal{first: p, longest: p})
		}
		t := &out[i]
		t.n, t.lengthS, t.share = t.n+1, t.lengthS+p.length(), t.share+p.Share
		if p.length() > t.longest.length() {
			t.longest = p
		}
	}
	return out
}
