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

// CodeLevel is the unit of code of which scaling series are made: functions or classes of libraries.
type CodeLevel string

const (
	ByFunction CodeLevel = "function"
	ByClass    CodeLevel = "class"
)

// Limits for the code that gets a scaling series: below a share of 1 % models of a LAMMPS melt were 15 to 35 %
// off, from 2 % on 3 to 10 %; fewer than five sizes give no law.
const (
	leastSizes   = 5
	leastOfCode  = 0.02
	leastPresent = 0.8 // of the runs of a size, for its value to be one
)

// StepCPU is the metric of scaling series of code: CPU seconds per cycle.
const StepCPU = "step_cpu_s"

// part is a class or function of an application.
type part struct{ library, name string }

func (p part) isOfLevel(by CodeLevel) bool { return (p.library == "") == (by == ByClass) }

// String returns the name of its series: "function library", "code of library", or the class.
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

// ScalingBy makes a scaling series of each class, or function, of the applications: its CPU time per cycle on one node.
// Parts whose runs have fewer than leastSizes sizes are left out. The series are in the order of the applications, and
// of the largest shares of the parts.
func (h Histories) ScalingBy(by CodeLevel, found changepoint.Analysis, o ScalingOptions) []scaling.Series {
	order, groups := h.applications()
	var out []scaling.Series
	for _, a := range order {
		parameter := h.parameter(groups[a], o.Parameter)
		if parameter == "" {
			continue
		}
		for _, p := range h.relevantParts(groups[a], by) {
			header := scaling.Series{ID: p.String(), Parameter: parameter, Metric: StepCPU, Mode: o.Mode}
			if len(order) > 1 {
				header.ID = a.User + " " + a.App + " " + header.ID
			}
			s := scaling.Comparable(header, h.partRuns(groups[a], p, parameter, found), false)
			if len(scaling.Sizes(s.Observations)) >= leastSizes {
				out = append(out, s)
			}
		}
	}
	return out
}

// relevantParts returns the classes or functions that have at least leastOfCode of the CPU time of some run,
// largest first.
func (h Histories) relevantParts(members []int, by CodeLevel) []part {
	largest := map[part]float64{}
	for _, i := range members {
		for _, run := range h.Stored[i].Code {
			for _, c := range run {
				if p := (part{c.Library, c.Name}); p.isOfLevel(by) {
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

// partRuns returns the runs of the given histories with the CPU time of part p per cycle as their value. Runs
// that do not list the part have the value NaN: it took little time there, but how little is unknown. Histories
// in which fewer than leastPresent of the runs list it are left out.
func (h Histories) partRuns(members []int, p part, parameter string, found changepoint.Analysis) []scaling.HistoryRun {
	var runs []scaling.HistoryRun
	for _, i := range members {
		s := h.Stored[i]
		x, rest := parameterValue(s.Shape, parameter)
		if math.IsNaN(x) {
			continue
		}
		var changes []changepoint.Change
		if i < len(found.Series) {
			changes = found.Series[i].Changes
		}
		values, have := partStepTimes(s, p)
		if float64(have) < leastPresent*float64(len(s.Runs)) {
			continue
		}
		for k, r := range s.Runs {
			run := scalingRun(r, x, rest, metrics()[0], regimeIndex(changes, k))
			run.Value = values[k]
			runs = append(runs, run)
		}
	}
	return runs
}

// partStepTimes returns the CPU seconds of part p per cycle of each run, NaN if unknown or the run did not end
// normally, and how many runs have a value.
func partStepTimes(s history.ApplicationRuns, p part) (values []float64, have int) {
	values = make([]float64, len(s.Runs))
	for k, r := range s.Runs {
		values[k] = math.NaN()
		if k >= len(s.Code) || !r.EndedNormally() {
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

// functionStepTimes returns the functions of a series with their CPU seconds per cycle in each run, and the total of
// each run, which is the sum of its classes of code, NaN if unknown; nil if no run has a total.
func functionStepTimes(s history.ApplicationRuns) ([]functions.Part, []float64) {
	var order []part
	seen := map[part]bool{}
	total := make([]float64, len(s.Runs))
	known := false
	for k := range total {
		total[k] = math.NaN()
		if k >= len(s.Code) || !s.Runs[k].EndedNormally() {
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
		out[i].Y, _ = partStepTimes(s, p)
	}
	return out, total
}
