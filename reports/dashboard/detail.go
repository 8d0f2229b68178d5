package dashboard

import (
	"fmt"
	"strings"

	"jobgait/reports/change"
)

// reach says for which histories the evidence and the normal plot are drawn.
type reach int

const (
	noCurves      reach = iota
	changedCurves       // leading metrics that changed
	leadingCurves       // leading metrics
	allCurves
)

// all stands for no limit of a number.
const all = -1

// detail is how much the page shows of each history. A page that is too large
// is drawn again with less.
type detail struct {
	curves                reach
	tipsChanged, tipsPass int // newest runs with tooltips
	strips                int // tooltips in a picture
	histories             int // how many are drawn
	cards                 int // how many are seen at a glance
	pairs                 int // how many comparisons: each is as large as a history
}

// steps leave out first what is missed least.
var steps = [...]detail{
	{allCurves, all, all, 40, all, 24, 24},
	{leadingCurves, all, all, 40, all, 24, 24},
	{changedCurves, all, all, 36, all, 24, 24},
	{changedCurves, all, 100, 34, all, 24, 16},
	{changedCurves, all, 50, 30, all, 24, 16},
	{changedCurves, 200, 25, 30, all, 24, 12},
	{changedCurves, 100, 0, 25, all, 24, 12},
	{noCurves, 100, 0, 25, all, 24, 12},
	{noCurves, 50, 0, 20, all, 24, 12},
	{noCurves, 50, 0, 20, 80, 24, 8},
	{noCurves, 50, 0, 20, 70, 24, 12},
	{noCurves, 50, 0, 20, 60, 18, 8},
	{noCurves, 50, 0, 20, 50, 18, 8},
	{noCurves, 50, 0, 20, 40, 18, 8},
	{noCurves, 30, 0, 15, 20, 12, 4},
	{noCurves, 20, 0, 10, 8, 8, 2},
}

// mostShaded is how many shifts of the machine a picture shades, the newest: each takes
// 200 bytes of every picture, and a site of years has hundreds.
const mostShaded = 40

// says is what the page tells of what it left out; "" if that is nothing.
func (d detail) says(in Input) string {
	total, pairs := len(in.Report.Series), min(len(in.Pairs), in.Limits.Pairs)
	var parts []string
	if n := len(in.Report.Machine); n > mostShaded {
		parts = append(parts, fmt.Sprintf("of %d shifts of the machine the newest %d are shaded", n, mostShaded))
	}
	switch d.curves {
	case noCurves:
		parts = append(parts, "evidence and normal plots are left out")
	case changedCurves:
		parts = append(parts, "evidence and normal plots are those of histories that changed")
	case leadingCurves:
		parts = append(parts, "evidence and normal plots are left out for further metrics")
	}
	switch {
	case d.tipsPass == 0:
		parts = append(parts, fmt.Sprintf("tooltips are those of the newest %d runs of histories that changed", d.tipsChanged))
	case d.tipsChanged >= 0:
		parts = append(parts, fmt.Sprintf("tooltips are those of the newest %d runs, %d where nothing changed", d.tipsChanged, d.tipsPass))
	case d.tipsPass > 0:
		parts = append(parts, fmt.Sprintf("where nothing changed, tooltips are those of the newest %d runs", d.tipsPass))
	}
	if d.histories >= 0 && d.histories < total {
		parts = append(parts, fmt.Sprintf("%d of %d histories are drawn, those that are slower now or changed first", d.histories, total))
	}
	if in.NoFurther {
		parts = append(parts, "further metrics are left out")
	}
	if d.pairs < pairs {
		parts = append(parts, fmt.Sprintf("%d of %d comparisons are shown", d.pairs, pairs))
	}
	if len(parts) == 0 {
		return ""
	}
	return "To keep the page small, " + strings.Join(parts, "; ") + "."
}

// view is how the timeline of a history is drawn.
func (d detail) view(s change.Judged, r change.Report, o change.Options) change.View {
	v := change.DefaultView(o)
	v.Machine, v.Strips, v.Tips = r.Machine[max(0, len(r.Machine)-mostShaded):], d.strips, d.tipsPass
	if s.Status != change.Pass {
		v.Tips = d.tipsChanged
	}
	return v
}

// draws says whether the curves of a history are drawn.
func (d detail) draws(s change.Judged) bool {
	switch d.curves {
	case allCurves:
		return true
	case leadingCurves:
		return !s.Support
	case changedCurves:
		return !s.Support && s.Status == change.Changed
	}
	return false
}
