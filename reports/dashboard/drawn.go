package dashboard

import (
	"slices"

	"jobgait/reports/change"
)

// drawn keeps so many histories, those that want to be seen most; all if the
// number is below 0. Further metrics are left out first: those that changed last.
func drawn(groups []app, r change.Report, most int) []app {
	if most < 0 || most >= len(r.Series) {
		return groups
	}
	order, _ := r.ByWeight()
	for _, changed := range []bool{true, false} {
		for i, s := range r.Series {
			if s.Support && (s.Status == change.Changed) == changed {
				order = append(order, i)
			}
		}
	}
	keep := map[int]bool{}
	for _, at := range order[:most] {
		keep[at] = true
	}
	var out []app
	for _, a := range groups {
		kept := app{Name: a.Name}
		for _, h := range a.Shapes {
			metrics := slices.DeleteFunc(slices.Clone(h.Metrics), func(m metric) bool { return !keep[m.at] })
			if len(metrics) > 0 {
				kept.Shapes = append(kept.Shapes, shape{h.Name, metrics})
			}
		}
		if len(kept.Shapes) > 0 {
			out = append(out, kept)
		}
	}
	return out
}
