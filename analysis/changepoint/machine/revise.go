package machine

import (
	"math"

	"jobgait/analysis/internal/parallel"
)

// RevisedRuns is the number of newest runs of a series whose shifts are estimated again when the next one has
// arrived: runs of others that began soon after a run also show its shift.
const RevisedRuns = 3

// reviseEstimates estimates the shift at each run again with the runs known when RevisedRuns more of its series
// had arrived. The weight of such estimates is learnt separately, because they are more certain than those from
// earlier runs only.
func (f *machineRuns) reviseEstimates() {
	parallel.Each(len(f.members), func(i int) {
		m, look := f.members[i], f.panel()
		defer f.spare.Put(look)
		for k := RevisedRuns; k < len(m.X); k++ {
			old := k - RevisedRuns
			m.oldest[old], m.lastUsed[old] = f.estimateBefore(m.place[old], m.place[k]+1, m.now[k], look)
		}
	})
	var revised shrinkage
	for _, r := range f.runs {
		m := f.members[r.member]
		m.part[r.run] = revised.weight()
		if k := r.run - RevisedRuns; k >= 0 {
			if old := &f.runs[m.place[k]]; !math.IsNaN(old.off) {
				revised.learn(m.oldest[k], old.off, old.noise)
			}
		}
	}
}

// panel returns a buffer for concurrent work; the caller returns it to f.spare.
func (f *machineRuns) panel() *panel {
	if look, ok := f.spare.Get().(*panel); ok {
		return look
	}
	fresh := newPanel(len(f.members))
	return &fresh
}

// Watch returns a function to be called when a run of the series has arrived: it sets the newest values of x to
// raw less the shifts known then. It returns nil if there are no shifts to revise.
func (m *Member) Watch(raw, x []float64) func(newest int) {
	if m == nil || m.machine == nil {
		return nil
	}
	return func(newest int) {
		first := max(0, newest-RevisedRuns)
		// A series is scanned several times; what is known is the same.
		if m.taken[newest] == nil {
			m.taken[newest] = m.revisedShifts(first, newest)
		}
		for i, v := range m.taken[newest] {
			x[first+i] = raw[first+i] - v
		}
	}
}

// revisedShifts returns the shifts subtracted from the runs first to newest when run newest has arrived.
func (m *Member) revisedShifts(first, newest int) []float64 {
	look := m.machine.panel()
	defer m.machine.spare.Put(look)
	list := make([]float64, 0, newest-first+1)
	for k := first; k < newest; k++ {
		e := m.oldest[k]
		if k > newest-RevisedRuns && m.now[newest] < m.lastUsed[k] {
			e, _ = m.machine.estimateBefore(m.place[k], len(m.machine.runs), m.now[newest], look)
		}
		list = append(list, m.share[newest]*e.applied(m.part[newest]))
	}
	return append(list, m.shift[newest])
}
