package reports

import (
	"fmt"
	"html/template"
	"math"

	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
	"jobgait/reports/plot"
)

const (
	// shades is how many levels of busy CPUs are told apart: a stretch as busy as the one
	// before it costs no word of the page.
	shades = 6
	// nodeLanePx is the height of a lane of few nodes, leastLanePx that of one of many,
	// and labelPx what a name needs.
	nodeLanePx, leastLanePx, labelPx = 22, 9, 14
	fewLanes                         = 10
)

// cleanNodeLanes are lanes with counts of CPUs, as many as can be drawn.
func cleanNodeLanes(list []summary.NodeLane) (out []summary.NodeLane) {
	for _, l := range list {
		if len(l.Busy) == 0 || !(l.StepS > 0) {
			continue
		}
		busy := make(series.Values, len(l.Busy))
		for i, v := range l.Busy {
			if busy[i] = v; !(v >= 0) || math.IsInf(float64(v), 0) {
				busy[i] = series.Missing()
			}
		}
		l.Busy = busy
		out = append(out, l)
	}
	return out
}

// nodeLaneChart draws how busy the nodes were over the run, a lane for each on the time
// axis of the timeline; nil where fewer than two were seen.
func (r Report) nodeLaneChart() *Chart {
	list, end := r.Nodes.Lanes, r.Rhythm.Timeline.end(r.Job.ElapsedS)
	most := 0.0
	for _, l := range list {
		for _, v := range l.Busy {
			if v := float64(v); v > most { // NaN is not
				most = v
			}
		}
	}
	if len(list) < 2 || end <= 0 || most <= 0 {
		return nil
	}
	px := nodeLanePx
	if len(list) > fewLanes {
		px = leastLanePx
	}
	var ticks []plot.Tick
	for i := 0; i < len(list); i += (labelPx + px - 1) / px {
		ticks = append(ticks, plot.Tick{Value: float64(len(list) - 1 - i), Label: Cut(list[i].Node, 24)})
	}
	chart := plot.New(plot.Frame{Name: "nodes over the run", Class: "heat", Height: px * len(list), X: plot.Scale{Lo: 0, Hi: end},
		Y: plot.Scale{Lo: 0, Hi: float64(len(list))}, XTicks: plot.TimeTicks(0, end, 7), YTicks: ticks})
	for level := 1; level <= shades; level++ {
		for i, l := range list {
			nodeShade(chart, l, float64(len(list)-1-i), end, most, level)
		}
	}
	remark := fmt.Sprintf("the darker, the more CPUs busy, up to %s; empty: not seen", quantity.Figures(most, 3))
	if of := list[0].Of; of > 1 {
		remark += fmt.Sprintf("; a lane is that of %d nodes which differs most from all", of)
	}
	return &Chart{"Busy CPUs of each node over the run", remark, template.HTML(chart.SVG())}
}

// nodeShade draws the stretches of a lane that have one level of busy CPUs.
func nodeShade(chart *plot.Chart, l summary.NodeLane, floor, end, most float64, level int) {
	at := func(k int) float64 { return math.Min(end, math.Max(0, l.StartS+float64(k)*l.StepS)) }
	edges, low, top := []float64{at(0)}, []float64(nil), []float64(nil)
	for k, v := range l.Busy {
		edges, low = append(edges, at(k+1)), append(low, floor+0.06)
		up := math.NaN()
		if shadeOf(float64(v), most) == level {
			up = floor + 1
		}
		top = append(top, up)
	}
	chart.Bins(fmt.Sprintf("shade s%d", level), edges, low, top)
}

// shadeOf is the level of so many busy CPUs from 1 on, 0 of what was not seen.
func shadeOf(busy, most float64) int {
	if math.IsNaN(busy) {
		return 0
	}
	return int(min(shades, 1+busy/most*shades))
}
