package changepoint

import (
	"math"
	"slices"

	"jobgait/analysis/quantity"
)

// Event is a change as people count it.
type Event struct {
	// Changes is the change, or the two ends of an excursion; of a creep the whole of it.
	Changes []Change
	Creep   *Creep // nil of all else
}

// First is the change with which the event began.
func (e Event) First() Change { return e.Changes[0] }

// Last is the newest change of the event.
func (e Event) Last() Change { return e.Changes[len(e.Changes)-1] }

// Events are the changes of a series as people count them, in their order. A creep
// stands last, in place of the events that it explains.
func (r SeriesResult) Events(s Series) []Event {
	events := grouped(r.Changes)
	k := r.Creep
	if k == nil {
		return events
	}
	seen := len(s.Y) - 1
	events = slices.DeleteFunc(events, func(e Event) bool {
		held := k.Holds(e.First().Index)
		if held {
			seen = min(seen, e.First().DetectedIndex)
		}
		return held
	})
	return append(events, Event{Creep: k, Changes: []Change{{Index: k.FirstIndex, T: s.Time(k.FirstIndex),
		DetectedIndex: seen, FirstIndex: k.FirstIndex, LastIndex: k.FirstIndex, EffectPct: k.EffectPct, Kind: Drift,
		EndIndex: &k.LastIndex}}})
}

// grouped joins the two ends of each excursion.
func grouped(changes []Change) []Event {
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

// rowRuns is how many runs may lie between two changes that are reported as one: a slow movement is often found
// as several steps.
const rowRuns = 50

// InARow joins the newest of events with those right before it that went the same way,
// where no line explains them: the first run of all, how many they are, and by how many
// percent together. The newest event is the first.
func InARow(events []Event) (first, n int, pct float64) {
	logs := 0.0
	for i, e := range events {
		c := e.First()
		if len(e.Changes) > 1 || e.Creep != nil || i > 0 && (c.EffectPct > 0 != (logs > 0) || first-c.Index > rowRuns) {
			break
		}
		first, n, logs = c.Index, n+1, logs+math.Log1p(c.EffectPct/100)
	}
	return first, n, quantity.OfLogs(logs)
}
