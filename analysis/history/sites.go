package history

import (
	"cmp"
	"slices"
)

// JoinSites merges the results of several sites: rows of all, sorted as those of one; equal findings, and equal
// reasons, are added up.
func JoinSites(sites []Site) Site {
	var all Site
	for _, s := range sites {
		all.Slower.add(s.Slower, func(r SlowerHistory) float64 { return orLast(r.LostNodeHours) })
		all.Nodes.add(s.Nodes, func(r SickNode) float64 { return float64(r.Missing+r.Died) / float64(r.Jobs) })
		all.Applications.add(s.Applications, func(r ApplicationUse) float64 { return orLast(r.NodeHours) })
		all.Accounts.add(s.Accounts, func(r Account) float64 { return r.IdleNodeHours })
		for _, w := range s.Waste {
			all.addWaste(w)
		}
		for _, c := range s.Coverage {
			all.addCoverage(c)
		}
	}
	slices.SortStableFunc(all.Waste, func(a, b Waste) int {
		return cmp.Compare(orLast(b.LostNodeHours), orLast(a.LostNodeHours))
	})
	return all
}

// add merges the rows of another list into t and keeps the SiteRows rows with the largest weight, largest first.
func (t *FirstRows[T]) add(other FirstRows[T], weight func(T) float64) {
	t.Rows, t.Of = append(t.Rows, other.Rows...), t.Of+other.Of
	slices.SortStableFunc(t.Rows, func(a, b T) int { return cmp.Compare(weight(b), weight(a)) })
	t.Rows = t.Rows[:min(len(t.Rows), SiteRows)]
}

// addWaste adds w to the row of the same finding.
func (s *Site) addWaste(w Waste) {
	i := slices.IndexFunc(s.Waste, func(h Waste) bool { return h.Code == w.Code })
	if i < 0 {
		s.Waste = append(s.Waste, w)
		return
	}
	h := &s.Waste[i]
	h.Jobs, h.NodeHours, h.LostNodeHours = h.Jobs+w.Jobs, sum(h.NodeHours, w.NodeHours),
		sum(h.LostNodeHours, w.LostNodeHours)
}

// addCoverage adds c to the row of the same reasons.
func (s *Site) addCoverage(c Coverage) {
	i := slices.IndexFunc(s.Coverage, func(h Coverage) bool {
		return h.NoReport == c.NoReport && h.NoPeriod == c.NoPeriod
	})
	if i < 0 {
		s.Coverage = append(s.Coverage, c)
		return
	}
	s.Coverage[i].Jobs += c.Jobs
}

// orLast returns v, or -1 if it is unknown, so that unknown values are sorted last.
func orLast(v *float64) float64 {
	if v == nil {
		return -1
	}
	return *v
}

// sum returns the sum of two numbers; an unknown one counts as 0, and two unknown give nil.
func sum(a, b *float64) *float64 {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	both := *a + *b
	return &both
}
