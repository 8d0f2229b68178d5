package earlier

import (
	"math"
	"slices"

	"jobgait/analysis/application"
	"jobgait/reports/change"
	"jobgait/reports/job"
)

// NamedHistories returns histories of applications with printable names, which include the user if users is set.
func NamedHistories(h application.Histories, users bool) []change.History {
	var out []change.History
	for i, in := range h.Inputs {
		s := h.Stored[i]
		one := change.History{Runs: in, Lacking: "failed, ended early, or without " + in.Metric,
			Name: s.App + " (" + change.Label(change.ShapeName(s.Shape), in.Metric) + ")"}
		if users {
			one.Name = s.User + " " + one.Name
		}
		for _, r := range s.Runs {
			one.Jobs, one.Pages = append(one.Jobs, r.DisplayID), append(one.Pages, job.PagePath(r))
		}
		out = append(out, one)
	}
	return out
}

// Acknowledged returns the acknowledged changes of the histories.
func Acknowledged(h application.Histories) change.Acks {
	acks := change.Acks{}
	for i, s := range h.Stored {
		for k, r := range s.Runs {
			if slices.Contains(s.Acknowledged, r.ID) {
				acks = append(acks, change.Ack{ID: h.Inputs[i].ID, Index: k, Day: math.NaN()})
			}
		}
	}
	return acks
}
