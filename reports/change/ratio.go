package change

import "jobgait/analysis/changepoint/pair"

// ratio is the history of how much longer the other takes than the base, in
// percent, with the changes that the comparison found.
func ratio(base, other History, join pair.Join, c pair.Comparison) Judged {
	h := pair.Ratio(base.Series, other.Series, join, c.Changes)
	var s Judged
	s.ID, s.Unit, s.Calendar = "difference", "%", base.Calendar && other.Calendar
	s.T, s.Y, s.Regimes, s.Outliers = h.T, h.Y, h.Regimes, h.Outliers
	s.N, s.Changes = len(s.Y), c.Changes
	s.Events = grouped(s.Changes)
	return s
}
