package job

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// CodeShares says which code used the CPU time of one cycle of the main pattern, or of the whole run where no
// cycle was sampled.
type CodeShares struct {
	Samples int64 `json:"samples"`
	Pattern Word  `json:"pattern"`
	Node    Word  `json:"node"` // the node whose samples these are
	// WithinOf is what the parts of a cycle divide: its wall time or its CPU time.
	WithinOf series.Axis `json:"within_of"`
	// Cycles is the number of sampled cycles, BusyS their total CPU time in s, CycleS the CPU time of one cycle.
	Cycles float64  `json:"cycles"`
	BusyS  float64  `json:"busy_s"`
	CycleS *float64 `json:"cycle_s"`
	// Classes, Libraries, and Functions plus Others each add up to BusyS; shares are parts of BusyS.
	Classes      []CodePart     `json:"classes"`
	Libraries    []CodePart     `json:"libraries"`
	Functions    []CodeFunction `json:"functions"`
	Others       CodeOthers     `json:"others"`
	UnnamedShare float64        `json:"unnamed_share"`
	Pages        []CodePage     `json:"pages"`
	Notes        []Note         `json:"notes"`
}

const (
	// exactHz is the least number of samples in a second of CPU time at which shares are printed with decimals: the
	// budget of a cluster, 0.5 %, leaves 25 to 200, that of `jobgait run` 1,000.
	exactHz = 250.0
	// kernelExcess is the largest measured excess of the kernel's share below exactHz: .12 for .004.
	kernelExcess = 0.12
)

// samplesPerS returns the number of samples in a second of CPU time, 0 if it is unknown.
func (c CodeShares) samplesPerS() float64 {
	if !(c.BusyS > 0) {
		return 0
	}
	return float64(c.Samples) / c.BusyS
}

// rough reports whether code is known to have been sampled too seldom for exact shares.
func (c CodeShares) rough() bool { return c.samplesPerS() > 0 && c.samplesPerS() < exactHz }

// share prints a share of the CPU time: 80.6 %, or, where shares are rough, ~81 % or < 1 %.
func (c CodeShares) share(v float64) string {
	percent := math.Round(100 * v)
	switch {
	case !c.rough() || !quantity.Known(v):
		return quantity.Share(v)
	case percent < 1:
		return "< 1 %"
	}
	return "~" + quantity.WholePercent(int(percent))
}

// CodePart is the part that one class or library has in the CPU time.
type CodePart struct {
	Name   string    `json:"name"`
	Share  float64   `json:"share"`
	BusyS  float64   `json:"busy_s"`
	CycleS *float64  `json:"cycle_s"`
	Within []float64 `json:"within"`
}

// CodeFunction is the part that one function has in the CPU time. Name is without the suffixes that compilers
// add, and null for code of which only the bounds are known.
type CodeFunction struct {
	Name    Word      `json:"name"`
	Full    Word      `json:"full"`
	Library string    `json:"library"`
	Class   string    `json:"class"`
	Share   float64   `json:"share"`
	BusyS   float64   `json:"busy_s"`
	CycleS  *float64  `json:"cycle_s"`
	Lo      *float64  `json:"cycle_ci_lo"`
	Hi      *float64  `json:"cycle_ci_hi"`
	Within  []float64 `json:"within"`
}

// CodeOthers sums the functions that are not listed.
type CodeOthers struct {
	Count  int      `json:"count"`
	Share  float64  `json:"share"`
	CycleS *float64 `json:"cycle_s"`
}

// CodePage names the function that a code-page column stands for.
type CodePage struct {
	Column  string  `json:"column"`
	Name    Word    `json:"name"`
	Library string  `json:"library"`
	Share   float64 `json:"share"`
}

// newCode returns the shares of the code in the cycles of the pattern that MainCode chooses, or in the whole
// run if it returns nil; nil where no code was sampled.
func newCode(s summary.Summary) *CodeShares {
	a := s.Code
	if a == nil || a.Samples == 0 {
		return nil
	}
	split := a.Run
	c := CodeShares{Samples: a.Samples, Node: Word(s.CodeNode), WithinOf: series.Wall, Notes: []Note{},
		Pages: []CodePage{}}
	if m := s.MainCode(); m != nil {
		split = m.Split
		if m.OnCPU {
			c.WithinOf = series.CPU
		}
		cycle := quantity.OrZero(m.BusyS / m.Count)
		c.Pattern, c.Cycles, c.CycleS = Word(text.Clean(m.Pattern)), m.Count, &cycle
		if a.Run.BusyS > 0 {
			c.Samples = int64(math.Round(float64(a.Samples) * m.BusyS / a.Run.BusyS))
		}
	}
	c.BusyS, c.UnnamedShare = split.BusyS, split.UnnamedShare
	c.Classes, c.Libraries = codeParts(split.Classes), codeParts(split.Libraries)
	c.Functions = []CodeFunction{}
	for _, f := range split.Functions {
		c.Functions = append(c.Functions, newFunction(f))
	}
	if o := split.Others; o != nil {
		c.Others = CodeOthers{max(0, o.Count), o.Share, o.CycleS}
	}
	for _, p := range a.Pages {
		c.Pages = append(c.Pages, CodePage{text.Clean(p.Column), functionName(p.Function), text.Clean(p.Library), p.Share})
	}
	for _, n := range newNotes(s) {
		if strings.HasPrefix(string(n.Code), "names_") || strings.HasPrefix(string(n.Code), "code_") ||
			n.Code == "program_replaced" {
			c.Notes = append(c.Notes, n)
		}
	}
	return &c
}

// codeParts returns the classes or libraries with cleaned names.
func codeParts(list []anatomy.Part) []CodePart {
	out := []CodePart{}
	for _, p := range list {
		out = append(out, CodePart{text.Clean(p.Name), p.Share, p.Seconds, p.CycleS, nonNil(p.Within)})
	}
	return out
}

// newFunction returns a function's share with cleaned names.
func newFunction(f anatomy.Share) CodeFunction {
	out := CodeFunction{Name: functionName(f.Function), Full: Word(text.Clean(f.Name)), Library: text.Clean(f.Library),
		Class: string(anatomy.ClassOf(f.Library)),
		Share: f.Share, BusyS: f.Seconds, CycleS: f.CycleS, Lo: f.Lo, Hi: f.Hi, Within: nonNil(f.Within)}
	return out
}

// nonNil returns a copy of the list that is never nil, so that JSON writes [] and not null.
func nonNil[T any](list []T) []T { return append([]T{}, list...) }

// functionName returns the printable name of a function without the suffixes that compilers add.
func functionName(f anatomy.Function) Word {
	return Word(text.Clean(anatomy.NormalName(f.Library, f.Name)))
}

// codeLine is a line of the table of functions. Code without a name has one line per library, the kernel one
// line in all.
type codeLine struct {
	name, library, class string
	share                float64
	seconds              float64 // per cycle where cycles were sampled, else of the run
	lo, hi               *float64
	within               []float64 // empty: its course within the cycle is unknown
}

// notSeparated is printed where the course of code within a cycle is unknown.
const notSeparated = "not separated from other code"

// listedFunctions is the largest number of lines in the table, leastListed the smallest share of CPU time that
// gets a line.
const listedFunctions, leastListed = 10, 0.005

// lines returns the lines of the table of functions, largest share first: at most listedFunctions, each with at least
// leastListed of the CPU time. Functions of the same printed name and library share a line. others sums the functions
// without a line; seconds is their CPU time in s, per cycle where cycles were sampled.
func (c CodeShares) lines() (lines []codeLine, others CodeOthers, seconds float64) {
	at := map[string]int{}
	named := slices.ContainsFunc(c.Functions, func(f CodeFunction) bool { return f.Name != "" })
	for _, f := range c.Functions {
		l := codeLine{name: string(f.Name), library: shortLibrary(f.Library), class: f.Class, share: f.Share,
			seconds: f.BusyS, lo: f.Lo, hi: f.Hi, within: slices.Clone(f.Within)}
		if f.CycleS != nil {
			l.seconds = *f.CycleS
		}
		switch {
		case f.Class == string(anatomy.Kernel):
			l.name, l.library = "kernel", ""
		case f.Library == anatomy.NoFile:
			l.name, l.library = "code made at run time", ""
		case f.Library == anatomy.Unresolved:
			l.name, l.library = "not resolved", ""
		case l.name == "" && !named: // only names of files are known
			l.name, l.library = l.library, ""
		case l.name == "":
			l.name = "unnamed code"
		}
		key := l.name + "\x00" + l.library
		i, ok := at[key]
		if !ok {
			at[key] = len(lines)
			lines = append(lines, l)
			continue
		}
		lines[i].add(l)
	}
	slices.SortStableFunc(lines, func(a, b codeLine) int { return cmp.Compare(b.share, a.share) })
	n := min(len(lines), listedFunctions)
	for n > 0 && lines[n-1].share < leastListed {
		n--
	}
	others = c.Others
	if others.CycleS != nil {
		seconds = *others.CycleS
	} else {
		seconds = c.BusyS * others.Share
	}
	for _, l := range lines[n:] {
		others.Count, others.Share, seconds = others.Count+1, others.Share+l.share, seconds+l.seconds
	}
	return lines[:n], others, seconds
}

// add merges line o into l. The interval of the sum is unknown; its course within a cycle is unknown where that
// of either line is.
func (l *codeLine) add(o codeLine) {
	if len(o.within) == 0 {
		l.within = nil
	}
	l.share, l.seconds, l.lo, l.hi = l.share+o.share, l.seconds+o.seconds, nil, nil
	for i := range l.within {
		if i < len(o.within) {
			l.within[i] += o.within[i]
		}
	}
}

// shortLibrary returns the name of a library's file without ".so" and the version.
func shortLibrary(file string) string {
	if at := strings.Index(file, ".so"); at > 0 {
		return file[:at]
	}
	return file
}

// className returns the printed words for a class of code; an unknown class is returned unchanged.
func className(class string) string {
	words := map[string]string{
		string(anatomy.Own): "own code", string(anatomy.Math): "math libraries",
		string(anatomy.Communication): "communication", string(anatomy.IO): "file libraries",
		string(anatomy.OpenMP): "OpenMP", string(anatomy.Language): "language runtime", string(anatomy.CRuntime): "C runtime",
		string(anatomy.Kernel):    "kernel",
		string(anatomy.GPUDriver): "GPU driver", string(anatomy.Unnamed): "made at run time",
		string(anatomy.NotResolved): "not resolved",
	}
	if w, ok := words[class]; ok {
		return w
	}
	return class
}
