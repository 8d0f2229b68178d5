package summary

import (
	"math"
	"slices"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// utilization is what a driver buffers of a GPU: its windows in the order of time, and how
// long each is, in seconds.
type utilization struct {
	list   []anatomy.Window
	length []float64
}

// leastWindows is of how many windows their length is known.
const leastWindows = 5

// utilizationOf finds out how long windows are: as long as two that follow each other are
// usually apart. A window after a gap has the usual length; what is in the gap is not known.
func utilizationOf(list []anatomy.Window) utilization {
	if len(list) < leastWindows {
		return utilization{}
	}
	var steps []float64
	for i := range list[1:] {
		steps = append(steps, list[i+1].EndS-list[i].EndS)
	}
	sorted := slices.Sorted(slices.Values(steps))
	usual := sorted[len(sorted)/2]
	u := utilization{list: list, length: []float64{usual}}
	for _, s := range steps {
		if s > 1.5*usual {
			s = usual
		}
		u.length = append(u.length, s)
	}
	return u
}

// fromWindows sets what windows say more exactly than readings.
func (g *GPU) fromWindows(u utilization) {
	active, read := 0.0, 0.0
	for i, w := range u.list {
		active, read = active+w.Mean*u.length[i], read+u.length[i]
	}
	g.ActiveS, g.ReadS = &active, read
	g.IdleStretch, g.Lane = u.longestIdle(), u.lane()
	if g.EnergyJ != nil {
		watts := *g.EnergyJ / read
		g.PowerW = &watts
	}
}

// idleMean is up to which mean a window is idle: drivers round to 1 %.
const idleMean = 0.01

// longestIdle is the longest stretch of windows that follow each other in which no kernel
// ran; nil where one ran in every window.
func (u utilization) longestIdle() *run.Interval {
	var longest run.Interval
	begin := math.NaN()
	for i, w := range u.list {
		start := w.EndS - u.length[i]
		switch {
		case w.Mean > idleMean:
			begin = math.NaN()
			continue
		case math.IsNaN(begin) || i > 0 && start > u.list[i-1].EndS+u.length[i]/2:
			begin = start
		}
		if w.EndS-begin > longest.EndS-longest.StartS {
			longest = run.Interval{StartS: begin, EndS: w.EndS}
		}
	}
	if longest.EndS == longest.StartS {
		return nil
	}
	return &longest
}

// lane is in which part of each of equal stretches some kernel ran.
func (u utilization) lane() *GPULane {
	first, last := u.list[0].EndS-u.length[0], u.list[len(u.list)-1].EndS
	step := max((last-first)/laneBins, 1)
	n := min(laneBins, int(math.Ceil((last-first)/step)))
	active, seen := make([]float64, n), make([]float64, n)
	for i, w := range u.list {
		at := min(n-1, max(0, int((w.EndS-u.length[i]/2-first)/step)))
		active[at], seen[at] = active[at]+w.Mean*u.length[i], seen[at]+u.length[i]
	}
	lane := &GPULane{StartS: first, StepS: step}
	for i, s := range seen {
		v := series.Missing()
		if s > 0 {
			v = float32(math.Round(active[i]/s*1e3) / 1e3)
		}
		lane.Busy = append(lane.Busy, v)
	}
	return lane
}
