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

// Application identifies an application by cluster, user and name.
type Application struct{ Cluster, User, App string }

// applications returns the applications of the histories in order of appearance, and the indexes of the
// histories of each.
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

// ScalingOptions selects the metric and the parameter of scaling series.
type ScalingOptions struct {
	// Metric is the name of the metric, "" for the leading one.
	Metric string
	// Parameter is what varies: nodes, tasks or size; "" for the one with most
	// sizes.
	Parameter string
	// Mode is the mode that the user declares: strong or weak scaling.
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

// metric returns the metric with the given name; for "", the leading metric of all runs of the members.
func (h Histories) metric(members []int, name string) (Metric, error) {
	if name == "" {
		var all []history.Run
		for _, i := range members {
			all = append(all, h.Stored[i].Runs...)
		}
		return leadingMetric(all), nil
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

// parameterValue returns the value of a parameter of a shape, NaN if unknown, and rest, a text of everything
// else about the shape: runs with equal rest differ in this parameter only.
func parameterValue(shape, parameter string) (p float64, rest string) {
	l, _ := history.LayoutOf(shape)
	cpus := countText(l.CPUs) + "c"
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
		return positiveOrNaN(l.Nodes), of(cpus)
	case tasks:
		return positiveOrNaN(l.Tasks), of(countText(l.Nodes) + "n " + cpus)
	}
	p, err := strconv.ParseFloat(l.Size, 64)
	if err != nil || !(p > 0) || math.IsInf(p, 0) {
		p = math.NaN()
	}
	return p, countText(l.Nodes) + "n " + countText(l.Tasks) + "t " + cpus
}

// positiveOrNaN returns n, or NaN if n is not positive, which means unknown.
func positiveOrNaN(n int) float64 {
	if n <= 0 {
		return math.NaN()
	}
	return float64(n)
}

// countText returns n as text, or history.Unknown if n is not positive, as in shapes.
func countText(n int) string {
	if n <= 0 {
		return history.Unknown
	}
	return strconv.Itoa(n)
}

// series makes the scaling series of one application with metric m; false if no parameter varies.
func (h Histories) series(a Application, members []int, m Metric, found changepoint.Analysis,
	o ScalingOptions) (scaling.Series, bool) {
	parameter := h.parameter(members, o.Parameter)
	if parameter == "" {
		return scaling.Series{}, false
	}
	var runs []scaling.HistoryRun
	for _, i := range members {
		p, rest := parameterValue(h.Stored[i].Shape, parameter)
		if math.IsNaN(p) {
			continue
		}
		var changes []changepoint.Change
		if i < len(found.Series) {
			changes = found.Series[i].Changes
		}
		for k, r := range h.Stored[i].Runs {
			runs = append(runs, scalingRun(r, p, rest, m, regimeIndex(changes, k)))
		}
	}
	header := scaling.Series{ID: a.User + " " + a.App, Parameter: parameter, Metric: m.Name, Mode: o.Mode}
	return scaling.Comparable(header, runs, m.Name == "elapsed_s" || m.Name == "cpu_s" || m.Name == "energy_j"), true
}

// regimeIndex returns the number of changes at or before a run: the index of its regime of constant speed.
func regimeIndex(changes []changepoint.Change, run int) int {
	n := 0
	for _, c := range changes {
		if c.Index <= run {
			n++
		}
	}
	return n
}

// scalingRun converts a stored run to a run of a scaling series, at parameter value p.
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

// parameter returns the parameter that varies: the requested one, or else the one with the most values while
// everything else is equal, of equal ones the first of nodes, tasks and size; "" if none has two values.
func (h Histories) parameter(members []int, asked string) string {
	best, maxValues := "", 1
	for _, name := range []string{nodes, tasks, size} {
		if asked != "" && name != asked {
			continue
		}
		sizes := map[string]map[float64]bool{}
		for _, i := range members {
			p, rest := parameterValue(h.Stored[i].Shape, name)
			if math.IsNaN(p) {
				continue
			}
			if sizes[rest] == nil {
				sizes[rest] = map[float64]bool{}
			}
			sizes[rest][p] = true
		}
		for s := range maps.Values(sizes) {
			if len(s) > maxValues {
				best, maxValues = name, len(s)
			}
		}
	}
	return best
}

// Segments converts the segments of a fitted scaling series to rows for the database; nil if a segment is out
// of range.
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
