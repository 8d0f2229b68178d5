package table

import (
	"cmp"
	"slices"
	"strings"

	"jobgait/analysis/note"
)

// rateNames are units that are rates, in lower case without a prefix such as G, and what they count.
var rateNames = map[string]string{"flops": "flop", "fps": "frame", "qps": "query", "rps": "request",
	"tps": "transaction"}

// perTime are the ways to write that a unit is per unit of time, and that unit.
var perTime = []struct{ suffix, time string }{
	{"/s", "s"}, {"/sec", "s"}, {"/second", "s"}, {" per second", "s"},
	{"/min", "min"}, {"/h", "h"}, {"/hour", "h"}, {"/ms", "ms"}, {"/us", "us"}, {"/ns", "ns"},
}

// rateUnit returns the time unit of the reciprocal of a rate: "s/iter" for "iter/sec". ok is false if the unit is
// not a rate.
func rateUnit(unit string) (reciprocal string, ok bool) {
	for _, p := range perTime {
		if item, found := strings.CutSuffix(unit, p.suffix); found && item != "" && !isTimeUnit(item) {
			return p.time + "/" + strings.TrimSuffix(item, "s"), true // ops/s: per op
		}
	}
	for name, item := range rateNames {
		prefix, found := strings.CutSuffix(strings.ToLower(unit), name)
		if found && len(prefix) <= 1 {
			return "s/" + unit[:len(prefix)] + item, true
		}
	}
	return "", false
}

// isTimeUnit reports whether a unit is one of time: s/s is a share, not a rate.
func isTimeUnit(unit string) bool {
	return slices.Contains([]string{"s", "ms", "us", "ns", "min", "h"}, unit)
}

// invertRates turns rates and scores of which larger ones are better into their reciprocals, because a larger value
// must mean a slower run. Runs without work have no time per item: a rate of 0 becomes missing.
func (in *Runs) invertRates() {
	unit, isRate := rateUnit(in.Unit)
	why := in.Unit + " is a rate"
	switch {
	case isRate:
	case in.largerIsBetter:
		unit = "1/" + cmp.Or(in.Unit, "value")
		why = "a larger " + cmp.Or(in.Unit, "value") + " is better"
	default:
		return
	}
	in.Notes = append(in.Notes, note.New(note.InvertedRate,
		"%s: it was converted to %s, so a larger value is slower", why, unit))
	in.Unit, in.largerIsBetter = unit, false
	for i, v := range in.Y {
		in.Y[i] = 1 / v
	}
}
