package history

import (
	"cmp"
	"slices"
)

// Join is what several sites did together: rows of each, in the same order as those of
// one; the same findings, and the same reasons, are added up.
func Join(sites []Site) Site {
	var all Site
	for _, s := range sites {
		all.Slower.add(s.Slower, func(r Slower) float64 { return orLast(r.LostNodeHours) })
		all.Nodes.add(s.Nodes, func(r SickNode) float64 { return float64(r.Missing+r.Died) / float64(r.Jobs) })
		all.Applications.add(s.Applications, func(r Used) float64 { return orLast(r.NodeHours) })
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

// add puts the rows of another list among those of t.
func (t *Top[T]) add(other Top[T], weight func(T) float64) {
	t.Rows, t.Of = append(t.Rows, other.Rows...), t.Of+other.Of
	slices.SortStableFunc(t.Rows, func(a, b T) int { return cmp.Compare(weight(b), weight(a)) })
	t.Rows = t.Rows[:min(len(t.Rows), SiteRows)]
}

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

// orLast orders what is not known last.
func orLast(v *float64) float64 {
	if v == nil {
		return -1
	}
	return *v
}

// sum is of what is known of two.
func sum(a, b *float64) *float64 {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	both := *a + *b
	return &both
}
