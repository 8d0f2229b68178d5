package address

import (
	"cmp"
	"math"
	"slices"

	"jobgait/agent/peek"
	"jobgait/analysis/run"
)

// activity is how often a program was sampled and executed, and when. Times are CLOCK_MONOTONIC in ns.
type activity struct {
	samples         int64
	started         int
	firstNS, lastNS int64
	bins            [activityBins]uint32
}

const (
	// activityBins is the number of bins of one length in which the samples of a program are counted. Where a run
	// outlasts them, pairs are joined and the length is doubled, so that half or more of them are in use.
	activityBins = 64
	// firstBinNS is the length of a bin in the first seconds of a run.
	firstBinNS = 20e6
)

// activityGrid is where the bins of all programs lie.
type activityGrid struct{ startNS, stepNS int64 }

// countSample counts a sample of a program in its bin. It doubles the width of all programs' bins until one
// holds the time.
func (t *table) countSample(a *activity, timeNS int64) {
	g := &t.grid
	if g.stepNS == 0 {
		g.startNS, g.stepNS = timeNS, firstBinNS
	}
	for (timeNS-g.startNS)/g.stepNS >= activityBins {
		for _, other := range t.programHits {
			other.halve()
		}
		g.stepNS *= 2
	}
	a.samples++
	a.extendTo(timeNS)
	a.bins[max(0, (timeNS-g.startNS)/g.stepNS)]++
}

// extendTo extends the time in which a program was seen.
func (a *activity) extendTo(timeNS int64) {
	if a.firstNS == 0 || timeNS < a.firstNS {
		a.firstNS = timeNS
	}
	a.lastNS = max(a.lastNS, timeNS)
}

// halve adds up pairs of bins into the first half of the bins and clears the second half. Each bin then covers twice
// the time.
func (a *activity) halve() {
	for i := range a.bins {
		if a.bins[i] = 0; 2*i+1 < len(a.bins) {
			a.bins[i] = a.bins[2*i] + a.bins[2*i+1]
		}
	}
}

// countProcess counts a process once among the starts of the program that it executes. It does nothing while the
// program is unknown, as between an exec and the first mapping, and if the process was counted for the same program
// before the table was cleared.
func (t *table) countProcess(p *processEntry, pid int32, timeNS int64) {
	if p.counted || p.justExeced || p.exe == "" || p.exe == peek.NoProgram {
		return
	}
	p.counted = true
	if t.counted[pid] == p.exe {
		return // before the table was cleared
	}
	if a := t.activityOf(p.exe); a != nil {
		a.started++
		a.extendTo(timeNS)
	}
}

// activities returns the programs with most samples, at most run.MostPrograms, the one with most first. It leaves out
// programs without a name, but Share is the share of all samples. Times are seconds since sinceNS. Strip has the
// samples of each bin, relative to the highest bin of any program.
func (t *table) activities(sinceNS int64) []run.Program {
	names := make([]string, 0, len(t.programHits))
	total, maxHits, used := int64(0), uint32(0), 0
	for name, a := range t.programHits {
		total += a.samples
		for i, n := range a.bins {
			if maxHits = max(maxHits, n); n > 0 {
				used = max(used, i+1)
			}
		}
		if name != "" && name != peek.NoProgram {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(t.programHits[b].samples, t.programHits[a].samples), cmp.Compare(a, b))
	})
	seconds := func(ns int64) float64 { return math.Round(float64(ns-sinceNS)/1e6) / 1e3 }
	out := []run.Program{}
	for _, name := range names[:min(len(names), run.MostPrograms)] {
		a := t.programHits[name]
		if a.firstNS == 0 {
			continue
		}
		p := run.Program{Name: name, Started: a.started, FirstS: seconds(a.firstNS), LastS: seconds(a.lastNS),
			StripStartS: seconds(t.grid.startNS), StripStepS: float64(t.grid.stepNS) / 1e9, Strip: []float64{}}
		if total > 0 {
			p.Share = math.Round(float64(a.samples)/float64(total)*1e4) / 1e4
		}
		for _, n := range a.bins[:used] {
			p.Strip = append(p.Strip, math.Round(float64(n)/float64(max(1, maxHits))*100)/100)
		}
		out = append(out, p)
	}
	return out
}
