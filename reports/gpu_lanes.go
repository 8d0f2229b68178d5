package reports

import (
	"fmt"
	"html/template"
	"math"

	"jobgait/analysis/series"
	"jobgait/analysis/summary"
	"jobgait/reports/plot"
)

const (
	// laneHeight is that of one GPU's lane in pixels, laneFull how much of it is drawn on.
	laneHeight = 26
	laneFull   = 0.8
	// readLanes is of how many GPUs the page's script reads off values.
	readLanes = 4
)

// cleanLane is a lane with parts only, nil where there is nothing to draw.
func cleanLane(l *summary.GPULane) *summary.GPULane {
	if l == nil || len(l.Busy) == 0 || !(l.StepS > 0) {
		return nil
	}
	out := summary.GPULane{StartS: l.StartS, StepS: l.StepS}
	for _, v := range l.Busy {
		if !(v >= 0 && v <= 1) {
			v = series.Missing()
		}
		out.Busy = append(out.Busy, v)
	}
	return &out
}

// laned are the GPUs that have a lane, as many as have a line.
func (r Report) laned() (out []summary.GPU) {
	for _, g := range r.GPUs {
		if g.Lane != nil && len(out) < listedGPUs {
			out = append(out, g)
		}
	}
	return out
}

// laneChart draws when some kernel ran on the GPUs, a lane for each on the time axis of
// the timeline, over the same phases. Where a GPU was read there is a rail, so that one
// that was idle differs from one that nobody read.
func (r Report) laneChart() (Chart, bool) {
	list, end := r.laned(), r.Rhythm.Timeline.end(r.Job.ElapsedS)
	if len(list) == 0 || end <= 0 {
		return Chart{}, false
	}
	var ticks []plot.Tick
	for i, g := range list {
		ticks = append(ticks, plot.Tick{Value: float64(len(list) - 1 - i), Label: fmt.Sprintf("GPU %d", g.Index)})
	}
	chart := plot.New(plot.Frame{Name: "GPUs over the run", Height: laneHeight * len(list), X: plot.Scale{Lo: 0, Hi: end},
		Y: plot.Scale{Lo: 0, Hi: float64(len(list))}, XTicks: plot.TimeTicks(0, end, 7), YTicks: ticks})
	r.spans(chart, false)
	for i, g := range list {
		r.lane(chart, g.Lane, ticks[i].Value, end)
	}
	remark := "how much of the time some kernel ran; empty: none did; no rail: not read"
	if r.Nodes.Total > 1 {
		remark += "; of " + Cut(list[0].Node, 40)
	}
	return Chart{"GPUs", remark, template.HTML(chart.SVG())}, true
}

// lane draws one from a height on.
func (r Report) lane(chart *plot.Chart, l *summary.GPULane, floor, end float64) {
	at := func(k int) float64 { return math.Min(end, math.Max(0, l.StartS+float64(k)*l.StepS)) }
	// A rail is a bin for each stretch in which it was read, and for each between.
	edges, rail := []float64{at(0)}, []float64(nil)
	all, low, top := []float64{at(0)}, make([]float64, len(l.Busy)), make([]float64, len(l.Busy))
	for k, v := range l.Busy {
		low[k], top[k] = floor, floor+laneFull*float64(v) // NaN where it was not read
		all = append(all, at(k+1))
		read := floor + laneFull
		if math.IsNaN(top[k]) {
			read = math.NaN()
		}
		if n := len(rail); n > 0 && math.IsNaN(rail[n-1]) == math.IsNaN(read) {
			edges[n] = at(k + 1)
			continue
		}
		edges, rail = append(edges, at(k+1)), append(rail, read)
	}
	chart.Bins("band rail", edges, low[:len(rail)], rail)
	chart.Bins("band lane", all, low, top)
}
