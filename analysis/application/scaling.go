package application

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"time"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/analysis/scaling"
)

// Application names the program that runs are of.
type Application struct{ Cluster, User, App string }

// applications are those of the histories, in their order, and which are each one's.
func (h Histories) applications() (order []Application, members map[Application][]int) {
	members = map[Application][]int{}
	for i, s := range h.Stored {
		a := Application{s.Cluster, s.User, s.App}
		if members[a] == nil {
			order = append(order, a)
		}
		members[a] = append(members[a], i)
	}
	return order, members
}

// ScalingOptions say what to make scaling series of.
type ScalingOptions struct {
	// Metric is the name of the metric, "" for the leading one.
	Metric string
	// Parameter is what varies: nodes, tasks or size; "" for the one with most
	// sizes.
	Parameter string
	// Mode is what the user declares.
	Mode scaling.Mode
}

// Scaling makes one series of each application whose runs have two sizes at
// least, in the order of the histories. found is what the change detector said
// of them: runs before the last change of speed of their size are not mixed
// with those after it.
func (h Histories) Scaling(found changepoint.Analysis, o ScalingOptions) ([]scaling.Series, error) {
	switch o.Parameter {
	case "", nodes, tasks, size:
	default:
		return nil, fmt.Errorf("unknown parameter %q: want nodes, tasks or size", o.Parameter)
	}
	order, groups := h.applications()
	var out []scaling.Series
	for _, a := range order {
		m, err := h.metric(groups[a], o.Metric)
		if err != nil {
			return nil, err
		}
		if s, ok := h.series(a, groups[a], m, found, o); ok {
			out = append(out, s)
		}
	}
	return out, nil
}

// metric is the one asked for, else that which leads all shapes together.
func (h Histories) metric(members []int, name string) (Metric, error) {
	if name == "" {
		var all []history.Run
		for _, i := range members {
			all = append(all, h.Stored[i].Runs...)
		}
		return lead(all), nil
	}
	m, ok := MetricOf(name)
	if !ok {
		return m, fmt.Errorf("unknown metric %q: want one of %s", name, MetricNames())
	}
	return m, nil
}

// What may vary in a scaling series.
const (
	nodes = "nodes"
	tasks = "tasks"
	size  = "size"
)

// along is a shape as a value of one parameter, and all else about it; NaN is not known.
func along(shape, parameter string) (p float64, rest string) {
	l, _ := history.LayoutOf(shape)
	cpus := count(l.CPUs) + "c"
	of := func(text string) string {
		if l.Size != "" {
			text += " size=" + l.Size
		}
		return text
	}
	switch parameter {
	case nodes:
		if l.Nodes > 0 && l.Tasks > 0 {
			cpus = strconv.FormatFloat(float64(l.Tasks)/float64(l.Nodes), 'g', 4, 64) + " tasks a node " + cpus
		}
		return number(l.Nodes), of(cpus)
	case tasks:
		return number(l.Tasks), of(count(l.Nodes) + "n " + cpus)
	}
	p, err := strconv.ParseFloat(l.Size, 64)
	if err != nil || !(p > 0) || math.IsInf(p, 0) {
		p = math.NaN()
	}
	return p, count(l.Nodes) + "n " + count(l.Tasks) + "t " + cpus
}

// number is a count that is known, else NaN.
func number(n int) float64 {
	if n <= 0 {
		return math.NaN()
	}
	return float64(n)
}

// count is written as shapes write it.
func count(n int) string {
	if n <= 0 {
		return history.Unknown
	}
	return strconv.Itoa(n)
}

// series is that of one application; false if nothing varies.
func (h Histories) series(a Application, members []int, m Metric, found changepoint.Analysis,
	o ScalingOptions) (scaling.Series, bool) {
	parameter := h.parameter(members, o.Parameter)
	if parameter == "" {
		return scaling.Series{}, false
	}
	var runs []scaling.HistoryRun
	for _, i := range members {
		p, rest := along(h.Stored[i].Shape, parameter)
		if math.IsNaN(p) {
			continue
		}
		var changes []changepoint.Change
		if i < len(found.Series) {
			changes = found.Series[i].Changes
		}
		for k, r := range h.Stored[i].Runs {
			runs = append(runs, scalingRun(r, p, rest, m, regime(changes, k)))
		}
	}
	header := scaling.Series{ID: a.User + " " + a.App, Parameter: parameter, Metric: m.Name, Mode: o.Mode}
	return scaling.Comparable(header, runs, m.Name == "elapsed_s" || m.Name == "cpu_s" || m.Name == "energy_j"), true
}

// regime counts the changes up to a run.
func regime(changes []changepoint.Change, run int) int {
	n := 0
	for _, c := range changes {
		if c.Index <= run {
			n++
		}
	}
	return n
}

func scalingRun(r history.Run, p float64, rest string, m Metric, regime int) scaling.HistoryRun {
	out := scaling.HistoryRun{P: p, Value: m.value(r), When: r.Start, Else: rest, Regime: regime,
		Group: time.Unix(int64(r.Start), 0).UTC().Format(time.DateOnly)}
	if r.Iterations != nil {
		out.Iterations = float64(*r.Iterations)
	}
	if r.NNodes != nil {
		out.NodeHours = float64(*r.NNodes) * r.ElapsedS / 3600
	}
	return out
}

// parameter is the one asked for, else that with most values while all else is
// equal; "" where no parameter has two.
func (h Histories) parameter(members []int, asked string) string {
	best, most := "", 1
	for _, name := range []string{nodes, tasks, size} {
		if asked != "" && name != asked {
			continue
		}
		sizes := map[string]map[float64]bool{}
		for _, i := range members {
			p, rest := along(h.Stored[i].Shape, name)
			if math.IsNaN(p) {
				continue
			}
			if sizes[rest] == nil {
				sizes[rest] = map[float64]bool{}
			}
			sizes[rest][p] = true
		}
		for s := range maps.Values(sizes) {
			if len(s) > most {
				best, most = name, len(s)
			}
		}
	}
	return best
}

// Segments returns what was found of a scaling series as rows of the history.
func Segments(s scaling.Series, r scaling.Result) []history.Segment {
	p := scaling.Sizes(s.Observations)
	var out []history.Segment
	for i, g := range r.Segments {
		if g.First < 0 || g.Last >= len(p) || g.First > g.Last {
			return nil
		}
		x := history.Segment{Parameter: s.Parameter, Fixed: s.Fixed, Metric: s.Metric, Position: i,
			FirstP: p[g.First], LastP: p[g.Last], Points: g.Last - g.First + 1}
		if g.Model != nil {
			x.Formula, x.SMAPE = g.Model.Formula, &g.Model.SMAPE
		}
		if i+1 < len(r.Segments) && r.Segments[i+1].First < len(p) {
			x.ChangeAfterP, x.ChangeBefore = &p[g.Last], &p[r.Segments[i+1].First]
		}
		out = append(out, x)
	}
	return out
}
