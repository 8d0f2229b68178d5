package changepoint

import "slices"

// trail is what a scan did: the windows that it looked at, in order, and what it
// committed. Another scan of the same runs with votes of other series follows it
// as long as both commit the same: where nothing was near to a change only what
// is voted for can be one. A site whose series are of few users is judged in .7
// of the time.
type trail struct {
	windows []window
	commits []commitment
}

// window is the runs [i,j), idle where no split reached the threshold and no
// episode was worth a fit.
type window struct {
	i, j int32
	idle bool
}

// commitment is what later windows see of a commit.
type commitment struct {
	index, before, resumed int
	effect                 float64
	past                   past
}

// note adds a window.
func (t *trail) note(i, j int, idle bool) {
	if t != nil {
		t.windows = append(t.windows, window{int32(i), int32(j), idle})
	}
}

// follower goes along the trail of an earlier scan.
type follower struct {
	trail            *trail
	windows, commits int
	lost             bool
}

// idle says whether the earlier scan was here and found nothing.
func (f *follower) idle(i, j int) bool {
	if f.trail == nil || f.lost {
		return false
	}
	if f.windows >= len(f.trail.windows) {
		f.lost = true
		return false
	}
	w := f.trail.windows[f.windows]
	f.windows++
	f.lost = int(w.i) != i || int(w.j) != j
	return w.idle && !f.lost
}

// committed compares what was committed last with the earlier scan, which is left
// where it differs.
func (sc *scanner) committed(ev []event) {
	e := ev[len(ev)-1]
	c := commitment{e.index, e.before, e.resumed, e.effect, sc.past[len(sc.past)-1]}
	if sc.trail != nil {
		sc.trail.commits = append(sc.trail.commits, c)
	}
	f := &sc.ahead
	if f.trail == nil || f.lost {
		return
	}
	f.lost = f.commits >= len(f.trail.commits) || f.trail.commits[f.commits] != c
	f.commits++
}

// examine scans the window [i,j); none says that an earlier scan found nothing there
// and nobody votes for it.
func (sc *scanner) examine(i, j int, cut bool, b belief) (best split, all []split, none bool) {
	idle := sc.ahead.idle(i, j)
	if idle && !slices.ContainsFunc(sc.prior[i:j], func(nats float64) bool { return nats != 0 }) {
		return best, nil, true
	}
	best, all = sc.scan(i, j, cut, b, idle)
	return best, all, false
}
