package machine

import (
	"math"

	"jobgait/analysis/internal/parallel"
)

// RevisedRuns is how many of the newest runs of a series are estimated again
// when the next one has arrived: runs of others that began after a run tell of
// it too, as far as they are near.
const RevisedRuns = 3

// lookBack estimates each run once more with what was known when RevisedRuns
// others of its series had followed. How far to believe the others is learnt
// apart for such estimates: they are surer than those from earlier runs only.
func (f *fleet) lookBack() {
	parallel.Each(len(f.members), func(i int) {
		m, look := f.members[i], f.panel()
		defer f.spare.Put(look)
		for k := RevisedRuns; k < len(m.X); k++ {
			m.oldest[k-RevisedRuns] = f.near(m.place[k-RevisedRuns], m.place[k]+1, m.now[k], look)
		}
	})
	var revised shrinkage
	for _, r := range f.runs {
		m := f.members[r.member]
		m.part[r.run] = revised.part()
		if k := r.run - RevisedRuns; k >= 0 {
			if old := &f.runs[m.place[k]]; !math.IsNaN(old.off) {
				revised.learn(m.oldest[k], old.off, old.noise)
			}
		}
	}
}

// panel is one to work in beside others; it goes back to f.spare.
func (f *fleet) panel() *panel {
	if look, ok := f.spare.Get().(*panel); ok {
		return look
	}
	fresh := newPanel(len(f.members))
	return &fresh
}

// Watch returns what to call when a run of the series has arrived: it corrects
// the newest values of x by what is known of the machine then. It is nil where
// the machine is not known.
func (m *Member) Watch(raw, x []float64) func(newest int) {
	if m == nil || m.fleet == nil {
		return nil
	}
	return func(newest int) {
		first := max(0, newest-RevisedRuns)
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
func (m *Member) revise(first, newest int) []float64 {
	look := m.fleet.panel()
	defer m.fleet.spare.Put(look)
	list := make([]float64, 0, newest-first+1)
	for k := first; k < newest; k++ {
		e := m.oldest[k]
		if k > newest-RevisedRuns {
			e = m.fleet.near(m.place[k], len(m.fleet.runs), m.now[newest], look)
		}
		list = append(list, m.share[newest]*e.believed(m.part[newest]))
	}
	return append(list, m.shift[newest])
}
