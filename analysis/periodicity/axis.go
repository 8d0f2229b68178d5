package periodicity

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

// On a crowded machine wall time stretches every iteration differently. What the code does is therefore
// analysed along the job's CPU time too, in bins of several lengths: a loop of a few bins is seen in the finest
// only, and one length of bins alone shows multiples or nothing (cpuBinsS, in seconds of one busy CPU, where
// slots are of finestS; those of a long profile are merged, and so are its bins).
var cpuBinsS = [...]float64{.002, .003, .004, .005}

const finestS = .005

// minBins is the least number of bins in which a period is sought.
const minBins = 60

// grid is the code of a run in bins of CPU time, and what was found there.
type grid struct {
	set      series.Set
	nominalS float64 // nominal length of a bin for one busy CPU, in seconds
	src      source
	got      outcome
}

// grids puts the code of a set into bins of CPU time of each length in only, or of all of cpuBinsS; see gridsBy. The
// slots of wall time are spread over the bins at once.
func grids(set series.Set, clock series.Clock, only ...float64) []grid {
	return gridsBy(binnedGrid, set, clock, only...)
}

// gridsBy returns the code of a set in bins of CPU time, for each length in only (seconds of one busy CPU), or all of
// cpuBinsS. If most of the run was also recorded in bins of CPU time, it adds these up, completed by the slots of wall
// time. Otherwise it calls spread to spread the slots over the bins. Bins that are too few (minBins) are left out;
// without code or CPU time it returns none.
func gridsBy(spread func(series.Clock, []series.Column, float64, float64) grid, set series.Set, clock series.Clock,
	only ...float64) []grid {
	bins := only
	if len(bins) == 0 {
		bins = cpuBinsS[:]
	}
	columns := code(set)
	wider := widerBins(columns, clock, set.StepS)
	for _, exact := range set.On(series.CPU) {
		if exact.StepS*float64(exact.Len()) >= counted*clock.Total() {
			return exactGrids(exact.Complete(set, columns), clock.Busy()*wider, bins)
		}
	}
	if len(columns) < 2 {
		return nil
	}
	var out []grid
	for _, s := range bins {
		// Ranks and threads that run side by side fill the bins faster.
		if w := s * max(1, set.StepS/finestS) * wider * max(1, clock.Busy()); clock.Total() >= minBins*w {
			out = append(out, spread(clock, columns, w, s))
		}
	}
	return out
}

// positive returns v and 1 if v is above 0, else 0 and 0, without a branch: which slots have samples cannot be
// predicted.
func positive(v float32) (value float32, one int) {
	bits := math.Float32bits(v)
	if bits-1 < math.Float32bits(float32(math.Inf(1))) {
		one = 1
	}
	return math.Float32frombits(bits & -uint32(one)), one
}

// widerBins returns the factor, 1 or more, by which the bins of all grids of CPU time are widened, so that each of
// the finest bins holds a sample of a busy CPU. It is above 1 only if a CPU's code is sampled less often than once in
// combSlots slots. In finer bins every second or third would be empty, and a multiple of the loop's period would fit
// as well as the period.
func widerBins(columns []series.Column, clock series.Clock, slotS float64) float64 {
	sum, sampled := 0.0, 0 // over slots with samples
	for _, c := range columns {
		for _, v := range c.Values {
			value, one := positive(v)
			sum += float64(value)
			sampled += one
		}
	}
	if sampled == 0 {
		return 1
	}
	// The least values are those of one sample. Some of all slots show them: to sort all took a third of the time of
	// a detection.
	stride := (sampled + mostSlots - 1) / mostSlots
	values := make([]float64, 0, min(sampled, mostSlots))
	left := 0 // values with samples before the next that is taken
	for _, c := range columns {
		for _, v := range c.Values {
			_, one := positive(v)
			if left -= one; left < 0 {
				values = append(values, float64(v))
				left += stride
			}
		}
	}
	slices.Sort(values)
	samples := sum / values[len(values)/10]
	sampleS := clock.Total() / samples
	if sampleS < combSlots*slotS {
		return 1
	}
	return max(1, sampleS/(cpuBinsS[0]*max(1, clock.Busy())))
}

const (
	// combSlots is the time of a sample, in slots, from which on slots and bins are empty in turns.
	combSlots = 1.5
	// mostSlots is the number of slots that show the value of one sample.
	mostSlots = 1 << 15
	// counted is the share of the job's CPU time that recorded bins have to hold to be
	// used: an agent without room for them writes none for a while.
	counted = 0.9
	// smoothS is the CPU time of one busy CPU that recorded bins are the mean of: with
	// the two or three samples of a bin alone fewer loops were held than by slots.
	smoothS = 0.003
)

// exactGrids returns a grid for each length of bins (in seconds of one busy CPU), made from the bins of a set recorded
// in CPU time: smoothed, and added up to that length. busy is the number of CPUs in use. It leaves out lengths that
// give fewer than minBins bins or the same ones as the length before.
func exactGrids(set series.Set, busy float64, bins []float64) []grid {
	set.Columns = code(set)
	set = set.Smoothed(int(math.Round(smoothS * max(1, busy) / set.StepS)))
	var out []grid
	last := 0
	for _, s := range bins {
		k := max(1, int(math.Round(s*max(1, busy)/set.StepS)))
		if k != last && set.Len() >= minBins*k && len(set.Columns) > 1 {
			out = append(out, newGrid(set.Coarser(k), s))
		}
		last = k
	}
	return out
}

// newGrid returns a grid of the columns of set, made for bins of askedS seconds of one busy CPU.
func newGrid(set series.Set, askedS float64) grid {
	return grid{set: set, nominalS: askedS, src: source{name: series.CodeGroup, scope: series.JobScope, cols: set.Columns}}
}

// binnedGrid returns a grid of the columns in bins of w seconds of CPU time.
func binnedGrid(clock series.Clock, columns []series.Column, w, askedS float64) grid {
	return newGrid(clock.Bin(columns, w), askedS)
}

// spreadGrid is like binnedGrid but for a whole profile: it keeps the columns in slots of wall time and spreads
// them over the bins only when they are read. The set of the grid has one empty column, which only gives the
// number of bins.
func spreadGrid(clock series.Clock, columns []series.Column, w, askedS float64) grid {
	slots := len(columns[0].Values)
	set := clock.Bin(nil, w)
	bins := len(set.WallS) - 1
	set.Columns = []series.Column{{Values: make(series.Values, bins)}}
	g := newGrid(set, askedS)
	g.src.cols, g.src.over = columns, newSpreading(clock, slots, w, bins)
	return g
}

// code returns the job's columns of code, without those in which it only waits.
func code(set series.Set) []series.Column {
	var out []series.Column
	for _, c := range set.Columns {
		if c.Group == series.CodeGroup && c.Scope != series.NodeScope && !c.Waits {
			out = append(out, c)
		}
	}
	return out
}

// toWall converts a period that was found on a grid to wall time: instances in samples of the set, lengths in seconds.
// The period becomes the mean of these, because a begin is known only to a turn of the scheduler, which moves the
// median; CPUS is the CPU time per cycle. Pauses are taken out of cycles (see withoutPauses). It returns false if no
// instance has a sample in wall time.
func (g grid) toWall(p Period, set series.Set) (Period, bool) {
	in := make([]Instance, 0, len(p.Instances))
	lengths := make([]float64, 0, len(p.Instances))
	used := 0.0
	slot := func(s float64) int { return min(max(0, int(math.Round((s-set.StartS)/set.StepS))), set.Len()) }
	for _, i := range p.Instances {
		from, to := g.set.Ends(i.First, i.Length)
		if a, b := slot(from), slot(to); b > a {
			in = append(in, Instance{First: a, Length: b - a})
			lengths = append(lengths, to-from)
			used += float64(i.Length) * g.set.StepS
		}
	}
	if len(in) == 0 {
		return p, false
	}
	cpu, each := p.PeriodS, used/float64(len(in))
	in, lengths = withoutPauses(set, in, lengths)
	covered := 0.0
	for _, s := range lengths {
		covered += s
	}
	_, sd := robust.Mean(lengths)
	p.Axis, p.CPUS = series.CPU, each
	p.PeriodS, p.PeriodLoS, p.PeriodHiS = robust.MeanInterval(lengths, 0.95)
	p.PeriodSamples = p.PeriodS / set.StepS
	p.PeriodCV = sd / p.PeriodS
	p.Coverage = covered / (float64(set.Len()) * set.StepS)
	p.Instances, p.Regions = in, regions(set, in)
	p.setLengths(lengths)
	p.Children = slices.Clone(p.Children)
	for i := range p.Children {
		p.Children[i].PeriodS *= p.PeriodS / cpu
	}
	return p, true
}

// setLengths sets the mean and the 10th and 90th percentiles of the instances' lengths in seconds.
func (p *Period) setLengths(lengths []float64) {
	s := slices.Sorted(slices.Values(lengths))
	p.MeanS, _ = robust.Mean(s)
	p.P10S, p.P90S = robust.SortedQuantile(s, 0.1), robust.SortedQuantile(s, 0.9)
}
