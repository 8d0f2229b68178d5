package change

import (
	"maps"
	"slices"

	"jobgait/reports/text"
)

// Differ returns the recorded fields that are known for runs a and b and differ, first the fields that identify
// the program.
func (h History) Differ(a, b int) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(h.Meta)) {
		if v := h.Meta[name]; v[a] != "" && v[b] != "" && v[a] != v[b] {
			out = append(out, name)
		}
	}
	first := []string{"commit", "build_id"} // people know a commit, not a build id
	slices.SortStableFunc(out, func(x, y string) int {
		place := func(name string) int {
			if i := slices.Index(first, name); i >= 0 {
				return i
			}
			return len(first)
		}
		return place(x) - place(y)
	})
	return out
}

// With returns the runs of a history in which a recorded field has the same value as in run k, with the data
// that a comparison needs. The name of the result contains the value.
func (h History) With(field string, k int) History {
	values := h.Meta[field]
	out := History{Name: h.Title() + ", " + text.Clean(field) + " " + shortValue(values[k])}
	out.ID, out.Unit, out.Calendar, out.Metric = h.ID, h.Unit, h.Calendar, h.Metric
	for i, v := range values {
		if v == values[k] {
			out.T, out.Y = append(out.T, h.T[i]), append(out.Y, h.Y[i])
		}
	}
	return out
}
