package experimentfile

import (
	"strings"

	"jobgait/analysis/note"
)

// role is what a column of a CSV file is for.
type role int

const (
	ignored   role = iota
	parameter      // the one that varies
	metric         // a column of values; its name is the metric
	series         // names the series of a line
	metricOf       // names the metric of a line
	group          // what runs share: their day, their node
	nodeHours      // what the run cost
)

// roleOf knows column names, besides the parameter's and the
// metrics' own.
func roleOf(name string) (role, bool) {
	switch strings.ToLower(name) {
	case "param", "parameter", "p":
		return parameter, true
	case "value", "y":
		return metric, true
	case "rep", "repetition", "run":
		return ignored, true // repetitions are lines of the same p
	case "series", "id", "callpath", "region", "kernel":
		return series, true
	case "metric":
		return metricOf, true
	case "group", "day", "date", "node":
		return group, true
	case "node_hours":
		return nodeHours, true
	}
	return ignored, false
}

// head gives the columns their roles, from the first line if that is a header.
// A header has no numbers in it.
func (t *table) head(fields []string) (headed bool, err error) {
	numbers := 0
	for _, f := range fields {
		if isNumber(f) {
			numbers++
		}
	}
	if numbers == 0 {
		return true, t.header(fields)
	}
	switch len(fields) {
	case 2:
		t.columns, t.names = []role{parameter, metric}, []string{"param", "value"}
	case 3:
		t.columns, t.names = []role{parameter, ignored, metric}, []string{"param", "rep", "value"}
	default:
		return false, t.in.fail("%s without a header: give param,rep,value or param,value, or name the columns", note.Count(len(fields), "column"))
	}
	return false, nil
}

// header reads the names of the columns. A name that is not known is the
// parameter's if that has none, then a metric's, unless a column "value" says
// that there is one metric only.
func (t *table) header(names []string) error {
	t.names = names
	t.columns = make([]role, len(names))
	var own []int
	for i, n := range names {
		r, known := roleOf(n)
		switch {
		case n == "":
			return t.in.fail("column %d has no name", i+1)
		case !known:
			own = append(own, i)
			continue
		case r != ignored && t.has[r]:
			return t.in.fail("two columns for the same: %q is the second", short(n))
		}
		t.columns[i], t.has[r] = r, true
	}
	for _, i := range own {
		switch {
		case !t.has[parameter]:
			t.columns[i], t.has[parameter] = parameter, true
		case t.has[metric] && t.columns[t.first(metric)] == metric && t.named(metric):
			return t.in.fail("column %q is not known beside a column \"value\"; known are param, rep, value, series, metric, group, day, node_hours", short(names[i]))
		default:
			t.columns[i], t.has[metric] = metric, true
		}
	}
	if !t.has[parameter] || !t.has[metric] {
		return t.in.fail("the header names no column for the parameter and one for the value: %q", short(strings.Join(names, string(t.comma))))
	}
	return nil
}

// first is the first column of a role.
func (t *table) first(r role) int {
	for i, c := range t.columns {
		if c == r {
			return i
		}
	}
	return -1
}

// named is whether the first column of a role has the name that is known for it.
func (t *table) named(r role) bool {
	known, _ := roleOf(t.names[t.first(r)])
	return known == r
}
