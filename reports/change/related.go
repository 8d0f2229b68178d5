package change

import (
	"slices"
	"strconv"

	"jobgait/analysis/changepoint"
)

// withOwners are the series as the detector takes them. What unrelated series
// show at one time is the machine's, and series without an owner pass for
// unrelated. Metrics of the same runs and shapes of one application are not:
// taken so, a change of the code that all seven metrics of a file show would be
// taken out as the machine's. Where no user is known, series of one application
// and series whose runs began at the very same times get an owner in common.
func withOwners(hs []History) []changepoint.Series {
	out := make([]changepoint.Series, 0, len(hs))
	owners := map[string]string{}
	for i, h := range hs {
		if h.Bad {
			continue
		}
		s := h.Input.Series
		s.Dated = h.Calendar
		if s.User == "" {
			s.User = ownerOf(h, owners, i)
		}
		out = append(out, s)
	}
	return out
}

// ownerOf finds the owner that an earlier series left under one of the names of
// this one, or makes one up that no user can have.
func ownerOf(h History, owners map[string]string, place int) string {
	var names []string
	if h.App != "" && h.Shape != "" {
		names = append(names, "app\x00"+h.Machine+"\x00"+h.App)
	}
	if len(h.Start) > 0 {
		names = append(names, startsOf(h))
	}
	if len(names) == 0 {
		return ""
	}
	owner := "\x00" + strconv.Itoa(place)
	for _, n := range names {
		if known, ok := owners[n]; ok {
			owner = known
			break
		}
	}
	for _, n := range names {
		if _, ok := owners[n]; !ok {
			owners[n] = owner
		}
	}
	return owner
}

// startsOf names when the runs of a history began, in whatever order.
func startsOf(h History) string {
	starts := slices.Clone(h.Start)
	slices.Sort(starts)
	b := []byte("start\x00" + h.Machine)
	for _, t := range starts {
		b = append(strconv.AppendFloat(b, t, 'g', -1, 64), ' ')
	}
	return string(b)
}
