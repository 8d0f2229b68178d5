package job

import (
	"fmt"
	"html/template"
	"math"

	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
	"jobgait/reports/html"
	"jobgait/reports/plot"
	"jobgait/reports/text"
)

const (
	// shades is the number of levels that are distinguished. Few levels keep the page small, because adjacent
	// stretches of one level are merged.
	shades = 6
	// lanePx is the height of a lane where there are at most maxTallLanes, smallLanePx the height where there are
	// more, labelPx the height that a name needs; all in pixels.
	lanePx, smallLanePx, labelPx = 22, 9, 14
	maxTallLanes                 = 10
	// hoverLanes is the largest number of GPUs whose values the page's script shows under the pointer.
	hoverLanes = 4
)

// lane records how busy a GPU or node was over the run; busy is NaN where it was not seen.
type lane struct {
	name          string
	startS, stepS float64
	busy          series.Values
}

// cleanLane returns the values of a lane with those outside of 0 to limit replaced by missing; nil where there
// is nothing to draw.
func cleanLane(busy series.Values, stepS, limit float64) series.Values {
	if len(busy) == 0 || !(stepS > 0) {
		return nil
	}
	out := make(series.Values, len(busy))
	for i, v := range busy {
		if out[i] = v; !(v >= 0 && float64(v) <= limit) {
			out[i] = series.Missing()
		}
	}
	return out
}

// cleanGPULane returns a lane whose values are all 0 to 1 or missing; nil where there is nothing to draw.
func cleanGPULane(l *summary.GPULane) *summary.GPULane {
	if l == nil || cleanLane(l.Busy, l.StepS, 1) == nil {
		return nil
	}
	return &summary.GPULane{StartS: l.StartS, StepS: l.StepS, Busy: cleanLane(l.Busy, l.StepS, 1)}
}

// cleanNodeLanes returns the lanes of nodes that can be drawn, whose values are counts of CPUs.
func cleanNodeLanes(list []summary.NodeLane) (out []summary.NodeLane) {
	for _, l := range list {
		if l.Busy = cleanLane(l.Busy, l.StepS, math.MaxFloat32); l.Busy != nil {
			out = append(out, l)
		}
	}
	return out
}

// gpusWithLanes returns the GPUs that have a lane, at most listedGPUs.
func (r Report) gpusWithLanes() (out []summary.GPU) {
	for _, g := range r.GPUs {
		if g.Lane != nil && len(out) < listedGPUs {
			out = append(out, g)
		}
	}
	return out
}

// gpuLaneChart draws when some kernel ran on the GPUs; nil where no GPU was read.
func (r Report) gpuLaneChart() *html.Figure {
	var list []lane
	remark := "the darker, the more of the time some kernel ran; palest: none did; empty: not read"
	for _, g := range r.gpusWithLanes() {
		list = append(list, lane{fmt.Sprintf("GPU %d", g.Index), g.Lane.StartS, g.Lane.StepS, g.Lane.Busy})
	}
	if len(list) > 0 && r.Nodes.Total > 1 {
		remark += "; of " + text.Cut(r.gpusWithLanes()[0].Node, 40)
	}
	return r.laneChart("GPUs over the run", list, 1, html.Figure{Title: "GPUs", Remark: remark})
}

// nodeLaneChart draws how busy the nodes were over the run; nil where fewer than two nodes were seen.
func (r Report) nodeLaneChart() *html.Figure {
	var list []lane
	highest := 0.0
	for _, l := range r.Nodes.Lanes {
		list = append(list, lane{text.Cut(l.Node, 24), l.StartS, l.StepS, l.Busy})
		_, hi, _ := plot.Extent(floats(l.Busy))
		highest = max(highest, hi)
	}
	if len(list) < 2 {
		return nil
	}
	remark := fmt.Sprintf("the darker, the more CPUs busy, up to %s; empty: not seen", quantity.Figures(highest, 3))
	if of := r.Nodes.Lanes[0].Of; of > 1 {
		remark += fmt.Sprintf("; a lane is that of %d nodes which differs most from all", of)
	}
	return r.laneChart("nodes over the run", list, highest,
		html.Figure{Title: "Busy CPUs of each node over the run", Remark: remark})
}

// laneChart draws lanes on the time axis of the timeline, darkest at the value highest, and returns words, which has
// the title and the remark, with the chart; nil if there is nothing to draw. name names the chart.
func (r Report) laneChart(name string, list []lane, highest float64, words html.Figure) *html.Figure {
	end := r.Rhythm.Timeline.end(r.Job.ElapsedS)
	if len(list) == 0 || end <= 0 || highest <= 0 {
		return nil
	}
	px := lanePx
	if len(list) > maxTallLanes {
		px = smallLanePx
	}
	var ticks []plot.Tick
	for i := 0; i < len(list); i += (labelPx + px - 1) / px {
		ticks = append(ticks, plot.Tick{Value: float64(len(list) - 1 - i), Label: list[i].name})
	}
	chart := plot.New(plot.Frame{Name: name, Class: "heat", Lanes: true, Height: px * len(list),
		X: plot.Scale{Lo: 0, Hi: end},
		Y: plot.Scale{Lo: 0, Hi: float64(len(list))}, XTicks: plot.TimeTicks(0, end, 7), YTicks: ticks})
	for level := 1; level <= shades; level++ {
		for i, l := range list {
			l.shade(chart, float64(len(list)-1-i), end, highest, level)
		}
	}
	words.SVG = template.HTML(chart.SVG())
	return &words
}

// shade draws the stretches of a lane that have the given level of shading, all at full height. floor is the lower edge
// of the lane on the y axis, end the end of the time axis in s, highest the value of the darkest level.
func (l lane) shade(chart *plot.Chart, floor, end, highest float64, level int) {
	at := func(k int) float64 { return math.Min(end, math.Max(0, l.startS+float64(k)*l.stepS)) }
	edges, low, top := []float64{at(0)}, []float64(nil), []float64(nil)
	for k, v := range l.busy {
		edges, low = append(edges, at(k+1)), append(low, floor+0.06)
		up := math.NaN()
		if shadeLevel(float64(v), highest) == level {
			up = floor + 1
		}
		top = append(top, up)
	}
	chart.Bins(fmt.Sprintf("shade s%d", level), edges, low, top)
}

// shadeLevel returns the level of a value on a scale up to highest, 1 to shades; 0 where it is missing.
func shadeLevel(busy, highest float64) int {
	if math.IsNaN(busy) {
		return 0
	}
	return int(min(shades, 1+busy/highest*shades))
}
