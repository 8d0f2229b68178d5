package dashboard

import (
	"jobgait/reports/change"
)

// curveScope says for which histories the evidence and the normal plot are drawn.
type curveScope int

const (
	noCurves      curveScope = iota
	changedCurves            // leading metrics that changed
	allCurves
)

// noLimit stands for an unlimited number.
const noLimit = -1

// detail says how much the page shows of each history. A page that is too large is drawn again with less
// detail.
type detail struct {
	curves    curveScope
	tips      int // number of newest runs with tooltips
	histories int // largest number drawn
	pairs     int // largest number of comparisons: each is as large as a history
}

// steps are the levels of detail, from most to least; the least important parts are left out first.
var steps = [...]detail{
	{allCurves, noLimit, noLimit, 24},
	{changedCurves, noLimit, noLimit, 24},
	{changedCurves, 100, noLimit, 16},
	{changedCurves, 25, noLimit, 12},
	{noCurves, 25, noLimit, 12},
	{noCurves, 0, noLimit, 12},
	{noCurves, 25, 80, 8},
	{noCurves, 25, 60, 8},
	{noCurves, 25, 40, 8},
	{noCurves, 25, 20, 4},
	{noCurves, 25, 8, 2},
}

const (
	// maxTooltips is the largest number of tooltips of a picture; one may name several runs.
	maxTooltips = 30
	// maxCards is the largest number of histories in the overview.
	maxCards = 24
)

// maxShadedShifts is the largest number of shifts of the machine that a picture shades, the newest: each takes
// 200 bytes in every picture, and a site has hundreds after some years.
const maxShadedShifts = 40

// view returns how the timeline of a history is drawn.
func (d detail) view(r change.Report, o change.Options) change.View {
	v := change.DefaultView(o)
	v.Machine, v.Strips, v.Tips = r.Machine[max(0, len(r.Machine)-maxShadedShifts):], maxTooltips, d.tips
	return v
}

// drawsCurves reports whether the curves of a history are drawn.
func (d detail) drawsCurves(s change.JudgedHistory) bool {
	return d.curves == allCurves || d.curves == changedCurves && !s.Support && s.Status == change.Changed
}
