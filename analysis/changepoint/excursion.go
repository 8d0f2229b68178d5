package changepoint

// excursions marks each pair of events that leave a level and come back to it
// within p.ExcursionRuns runs: the two ends share a group.
func excursions(ev []event, p Params) {
	group := 0
	for q := 1; q < len(ev); q++ {
		a, b := &ev[q-1], &ev[q]
		if a.group != nil || a.kind != Step || b.kind != Step ||
			b.index-a.index > p.ExcursionRuns || (a.effect > 0) == (b.effect > 0) {
			continue
		}
		g := group
		group++
		a.kind, b.kind = Excursion, Excursion
		a.group, b.group = &g, &g
	}
}
