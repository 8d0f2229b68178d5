package dashboard

import (
	"jobgait/reports/change"
)

// reach says for which histories the evidence and the normal plot are drawn.
type reach int

const (
	noCurves      reach = iota
	changedCurves       // leading metrics that changed
	allCurves
)

// all stands for no limit of a number.
const all = -1

// detail is how much the page shows of each history. A page that is too large
// is drawn again with less.
type detail struct {
	curves    reach
	tips      int // newest runs with tooltips
	histories int // how many are drawn
	pairs     int // how many comparisons: each is as large as a history
}

// steps leave out first what is missed least.
var steps = [...]detail{
	{allCurves, all, all, 24},
	{changedCurves, all, all, 24},
	{changedCurves, 100, all, 16},
	{changedCurves, 25, all, 12},
	{noCurves, 25, all, 12},
	{noCurves, 0, all, 12},
	{noCurves, 25, 80, 8},
	{noCurves, 25, 60, 8},
	{noCurves, 25, 40, 8},
	{noCurves, 25, 20, 4},
	{noCurves, 25, 8, 2},
}

const (
	// mostStrips is how many tooltips a picture has: one names several runs.
	mostStrips = 30
	// mostCards is how many histories are seen at a glance.
	mostCards = 24
)

// mostShaded is how many shifts of the machine a picture shades, the newest: each takes
// 200 bytes of every picture, and a site of years has hundreds.
const mostShaded = 40

// view is how the timeline of a history is drawn.
func (d detail) view(r change.Report, o change.Options) change.View {
	v := change.DefaultView(o)
	v.Machine, v.Strips, v.Tips = r.Machine[max(0, len(r.Machine)-mostShaded):], mostStrips, d.tips
	return v
}

// draws says whether the curves of a history are drawn.
func (d detail) draws(s change.Judged) bool {
	return d.curves == allCurves || d.curves == changedCurves && !s.Support && s.Status == change.Changed
}
