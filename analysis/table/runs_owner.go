package table

import (
	"slices"
	"strconv"

	"jobgait/analysis/changepoint"
)

// WithOwners returns the series for the detector, without bad ones. Series without a user get a common owner if they
// share an application, a file or the start times of all runs; a series with none of these stays without an owner. The
// detector attributes what unrelated series show at one time to the machine, and series without an owner count as
// unrelated. With a common owner, a change of the code that all metrics of a file show is not attributed to the
// machine.
func WithOwners(inputs []Runs) []changepoint.Series {
	out := make([]changepoint.Series, 0, len(inputs))
	owners := map[string]string{}
	for i, in := range inputs {
		if in.Bad {
			continue
		}
		s := in.Series
		s.Dated = in.Calendar
		if s.User == "" {
			s.User = in.ownerOf(owners, i)
		}
		out = append(out, s)
	}
	return out
}

// ownerOf returns the owner of an earlier series that shares an application, a file or the start times of all runs with
// this one, or else a new owner that differs from every user name; "" if the series has none of these. owners has the
// owners so far and is updated; place is the index of the series.
func (in Runs) ownerOf(owners map[string]string, place int) string {
	var names []string
	if in.App != "" && in.Shape != "" {
		names = append(names, "app\x00"+in.Machine+"\x00"+in.App)
	}
	if in.rows != "" {
		names = append(names, "rows\x00"+in.rows)
	}
	if len(in.Start) > 0 {
		names = append(names, in.starts())
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

// starts returns a key made of the start times of all runs, independent of their order.
func (in Runs) starts() string {
	starts := slices.Clone(in.Start)
	slices.Sort(starts)
	b := []byte("start\x00" + in.Machine)
	for _, t := range starts {
		b = append(strconv.AppendFloat(b, t, 'g', -1, 64), ' ')
	}
	return string(b)
}
