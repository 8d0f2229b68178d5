package change

import (
	"fmt"
	"math"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
)

// maxRunsSinceCreep is the largest number of runs since the end of a creep at which it may still continue.
const maxRunsSinceCreep = 10

// creepText returns a sentence on a creep: its size, its first and last value, and since when it lasts or, if it ended
// more than maxRunsSinceCreep runs ago, from when to when.
func (s JudgedHistory) creepText(k changepoint.Creep, o Options) string {
	text := fmt.Sprintf("%s %s bit by bit: from %s to %s over %s, ", quantity.Percent(math.Abs(k.EffectPct)),
		s.direction(k.EffectPct),
		s.Value(k.From), s.Value(k.To), quantity.Plural(k.N, "run"))
	if k.LastIndex < len(s.Y)-maxRunsSinceCreep {
		return text + "from " + s.Date(k.FirstIndex, o) + " to " + s.Date(k.LastIndex, o) + "."
	}
	return text + "since " + s.Date(k.FirstIndex, o) + "."
}

// newestChange returns the newest change; for one that is part of a creep, a change that spans the whole creep.
// There must be a change.
func (s JudgedHistory) newestChange() changepoint.Change {
	c := s.Result.Changes[len(s.Result.Changes)-1]
	for _, e := range s.Events {
		if e.Creep.Explains(c.Index) {
			return e.First()
		}
	}
	return c
}
