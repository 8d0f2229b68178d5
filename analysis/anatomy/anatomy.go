package anatomy

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// Anatomy divides the CPU time of a run by code: in the whole run, outside of cycles, and per cycle of each
// pattern.
type Anatomy struct {
	Samples int64   `json:"samples"`
	Run     Split   `json:"run"`
	StartUp Split   `json:"start_up"` // all of a run without cycles
	Between Split   `json:"between"`  // cycles
	Tail    Split   `json:"tail"`
	Cycles  []Cycle `json:"cycles"` // of each pattern
	// Pages describes the columns of code pages, for readers that have these columns.
	Pages []PageOf `json:"pages,omitempty"`
}

// Split is CPU time by what it was spent on. Classes, libraries and functions each
// add up to BusyS, and their shares to 1; largest first.
type Split struct {
	BusyS        float64 `json:"busy_s"`
	Classes      []Part  `json:"classes"`
	Libraries    []Part  `json:"libraries"`
	Functions    []Share `json:"functions"`
	Others       *Others `json:"others,omitempty"` // functions that were left out of a record
	UnnamedShare float64 `json:"unnamed_share"`    // of code without a name, the kernel apart
}

// Part is a class or library.
type Part struct {
	Name    string   `json:"name"`
	Share   float64  `json:"share"`
	Seconds float64  `json:"busy_s"`
	CycleS  *float64 `json:"cycle_s,omitempty"` // in a cycle
	// Within, of a class of a pattern, is how its seconds lie within the cycle.
	Within []float64 `json:"within,omitempty"`
}

// Share is a function's part.
type Share struct {
	Function
	Share   float64 `json:"share"`
	Seconds float64 `json:"busy_s"`
	// Of a pattern: seconds of CPU time a cycle, with the 95 % interval unless there
	// are too few cycles, and how they lie within the cycle, bin by bin: nil where the function
	// shares its columns with others, whose samples cannot be separated within a cycle.
	CycleS *float64  `json:"cycle_s,omitempty"`
	Lo     *float64  `json:"cycle_ci_lo,omitempty"`
	Hi     *float64  `json:"cycle_ci_hi,omitempty"`
	Within []float64 `json:"within,omitempty"`
}

// Cycle is the CPU time of a pattern's cycles by code.
type Cycle struct {
	Pattern string  `json:"pattern"`
	Count   float64 `json:"count"` // cycles, of which parts may not have been sampled
	// OnCPU is whether Within divides the CPU time of a cycle and not its wall time.
	OnCPU bool `json:"within_cpu_time,omitempty"`
	Split
}

// ShareError returns half the 95 % interval of a share that was estimated from the given number of samples.
func ShareError(share float64, samples int64) float64 {
	return 1.96 * math.Sqrt(share*(1-share)/float64(samples))
}

// minCycles is the least number of cycles for a confidence interval.
const minCycles = 8

// Result returns the CPU time by code of all samples added so far.
func (t *Tally) Result() Anatomy {
	x := sharing{len(t.functions), t.columns.mixtures()}
	whole := make([]float64, len(t.functions))
	splits := make([]Split, len(t.parts))
	for i := range t.parts {
		by := x.byFunction(t.parts[i].seconds)
		for k, s := range by {
			whole[k] += s
		}
		splits[i] = t.split(by)
	}
	a := Anatomy{Samples: t.samples, Run: t.split(whole), StartUp: splits[startUp], Between: splits[between],
		Tail: splits[tail], Cycles: []Cycle{}}
	for i, c := range t.cycles {
		a.Cycles = append(a.Cycles, t.cycle(c, &t.parts[patterns+i], splits[patterns+i], x))
	}
	return a
}

// split makes a Split from the CPU seconds of each function, by its index in t.functions. Classes, libraries and
// functions come in descending order of their time; functions without time are left out.
func (t *Tally) split(by []float64) Split {
	s := Split{Functions: []Share{}}
	classes, libraries := map[string]float64{}, map[string]float64{}
	for _, v := range by {
		s.BusyS += v
	}
	for k, v := range by {
		if v <= 0 {
			continue
		}
		f := t.functions[k]
		s.Functions = append(s.Functions, Share{Function: f, Share: v / s.BusyS, Seconds: v})
		classes[string(ClassOf(f.Library))] += v
		libraries[f.Library] += v
		if f.Name == "" && f.Library != KernelCode {
			s.UnnamedShare += v / s.BusyS
		}
	}
	slices.SortFunc(s.Functions, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Library, b.Library), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Start, b.Start))
	})
	s.Classes, s.Libraries = partsOf(classes, s.BusyS), partsOf(libraries, s.BusyS)
	return s
}

// partsOf converts CPU seconds by name to parts with their share of busy seconds, largest first.
func partsOf(seconds map[string]float64, busy float64) []Part {
	out := []Part{}
	for name, s := range seconds {
		out = append(out, Part{Name: name, Share: s / busy, Seconds: s})
	}
	slices.SortFunc(out, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// cycle returns the CPU time of the cycles of a pattern: its split s, extended by the CPU seconds per cycle, their
// intervals and the distribution within the cycle. Count is the number of cycles seen; if it is 0, only the split is
// returned. p has the samples of the pattern.
func (t *Tally) cycle(of Cycles, p *part, s Split, x sharing) Cycle {
	c := Cycle{Pattern: of.Pattern, OnCPU: of.OnCPU, Split: s}
	for _, n := range p.cycles {
		c.Count += n
	}
	if c.Count == 0 {
		return c
	}
	perCycle := func(seconds float64) *float64 { v := seconds / c.Count; return &v }
	for _, list := range [][]Part{c.Classes, c.Libraries} {
		for i := range list {
			list[i].CycleS = perCycle(list[i].Seconds)
		}
	}
	index, classes := map[Function]int{}, map[string]int{}
	for i := range c.Functions {
		f := &c.Functions[i]
		index[f.Function] = i
		f.CycleS, f.Within = perCycle(f.Seconds), make([]float64, Bins)
	}
	for i := range c.Classes {
		classes[c.Classes[i].Name] = i
		c.Classes[i].Within = make([]float64, Bins)
	}
	for bin, columns := range p.within {
		for k, s := range x.byFunction(columns) {
			if _, ok := index[t.functions[k]]; ok {
				c.Classes[classes[string(ClassOf(t.functions[k].Library))]].Within[bin] += s / c.Count
			}
		}
	}
	t.courses(p, &c, index, x)
	t.intervals(p, &c, index, x)
	return c
}

// courses divides each function's time per cycle among the parts of the cycle, by the columns in which the
// function has nearly all samples. If too little of its time is in such columns, its Within is nil.
func (t *Tally) courses(p *part, c *Cycle, index map[Function]int, x sharing) {
	within, own := [Bins][]float64{}, make([]float64, len(t.functions))
	for bin, columns := range p.within {
		within[bin] = x.secondsAlone(columns)
		for k, s := range within[bin] {
			own[k] += s
		}
	}
	for k, f := range t.functions {
		i, ok := index[f]
		if !ok {
			continue
		}
		if own[k] <= 0 || own[k] < separatedShare*c.Functions[i].Seconds {
			c.Functions[i].Within = nil
			continue
		}
		for bin := range within {
			c.Functions[i].Within[bin] = within[bin][k] / own[k] * *c.Functions[i].CycleS
		}
	}
}

// intervals sets the 95 % interval of each function's time per cycle, from the scatter of its mean between stretches of
// the run. It sets none if there are fewer than minCycles cycles or fewer than that many stretches with cycles.
func (t *Tally) intervals(p *part, c *Cycle, index map[Function]int, x sharing) {
	if c.Count < minCycles {
		return
	}
	values := make([][]float64, len(c.Functions))
	for k, columns := range p.stretch {
		if p.cycles[k] == 0 {
			continue
		}
		for j, s := range x.byFunction(columns) {
			if i, ok := index[t.functions[j]]; ok {
				values[i] = append(values[i], s/p.cycles[k])
			}
		}
	}
	for i := range c.Functions {
		f := &c.Functions[i]
		if len(values[i]) < minCycles {
			continue
		}
		_, lo, hi := robust.MeanInterval(values[i], 0.95)
		half := (hi - lo) / 2
		from, to := max(0, *f.CycleS-half), *f.CycleS+half
		f.Lo, f.Hi = &from, &to
	}
}

// HasNames reports whether any function of the run has a name.
func (a Anatomy) HasNames() bool {
	return slices.ContainsFunc(a.Run.Functions, func(f Share) bool { return f.Name != "" })
}

// CycleOf returns the CPU time of a pattern's cycles, nil if none was sampled.
func (a Anatomy) CycleOf(pattern string) *Cycle {
	for i := range a.Cycles {
		if c := &a.Cycles[i]; c.Pattern == pattern && c.Count > 0 && c.BusyS > 0 {
			return c
		}
	}
	return nil
}
