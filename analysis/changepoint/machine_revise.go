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
		now := m.now[newest]
		for k := max(0, newest-revisedRuns); k <= newest; k++ {
			e := m.fleet.near(m.place[k], now).shown(m.fleet.runs[m.place[k]])
			part := m.part[newest]
			if k == newest {
				part = m.fresh[newest]
			}
			x[k] = raw[k] - e.believed(part, m.fleet.p.sure)
		}
	}
}
