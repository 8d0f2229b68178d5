package periodicity

import (
	"math"
	"sort"

	"jobgait/analysis/series"
)

// beginGrid is the code of a run on one axis, by which the begins of cycles are measured. In wall time its cells are
// the slots of the profile. In CPU time they are bins, whose columns may be finer: where all code of a loop lies in one
// page, slots do not distinguish its parts.
type beginGrid struct {
	hits    []slotHits
	busy    series.Values // busy CPUs by cell, nil if not known
	columns int
	edges   []float64 // in CPU time, where the cells begin and the last one ends, in slots; nil in wall time
}

// beginBinS is the CPU time of the bins in which begins are measured, in seconds of one busy CPU.
const beginBinS = finestS / 2

// beginGrids returns the grids that have at least two columns of code.
func beginGrids(set series.Set) (grids []beginGrid) {
	columns := code(set)
	if len(columns) > 1 {
		grids = append(grids, beginGrid{hits: hitsOf(columns, 0, set.Len()), busy: busyValues(set), columns: len(columns)})
	}
	clock, ok := set.Clock()
	if !ok {
		return grids
	}
	for _, exact := range set.On(series.CPU) {
		if exact.StepS*float64(exact.Len()) < counted*clock.Total() {
			continue
		}
		fine := exact.Complete(set, columns)
		fine.Columns = code(fine)
		fine = fine.Coarser(max(1, int(math.Round(beginBinS*max(1, clock.Busy())/fine.StepS))))
		if len(fine.Columns) < 2 {
			continue
		}
		g := beginGrid{hits: hitsOf(fine.Columns, 0, fine.Len()), columns: len(fine.Columns)}
		for _, s := range fine.WallS {
			g.edges = append(g.edges, (s-set.StartS)/set.StepS)
		}
		grids = append(grids, g)
	}
	return grids
}

// measure returns the begins of the cycles of p, in slots, measured by the code.
func (g beginGrid) measure(p Period) [][]cycleBegin {
	runs := p.consecutiveBegins()
	total, cycles := 0.0, 0
	for _, run := range runs {
		for k := range run {
			run[k].at = g.cell(run[k].at)
		}
		total, cycles = total+run[len(run)-1].at-run[0].at, cycles+len(run)-1
	}
	period := total / float64(max(1, cycles))
	if period < lengthSamples {
		return nil
	}
	mean := sharesOf(g.hits, g.columns)
	for range measurePasses {
		s := learnShape(g.hits, g.busy, mean, runs, min(mostShapePhases, int(math.Round(shapePhases*period))))
		for _, run := range runs {
			s.measureRun(g.hits, run, period)
		}
	}
	for _, run := range runs {
		for k := range run {
			run[k] = g.inSlots(run[k])
		}
	}
	return runs
}

// cell returns the place in cells, with a fraction, of a place in slots.
func (g beginGrid) cell(slot float64) float64 {
	n := len(g.edges) - 1
	if n < 1 {
		return slot
	}
	i := min(max(0, sort.SearchFloat64s(g.edges, slot)-1), n-1)
	if width := g.edges[i+1] - g.edges[i]; width > 0 {
		return float64(i) + min(1, max(0, (slot-g.edges[i])/width))
	}
	return float64(i)
}

// inSlots returns a begin that is given in cells in slots.
func (g beginGrid) inSlots(b cycleBegin) cycleBegin {
	n := len(g.edges) - 1
	if n < 1 {
		return b
	}
	at := func(x float64) float64 {
		i := min(max(0, int(x)), n-1)
		return g.edges[i] + min(1, max(0, x-float64(i)))*(g.edges[i+1]-g.edges[i])
	}
	sd := math.Sqrt(b.variance)
	wide := (at(b.at+sd) - at(b.at-sd)) / 2
	return cycleBegin{at(b.at), wide * wide}
}
