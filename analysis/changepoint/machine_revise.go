package changepoint

// revisedRuns is how many of the newest runs of a series are estimated again
// when the next one has arrived: runs of others that began after a run tell of
// it too, as far as they are near.
const revisedRuns = 3

// watch returns what to call when a run of the series has arrived: it corrects
// the newest values of x by what is known of the machine then. It is nil where
// the machine is not known.
func (m *member) watch(raw, x []float64) func(newest int) {
	if m == nil || m.fleet == nil {
		return nil
	}
	return func(newest int) {
		first := max(0, newest-revisedRuns)
		// A series is scanned several times; what is known is the same.
		if m.taken[newest] == nil {
			m.taken[newest] = m.revise(first, newest)
		}
		for i, v := range m.taken[newest] {
			x[first+i] = raw[first+i] - v
		}
	}
}

// revise is what is taken out of the runs first to newest when the newest has
// arrived.
func (m *member) revise(first, newest int) []float64 {
	look, ok := m.fleet.spare.Get().(*panel)
	if !ok {
		fresh := newPanel(m.fleet.p, len(m.fleet.members))
		look = &fresh
	}
	defer m.fleet.spare.Put(look)
	list := make([]float64, 0, newest-first+1)
	for k := first; k < newest; k++ {
		e := m.oldest[k]
		if k > newest-revisedRuns {
			e = m.fleet.near(m.place[k], m.now[newest], look)
		}
		list = append(list, m.share[newest]*e.believed(m.part[newest], m.fleet.p.sure))
	}
	return append(list, m.shift[newest])
}
