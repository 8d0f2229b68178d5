package periodicity

import "jobgait/analysis/series"

// For a long profile, the column that represents the job is selected on parts of it; only that column is
// followed through all of it.
const (
	excerptPart  = 1 << 13 // samples, 41 s at 5 ms
	excerptParts = 4
	// cpuPart is the length of a part that is analysed on CPU time: four grids cost more than four times as much,
	// and programs of 15 to 40 s were enough to find their loops.
	cpuPart = 1 << 12
	// firstPart is the part in which the first two grids are compared with wall time.
	firstPart = cpuPart / 4
)

// excerpt returns a profile of excerptParts parts of a long one, each of part samples, evenly spread over it and joined
// without gaps. Where two parts meet, a run of instances ends. It returns a profile shorter than three times the
// excerpt unchanged.
func excerpt(set series.Set, part int) series.Set {
	n := set.Len()
	if n < 3*part*excerptParts {
		return set
	}
	e := set
	e.Columns = make([]series.Column, len(set.Columns))
	for j, c := range set.Columns {
		e.Columns[j] = c
		e.Columns[j].Values = pieces(c.Values, part, n)
	}
	var kept []series.Piece
	for k := range excerptParts {
		a := partAt(k, part, n)
		at, end := set.Ends(a, part)
		kept = append(kept, series.Piece{FromS: at, ToS: end, AtS: set.StartS + float64(k*part)*set.StepS})
	}
	e.Also = nil
	for _, o := range set.Also {
		e.Also = append(e.Also, o.Within(kept))
	}
	return e
}

// partAt returns the first sample of part k of the excerptParts equally spaced parts, each of part samples,
// that an excerpt takes from n samples.
func partAt(k, part, n int) int { return (2*k + 1) * (n - part) / (2 * excerptParts) }

// pieces returns excerptParts evenly spaced parts of part samples each, taken from the first n samples of x,
// one after the other.
func pieces(x series.Values, part, n int) series.Values {
	out := make(series.Values, 0, part*excerptParts)
	for k := range excerptParts {
		a := partAt(k, part, n)
		out = append(out, x[a:a+part]...)
	}
	return out
}

// in returns the source with the columns of another set of the same profile.
func (s source) in(set series.Set) source {
	cols := make([]series.Column, len(s.cols))
	for i, c := range s.cols {
		cols[i] = c
		if d, ok := set.Column(c.Name); ok {
			cols[i].Values = d.Values
		}
	}
	s.cols = cols
	return s
}
