package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/application"
	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/analysis/scaling"
)

// Target describes a planned run. 0, "" and nil leave the choice to the newest run.
type Target struct {
	Nodes, Tasks int
	Size         *string
	// LimitS is its intended time limit in seconds.
	LimitS *float64
	// MemoryBytes is the memory that it requests on each node.
	MemoryBytes *float64
}

// PlannedRun is the forecast for a planned run. Missing says what earlier runs lack for a forecast; then all
// else but App and the target is empty.
type PlannedRun struct {
	App     string
	Nodes   int
	Size    string
	Missing string

	Runs   int     // that give the level
	Newest float64 // start of the newest of them, UTC epoch seconds
	// Extrapolated reports that no runs on that many nodes exist, so that the forecast is by the scaling law.
	Extrapolated bool
	Elapsed      Range
	// LimitS is the limit of the target, AtRisk the chance that a run exceeds it; nil without a limit.
	LimitS, AtRisk *float64
	// Memory is the largest memory in use on a node, in bytes; nil where it is not known.
	Memory *Range
	// Request judges the memory that the target requests; nil without a request or Memory.
	Request *MemoryRequest
	// Nodes that were measured, ascending; empty where there is one node count.
	Counts []NodeCount
	// AskS and AskBytes are the recommended limits, in seconds and in bytes per node.
	AskS     float64
	AskBytes *float64
}

// MemoryRequest is the memory that a planned run requests on each node, in bytes, and the chance that it exceeds it.
type MemoryRequest struct{ Bytes, AtRisk float64 }

// Range is an expected value with its 95 % interval.
type Range struct{ Value, Lo, Hi float64 }

// NodeCount is the elapsed time of runs on one number of nodes, and their efficiency relative to the smallest
// number: 1 is ideal strong scaling.
type NodeCount struct {
	Nodes      int
	ElapsedS   float64
	Efficiency float64
}

// memoryMargin is the ratio of the recommended memory to the largest that was used.
const memoryMargin = 1.1

// Plan returns the forecast for one application: h are its histories by elapsed time, found are their changes.
// If no forecast is possible, Missing says what it needs.
func Plan(h application.Histories, found changepoint.Analysis, t Target, p Tuning) PlannedRun {
	own := nearestHistory(h, t)
	if own < 0 {
		return PlannedRun{Missing: "a completed run of it"}
	}
	l, _ := history.LayoutOf(h.Stored[own].Shape)
	a := PlannedRun{App: h.Stored[own].App, Nodes: cmp.Or(t.Nodes, l.Nodes), Size: l.Size, LimitS: t.LimitS}
	if t.Size != nil {
		a.Size = *t.Size
	}
	changes := func(i int) []changepoint.Change {
		if i < len(found.Series) {
			return found.Series[i].Changes
		}
		return nil
	}
	a.Counts = counts(h, changes, l, p)
	if a.matches(l) {
		a.setFromRuns(h.Inputs[own].Y, h.Stored[own].Runs, changes(own), p)
		if a.Missing == "" {
			a.setMemory(h.Stored[own].Runs, t.MemoryBytes, p)
		}
	} else {
		a.setFromScaling(h, found, l)
	}
	if a.Missing != "" {
		a.Counts = nil
	}
	return a
}

// matches reports whether a layout is that of the target.
func (a PlannedRun) matches(l history.Layout) bool { return l.Nodes == a.Nodes && l.Size == a.Size }

// nearestHistory returns the index of the history nearest to the target: of the target's size if it has one,
// then the same nodes, then the same tasks, then the newest run; -1 if no history with runs and a known
// layout has the size.
func nearestHistory(h application.Histories, t Target) int {
	best, rank := -1, 0.0
	for i, s := range h.Stored {
		l, ok := history.LayoutOf(s.Shape)
		if !ok || len(s.Runs) == 0 || t.Size != nil && l.Size != *t.Size {
			continue
		}
		r := s.Runs[len(s.Runs)-1].Start
		if t.Nodes == l.Nodes {
			r += 4e12
		}
		if t.Tasks > 0 && t.Tasks == l.Tasks {
			r += 2e12
		}
		if best < 0 || r > rank {
			best, rank = i, r
		}
	}
	return best
}

// setFromRuns sets the forecast of the elapsed time from values y of runs in the shape of the target. If they are too
// few, or differ so much that they had other inputs, it sets Missing instead.
func (a *PlannedRun) setFromRuns(y []float64, runs []history.Run, changes []changepoint.Change, p Tuning) {
	f, err := Next(y, Starts(changes, len(y)), p)
	switch {
	case err == ErrFewRuns:
		n := len(logs(y))
		a.Missing = fmt.Sprintf("%s more on %s: there %s", quantity.Plural(max(p.Least-n, 1), "completed run"),
			quantity.Plural(a.Nodes, "node"), isAre(n))
		return
	case err != nil:
		lo, hi := f.Interval(p.Level)
		a.Missing = fmt.Sprintf("a label of the input: the next run may take anything from %s to %s, so runs had other "+
			"inputs; "+
			"name them (size=)", quantity.Duration(lo), quantity.Duration(hi))
		return
	}
	a.Runs, a.Newest = f.Runs, runs[len(runs)-1].Start
	a.Elapsed.Value = f.Median()
	a.Elapsed.Lo, a.Elapsed.Hi = f.Interval(p.Level)
	a.AskS = Limit(f)
	if a.LimitS != nil {
		risk := f.ChanceAbove(*a.LimitS)
		a.AtRisk = &risk
	}
}

// isAre returns "is 1" or "are n".
func isAre(n int) string {
	if n == 1 {
		return "is 1"
	}
	return fmt.Sprintf("are %d", n)
}

// setMemory sets the forecast of the memory per node from the newest a.Runs completed runs whose memory is known, and
// judges the requested bytes, nil for none. If these runs are too few, or if their peaks differ too much, it sets
// nothing.
func (a *PlannedRun) setMemory(runs []history.Run, requested *float64, p Tuning) {
	var peaks []float64
	for _, r := range runs {
		if r.PeakMemBytes != nil && (r.State == "" || r.State == "COMPLETED") {
			peaks = append(peaks, *r.PeakMemBytes/float64(max(a.Nodes, 1)))
		}
	}
	f, err := Next(peaks[max(0, len(peaks)-a.Runs):], nil, p)
	if err != nil {
		return
	}
	m := Range{Value: f.Median()}
	m.Lo, m.Hi = f.Interval(p.Level)
	ask := roundBytes(memoryMargin * max(m.Hi, f.Largest))
	a.Memory, a.AskBytes = &m, &ask
	if requested != nil {
		a.Request = &MemoryRequest{*requested, f.ChanceAbove(*requested)}
	}
}

// roundBytes rounds a number of bytes up to multiples of 64 MiB below 1 GiB, else of 1 GiB.
func roundBytes(b float64) float64 {
	step := float64(64 << 20)
	if b >= 1<<30 {
		step = 1 << 30
	}
	return step * math.Ceil(b/step)
}

// setFromScaling predicts the elapsed time on a number of nodes on which the application has not run, from its
// scaling law. It sets Missing to the runs that a forecast needs instead, if the stored runs have another size of
// input, if there is no law, or if the ends of the prediction's interval differ by more than a factor of Spread.
func (a *PlannedRun) setFromScaling(h application.Histories, found changepoint.Analysis, l history.Layout) {
	missing := fmt.Sprintf("3 completed runs on %s, or runs of that input on 5 numbers of nodes",
		quantity.Plural(a.Nodes, "node"))
	list, err := h.Scaling(found, application.ScalingOptions{Metric: "elapsed_s", Parameter: "nodes"})
	if err != nil || len(list) == 0 || a.Nodes < 1 || l.Size != a.Size {
		a.Missing = missing
		return
	}
	series := list[0]
	series.Targets = []float64{float64(a.Nodes)}
	r := scaling.Analyse([]scaling.Series{series}, scaling.Likelihood)[0]
	for _, v := range r.Predictions {
		if v.P != float64(a.Nodes) || !(v.Lo > 0) || v.Hi > Default().Spread*v.Lo {
			continue
		}
		a.Extrapolated, a.Runs, a.Elapsed = true, len(series.Observations), Range{v.Value, v.Lo, v.Hi}
		a.AskS = roundLimit(v.Hi * v.Hi / v.Value) // as far beyond the interval again
		return
	}
	a.Missing = missing
}

// counts returns, for each number of nodes on which runs had the size and the tasks per node of like, the elapsed time
// in the newest regime, a geometric mean, and the efficiency. Of several histories on one number of nodes the last one
// counts. The list is in ascending order; nil for fewer than two numbers.
func counts(h application.Histories, changes func(int) []changepoint.Change, like history.Layout,
	p Tuning) []NodeCount {
	byNodes := map[int]NodeCount{}
	for i, s := range h.Stored {
		l, ok := history.LayoutOf(s.Shape)
		if !ok || l.Size != like.Size || l.Nodes < 1 || l.Tasks*like.Nodes != like.Tasks*l.Nodes {
			continue
		}
		if _, newer := byNodes[l.Nodes]; newer { // histories come with the newest run first
			continue
		}
		y := h.Inputs[i].Y
		starts := Starts(changes(i), len(y))
		if len(starts) > 0 {
			y = y[starts[len(starts)-1]:]
		}
		if x := logs(y); len(x) > 0 {
			byNodes[l.Nodes] = NodeCount{Nodes: l.Nodes, ElapsedS: math.Exp(mean(x[max(0, len(x)-p.Window):]))}
		}
	}
	var list []NodeCount
	for _, c := range byNodes {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b NodeCount) int { return a.Nodes - b.Nodes })
	if len(list) < 2 {
		return nil
	}
	smallest := list[0]
	for i, c := range list {
		list[i].Efficiency = smallest.ElapsedS * float64(smallest.Nodes) / (c.ElapsedS * float64(c.Nodes))
	}
	return list
}

// leastEfficiency is the efficiency above which a run uses its nodes well.
const leastEfficiency = 0.7

// Fastest returns the number of nodes with the shortest elapsed time. Counts must not be empty.
func (a PlannedRun) Fastest() NodeCount {
	return slices.MinFunc(a.Counts, func(a, b NodeCount) int { return cmp.Compare(a.ElapsedS, b.ElapsedS) })
}

// Efficient returns the numbers of nodes that keep an efficiency above 70 %.
func (a PlannedRun) Efficient() []int {
	var list []int
	for _, c := range a.Counts {
		if c.Efficiency > leastEfficiency {
			list = append(list, c.Nodes)
		}
	}
	return list
}
