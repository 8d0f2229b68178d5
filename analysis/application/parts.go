package application

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/functions"
	"jobgait/analysis/history"
	"jobgait/analysis/scaling"
)

// By is what of a run's code series are made of.
type By string

const (
	ByFunction By = "function"
	ByClass    By = "class"
)

// What of an application's code is worth a scaling series: below a share of 1 % models
// of a LAMMPS melt were 15 to 35 % off, from 2 % on 3 to 10 %; fewer than five sizes
// give no law.
const (
	leastSizes   = 5
	leastOfCode  = 0.02
	leastPresent = 0.8 // of the runs of a size, for its value to be one
)

// StepCPU is the metric of series of code.
const StepCPU = "step_cpu_s"

// part is a class or function of an application.
type part struct{ library, name string }

func (p part) is(by By) bool { return (p.library == "") == (by == ByClass) }

// String is how a series of it is called.
func (p part) String() string {
	library, _, _ := strings.Cut(p.library, ".so")
	switch {
	case p.library == "":
		return p.name
	case p.name == "":
		return "code of " + library
	}
	return p.name + " " + library
}

// ScalingBy makes a scaling series of each class, or function, of the applications
// whose runs have five sizes at least, of its CPU time in a step on one node. They are
// in the order of the applications, and of their largest shares.
func (h Histories) ScalingBy(by By, found changepoint.Analysis, o ScalingOptions) []scaling.Series {
	order, groups := h.applications()
	var out []scaling.Series
	for _, a := range order {
		parameter := h.parameter(groups[a], o.Parameter)
		if parameter == "" {
			continue
		}
		for _, p := range h.worthOf(groups[a], by) {
			header := scaling.Series{ID: p.String(), Parameter: parameter, Metric: StepCPU, Mode: o.Mode}
			if len(order) > 1 {
				header.ID = a.User + " " + a.App + " " + header.ID
			}
			s := scaling.Comparable(header, h.runsOf(groups[a], p, parameter, found), false)
			if len(scaling.Sizes(s.Observations)) >= leastSizes {
				out = append(out, s)
			}
		}
	}
	return out
}

// worthOf are the parts that have enough of the CPU time in one run at least, largest
// first.
func (h Histories) worthOf(members []int, by By) []part {
	largest := map[part]float64{}
	for _, i := range members {
		for _, run := range h.Stored[i].Code {
			for _, c := range run {
				if p := (part{c.Library, c.Name}); p.is(by) {
					largest[p] = max(largest[p], c.Share)
				}
			}
		}
	}
	var out []part
	for p, share := range largest {
		if share >= leastOfCode {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b part) int {
		return cmp.Or(cmp.Compare(largest[b], largest[a]), cmp.Compare(a.library, b.library), cmp.Compare(a.name, b.name))
	})
	return out
}

// runsOf are the runs of the histories with a part's CPU time as their value. A run
// that does not list the part had little of it, which is no number.
func (h Histories) runsOf(members []int, p part, parameter string, found changepoint.Analysis) []scaling.HistoryRun {
	var runs []scaling.HistoryRun
	for _, i := range members {
		s := h.Stored[i]
		x, rest := along(s.Shape, parameter)
		if math.IsNaN(x) {
			continue
		}
		var changes []changepoint.Change
		if i < len(found.Series) {
			changes = found.Series[i].Changes
		}
		values, have := stepsOf(s, p)
		if float64(have) < leastPresent*float64(len(s.Runs)) {
			continue
		}
		for k, r := range s.Runs {
			run := scalingRun(r, x, rest, metrics()[0], regime(changes, k))
			run.Value = values[k]
			runs = append(runs, run)
		}
	}
	return runs
}

// stepsOf is the CPU time of a part in a step of each run, NaN where it is not known
// or the run did not end in order, and how many have one.
func stepsOf(s history.ApplicationRuns, p part) (values []float64, have int) {
	values = make([]float64, len(s.Runs))
	for k, r := range s.Runs {
		values[k] = math.NaN()
		if k >= len(s.Code) || !ended(r.Exit, r.State) {
			continue
		}
		for _, c := range s.Code[k] {
			if c.Library == p.library && c.Name == p.name && c.StepS != nil {
				values[k] = *c.StepS
				have++
			}
		}
	}
	return values, have
}

// code are the functions of a history with their CPU time in a step of each run, and
// all of that time; nil where no run has any.
func code(s history.ApplicationRuns) ([]functions.Part, []float64) {
	var order []part
	seen := map[part]bool{}
	total := make([]float64, len(s.Runs))
	known := false
	for k := range total {
		total[k] = math.NaN()
		if k >= len(s.Code) || !ended(s.Runs[k].Exit, s.Runs[k].State) {
			continue
		}
		sum := 0.0
		for _, c := range s.Code[k] {
			p := part{c.Library, c.Name}
			switch {
			case c.StepS == nil:
			case c.Library == "":
				sum += *c.StepS
			case !seen[p]:
				seen[p] = true
				order = append(order, p)
			}
		}
		if sum > 0 {
			total[k], known = sum, true
		}
	}
	if !known {
		return nil, nil
	}
	out := make([]functions.Part, len(order))
	for i, p := range order {
		out[i] = functions.Part{Library: p.library, Name: p.name}
		out[i].Y, _ = stepsOf(s, p)
	}
	return out, total
}
