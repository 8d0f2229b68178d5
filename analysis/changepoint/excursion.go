package changepoint

// excursionRuns is the longest stay that makes an up and a down one excursion.
const excursionRuns = 5

// excursions marks each pair of events that leave a level and come back to it
// within excursionRuns runs: the two ends share a group.
func excursions(ev []event) {
	group := 0
	for q := 1; q < len(ev); q++ {
		a, b := &ev[q-1], &ev[q]
		if a.group != nil || a.kind != Step || b.kind != Step ||
			b.index-a.index > excursionRuns || (a.effect > 0) == (b.effect > 0) {
			continue
		}
		g := group
		group++
		a.kind, b.kind = Excursion, Excursion
		a.group, b.group = &g, &g
	}
}
