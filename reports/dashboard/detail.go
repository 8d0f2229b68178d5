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
	}
	switch {
	case d.tips == 0:
		parts = append(parts, "tooltips are left out")
	case d.tips > 0:
		parts = append(parts, fmt.Sprintf("tooltips are those of the newest %d runs", d.tips))
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
func (d detail) view(r change.Report, o change.Options) change.View {
	v := change.DefaultView(o)
	v.Machine, v.Strips, v.Tips = r.Machine[max(0, len(r.Machine)-mostShaded):], mostStrips, d.tips
	return v
}

// draws says whether the curves of a history are drawn.
func (d detail) draws(s change.Judged) bool {
	return d.curves == allCurves || d.curves == changedCurves && !s.Support && s.Status == change.Changed
}
