package changepoint

import (
	"math"
	"slices"

	"jobgait/analysis/quantity"
)

// Event is what a user counts as one change: a change, an excursion or a creep.
type Event struct {
	// Changes holds the change, the two ends of an excursion, or one change that stands for a whole creep.
	Changes []Change
	Creep   *Creep // the creep; nil for other events
}

// First is the change with which the event began.
func (e Event) First() Change { return e.Changes[0] }

// Last is the newest change of the event.
func (e Event) Last() Change { return e.Changes[len(e.Changes)-1] }

// Events returns the changes of r, the result of series s, as users count them, in time order. A creep comes last and
// replaces the events that it explains.
func (r SeriesResult) Events(s Series) []Event {
	events := joinExcursions(r.Changes)
	k := r.Creep
	if k == nil {
		return events
	}
	seen := len(s.Y) - 1
	events = slices.DeleteFunc(events, func(e Event) bool {
		held := k.Explains(e.First().Index)
		if held {
			seen = min(seen, e.First().DetectedIndex)
		}
		return held
	})
	return append(events, Event{Creep: k, Changes: []Change{{Index: k.FirstIndex, T: s.Time(k.FirstIndex),
		DetectedIndex: seen, FirstIndex: k.FirstIndex, LastIndex: k.FirstIndex, EffectPct: k.EffectPct, Kind: Drift,
		EndIndex: &k.LastIndex}}})
}

// joinExcursions makes one event of each change, and one of the two ends of each excursion.
func joinExcursions(changes []Change) []Event {
	var out []Event
	group := map[int]int{}
	for _, c := range changes {
		if c.Group != nil {
			if i, ok := group[*c.Group]; ok {
				out[i].Changes = append(out[i].Changes, c)
				continue
			}
			group[*c.Group] = len(out)
		}
		out = append(out, Event{Changes: []Change{c}})
	}
	return out
}

// maxRowGap is the most runs between two changes that are reported as one: a slow movement is often found as
// several steps.
const maxRowGap = 50

// JoinSameDirection joins the newest event with those directly before it that went in the same direction, each
// at most maxRowGap runs before the next. An excursion or a creep ends the row; if the newest event is one, n
// is 0. events are given newest first. It returns the run at which they began, their number, and their total
// effect in percent.
func JoinSameDirection(events []Event) (first, n int, pct float64) {
	logs := 0.0
	for i, e := range events {
		c := e.First()
		if len(e.Changes) > 1 || e.Creep != nil || i > 0 && (c.EffectPct > 0 != (logs > 0) || first-c.Index > maxRowGap) {
			break
		}
		first, n, logs = c.Index, n+1, logs+math.Log1p(c.EffectPct/100)
	}
	return first, n, quantity.PercentOfLogs(logs)
}
