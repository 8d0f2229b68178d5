package past

import (
	"math"
	"slices"

	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/reports/change"
)

// Histories are the histories of applications with the names that people know
// them by.
type Histories struct {
	application.Histories
	List []change.History
}

// Of makes a history of each stored one. metric names the metric to judge by; ""
// is the leading one of each.
func Of(stored []history.History, metric string) (Histories, error) {
	h, err := application.Of(stored, metric)
	if err != nil {
		return Histories{}, err
	}
	return named(h), nil
}

func named(h application.Histories) Histories {
	out := Histories{Histories: h}
	for i, in := range h.Inputs {
		s := h.Stored[i]
		one := change.History{Input: in, Lacking: "failed, ended early, or without " + in.Metric,
			Name: s.User + " " + s.App + " (" + change.Label(change.ShapeName(s.Shape), in.Metric) + ")"}
		for _, r := range s.Runs {
			one.Jobs = append(one.Jobs, r.DisplayID)
		}
		out.List = append(out.List, one)
	}
	return out
}

// Acknowledged returns the changes of these histories that somebody has seen.
func (h Histories) Acknowledged() change.Acks {
	acks := change.Acks{}
	for i, s := range h.Stored {
		for k, r := range s.Runs {
			if slices.Contains(s.Acknowledged, r.ID) {
				acks = append(acks, change.Ack{ID: h.List[i].ID, Index: k, Day: math.NaN()})
			}
		}
	}
	return acks
}

// Keep returns those histories for which keep is true, by their place.
func (h Histories) Keep(keep func(i int) bool) Histories { return named(h.Histories.Keep(keep)) }

// OnlyCodeOf forgets the functions of all histories but those: each is a series to be
// judged, and nobody is told of those of others.
func (h Histories) OnlyCodeOf(keep func(i int) bool) {
	for i := range h.List {
		if !keep(i) {
			h.List[i].Code, h.List[i].CodeS = nil, nil
			h.Inputs[i].Code, h.Inputs[i].CodeS = nil, nil
		}
	}
}
