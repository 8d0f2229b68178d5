package job

import (
	"fmt"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// maxIdleDifference is the largest difference of idle shares up to which the GPUs are reported together.
const maxIdleDifference = 0.05

// idleShares are the smallest, the largest and the mean idle share of the run's GPUs; ok is false
// where one is not known, and without a GPU.
type idleShares struct {
	lo, hi, mean float64
	ok           bool
}

// idleShares returns the least, largest and mean value of a share over all GPUs; ok is false if it is unknown
// for one of them.
func (r Report) idleShares(of func(summary.GPU) *float64) idleShares {
	s := idleShares{lo: 1, ok: len(r.GPUs) > 0}
	for _, g := range r.GPUs {
		share := of(g)
		if share == nil {
			return idleShares{}
		}
		s.lo, s.hi, s.mean = min(s.lo, *share), max(s.hi, *share), s.mean+*share/float64(len(r.GPUs))
	}
	return s
}

// idleOfCycle returns the share of a cycle, 0 to 1, in which the GPU was idle; nil if no cycle was seen on it.
func idleOfCycle(g summary.GPU) *float64 {
	if g.Cycle == nil {
		return nil
	}
	return &g.Cycle.IdleShare
}

// idleOfTime returns the share, 0 to 1, of the time in which a GPU was read during which it was idle; nil if
// unknown.
func idleOfTime(g summary.GPU) *float64 {
	if g.ActiveS == nil || g.ReadS <= 0 {
		return nil
	}
	share := 1 - min(1, *g.ActiveS/g.ReadS)
	return &share
}

// text prints the middle between the smallest and the largest idle share, or the range if they differ by more than
// maxIdleDifference.
func (s idleShares) text() string {
	if s.hi-s.lo > maxIdleDifference {
		return quantity.Share(s.lo) + " to " + quantity.Share(s.hi)
	}
	return quantity.Share((s.lo + s.hi) / 2)
}

// gpuIdleText says how much of each cycle the GPUs are idle and which code runs meanwhile;
// "" where no cycle was seen on all of them, or none that is likely.
func (r Report) gpuIdleText() string {
	idle := r.idleShares(idleOfCycle)
	if !idle.ok || !r.likelyPattern(r.GPUs[0].Cycle.Pattern) {
		return ""
	}
	who := "The GPU is"
	if len(r.GPUs) > 1 {
		who = "The GPUs are"
	}
	text := fmt.Sprintf("%s idle %s of each cycle", who, idle.text())
	if s := r.cyclePeriod(r.GPUs[0].Cycle.Pattern); s > 0 {
		text += " of " + quantity.Duration(s)
	}
	if code := r.codeWhileGPUIdle(); code != "" {
		text += ", while " + code
	}
	return text + "."
}

// likelyPattern reports whether the pattern with the given id is called likely (text.IsLikely).
func (r Report) likelyPattern(id string) bool {
	for _, q := range r.Rhythm.Patterns {
		if q.ID == id {
			return text.IsLikely(q.Confidence)
		}
	}
	return false
}

// gpuIdleTime says how much of the time the GPUs were idle, "" where that is not known of all.
func (r Report) gpuIdleTime() string {
	idle := r.idleShares(idleOfTime)
	if !idle.ok {
		return ""
	}
	who := "The GPU was"
	if len(r.GPUs) > 1 {
		who = "The GPUs were"
	}
	return fmt.Sprintf("%s idle %s of the time for which the run held %s.", who, idle.text(),
		map[bool]string{false: "it", true: "them"}[len(r.GPUs) > 1])
}

// codeWhileGPUIdle says which CPU code runs while the GPUs are idle: the first function, else library, else class of
// code that explains the idle time, or that next to nothing runs. It returns "" where no code stands out or the idle
// times within the cycle are unknown.
func (r Report) codeWhileGPUIdle() string {
	if r.Code == nil || r.Code.Pattern == "" {
		return ""
	}
	idle := summary.IdleWithin(r.GPUs, string(r.Code.Node), string(r.Code.Pattern))
	if idle == nil {
		return ""
	}
	var all [][]float64
	for _, c := range r.Code.Classes {
		all = append(all, c.Within)
	}
	meanwhile := anatomy.NewGPUIdleWork(idle, all...)
	if meanwhile.CPUsIdle(r.codePeriod()) {
		return "next to nothing runs on the CPUs"
	}
	lines, _, _ := r.Code.lines()
	var functions, libraries, classes []codeLine
	at := map[string]int{}
	for _, l := range lines {
		functions = append(functions, codeLine{name: l.nameWithLibrary(), within: l.within})
		if i, ok := at[l.library]; ok {
			libraries[i].add(l)
		} else if l.library != "" {
			at[l.library] = len(libraries)
			libraries = append(libraries, codeLine{name: l.library, within: append([]float64{}, l.within...)})
		}
	}
	for _, c := range r.Code.Classes {
		classes = append(classes, codeLine{name: className(c.Name), within: c.Within})
	}
	for _, list := range [][]codeLine{functions, libraries, classes} {
		for _, l := range list {
			if meanwhile.ExplainsIdle(l.within) {
				return text.Cut(l.name, 60) + " runs"
			}
		}
	}
	return ""
}

// nameWithLibrary returns the name of the line's code and its library.
func (l codeLine) nameWithLibrary() string {
	if l.library == "" {
		return l.name
	}
	return l.name + " of " + l.library
}

// betweenSyncs is the sentence on what cycles mean for GPUs.
const betweenSyncs = "Cycles are those that the CPUs show: where these only wait for work that they have queued, " +
	"the time between synchronisations."

// gpuShapes prints the power within a cycle of the first GPU for which it is known.
func (r Report) gpuShapes(p *text.Page) {
	for _, g := range r.GPUs {
		if g.Cycle == nil || len(g.Cycle.PowerW) == 0 {
			continue
		}
		_, hi, _ := text.FromZero(g.Cycle.PowerW)
		p.Line("  " + text.Spark(g.Cycle.PowerW, 0, hi, r.ascii) +
			fmt.Sprintf("  power of GPU %d in one %s, 0 .. %s", g.Index, g.Cycle.Pattern, quantity.Amount(hi, "W")))
		return
	}
}
