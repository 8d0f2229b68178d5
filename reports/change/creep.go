package change

import (
	"fmt"
	"math"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
)

// goesOn is within how many runs of the newest a creep ends that may still go on.
const goesOn = 10

// creepText is a creep in a sentence.
func (s Judged) creepText(k changepoint.Creep, o Options) string {
	text := fmt.Sprintf("%s %s bit by bit: from %s to %s over %s, ", quantity.Percent(math.Abs(k.EffectPct)),
		s.direction(k.EffectPct),
		s.value(k.From), s.value(k.To), quantity.Plural(k.N, "run"))
	if k.LastIndex < len(s.Y)-goesOn {
		return text + "from " + s.Date(k.FirstIndex, o) + " to " + s.Date(k.LastIndex, o) + "."
	}
	return text + "since " + s.Date(k.FirstIndex, o) + "."
}

// newestChange is the newest of the changes, which there must be: the creep that it is
// part of as a whole.
func (s Judged) newestChange() changepoint.Change {
	c := s.Result.Changes[len(s.Result.Changes)-1]
	for _, e := range s.Events {
		if e.Creep.Holds(c.Index) {
			return e.First()
		}
	}
	return c
}
