package change

import (
	"slices"

	"jobgait/analysis/changepoint"
)

// Keep returns the report of those histories only for which keep is true, by
// their place: what it expects by chance, and what it takes to stand out of it,
// is that of the shorter list. Shifts of the machine stay if one of them had
// it.
func (r Report) Keep(keep func(i int) bool) Report {
	out := r
	out.Series, out.Machine = nil, nil
	var results []changepoint.Result
	ids := map[string]bool{}
	for i, s := range r.Series {
		if keep(i) {
			out.Series = append(out.Series, s)
			results = append(results, s.Result)
			ids[s.ID] = true
		}
	}
	out.Expected = changepoint.ExpectedByChance(results)
	for _, m := range r.Machine {
		if slices.ContainsFunc(m.Series, func(id string) bool { return ids[id] }) {
			out.Machine = append(out.Machine, m)
		}
	}
	return out
}
