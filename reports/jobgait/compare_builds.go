package main

import (
	"fmt"
	"slices"
	"strings"

	"jobgait/reports/change"
)

// parts splits the history of two jobs into the runs that have in common with the
// first, and with the second, what was recorded of the field that --by names: two
// builds, as a rule.
func (o compareOptions) parts(h change.History, ids []string) (a, b change.History, err error) {
	i, j := slices.Index(h.Jobs, ids[0]), slices.Index(h.Jobs, ids[1])
	differ := h.Differ(i, j)
	switch {
	case len(differ) == 0:
		return a, b, fmt.Errorf("jobs %s and %s are runs of one history, %s, and nothing that was recorded of them differs: jobgait run --label NAME=VALUE records what does", ids[0], ids[1], h.Title())
	case o.by == "":
		return h.With(differ[0], i), h.With(differ[0], j), nil
	case !slices.Contains(differ, o.by):
		return a, b, fmt.Errorf("--by %s: jobs %s and %s do not differ in it, but in %s", o.by, ids[0], ids[1], strings.Join(differ, ", "))
	}
	return h.With(o.by, i), h.With(o.by, j), nil
}
