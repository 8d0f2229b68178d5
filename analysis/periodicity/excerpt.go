package periodicity

import "jobgait/analysis/series"

// Which of many columns speaks for the job is found out on parts of a long
// profile; only that column is followed through all of it.
const (
	excerptPart  = 1 << 16 // samples, 5.5 min at 5 ms
	excerptParts = 4
)

// excerpt returns parts of a long profile, spread over it, one after the other.
// Where they meet a run of instances ends; that is all that is wrong with them.
func excerpt(set series.Set) series.Set {
	n := set.Len()
	if n < 3*excerptPart*excerptParts {
		return set
	}
	e := series.Set{StepS: set.StepS, StartS: set.StartS, Columns: make([]series.Column, len(set.Columns))}
	for j, c := range set.Columns {
		v := make(series.Values, 0, excerptPart*excerptParts)
		for k := range excerptParts {
			a := (2*k + 1) * (n - excerptPart) / (2 * excerptParts)
			v = append(v, c.Values[a:a+excerptPart]...)
		}
		e.Columns[j] = c
		e.Columns[j].Values = v
	}
	return e
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
