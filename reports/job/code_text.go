package job

import (
	"fmt"
	"math"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/reports/text"
)

// Widths of the columns of the table of functions, which fill a line of text.
const codeNumber, codeName, codeLibrary = 6, 19, 9

// textCode prints the section on the code of one cycle, or of the run if no cycle was sampled; nothing if no
// code was sampled.
func (r Report) textCode(p *text.Page) {
	c := r.Code
	if c == nil {
		return
	}
	p.Section("CODE", r.codeRemark())
	p.Text("  by kind     ", c.kinds())
	by, unit := c.unit()
	head := "  " + text.PadLeft(unit, codeNumber) + "  " + text.PadLeft("share", codeNumber) + "  "
	if c.Pattern != "" {
		head += text.PadRight("within "+r.codeSpan(), anatomy.Bins) + " "
	}
	lines, others, rest := c.lines()
	if len(lines) == 0 {
		return
	}
	p.Line(head + text.PadRight("code", codeName) + " library")
	row := func(seconds, share float64, course, name, library string) {
		line := "  " + text.PadLeft(codeFigure(seconds*by), codeNumber) + "  " +
			text.PadLeft(c.share(share), codeNumber) + "  "
		if c.Pattern != "" {
			line += text.PadRight(course, anatomy.Bins) + " "
			name, library = shortName(name, codeName), shortName(library, codeLibrary)
		}
		p.Line(line + text.PadRight(name, codeName) + " " + library)
	}
	for _, l := range lines {
		course := notSeparated
		if len(l.within) > 0 {
			course = r.codeSpark(l.within)
		}
		row(l.seconds, l.share, course, l.name, l.library)
	}
	if others.Count > 0 {
		row(rest, others.Share, "", quantity.Count(others.Count)+" others", "")
	}
	p.Text("  ", c.noise())
	for _, n := range c.Notes {
		p.Text("  ", text.Sentence(n.Text))
	}
}

// Bounds of what codeBrief names: functions with a share of briefFunction or more, provided that the first has
// leadFunction or more; else libraries with briefFunction or more; briefParts names at most.
const (
	leadFunction, briefFunction = 0.1, 0.05
	leastNamed                  = 0.25 // below it a few functions do not say where the time went
	briefParts                  = 3
	leastCommunication          = 0.01
)

// codeBrief returns a line on which code used the CPU time: the leading functions, else the libraries with at least
// briefFunction, else all classes. It adds the share of communication and the idle part of a cycle, if these are large
// enough. It returns "" if no code was sampled.
func (r Report) codeBrief() string {
	c := r.Code
	if c == nil || len(c.Classes) == 0 {
		return ""
	}
	parts, covered := c.leadingFunctions()
	if covered < leastNamed {
		parts = nil
		for _, l := range c.Libraries {
			if len(parts) < briefParts && l.Share >= briefFunction {
				parts = append(parts, c.share(l.Share)+" "+libraryWords(l.Name))
			}
		}
	}
	if len(parts) == 0 {
		parts = append(parts, c.kinds())
	}
	line := strings.Join(parts, ", ") + " of the CPU time"
	for _, k := range c.Classes {
		if k.Name == string(anatomy.Communication) && k.Share >= leastCommunication {
			line += "; communication " + c.share(k.Share)
		}
	}
	if c.CycleS != nil && !r.disturbed && !r.waitedForCPUs() { // time that it lacked is not part of its cycle
		off := 1 - *c.CycleS/r.codePeriod()
		if busy := r.Nodes.BusyCPUs; busy != nil && *busy <= 1 && off >= briefFunction {
			line += "; " + r.idleInCycle(off)
		}
	}
	return line
}

// leastCPUWait is the least share of the elapsed time of waiting for a CPU at which a cycle's idle part is not known.
const leastCPUWait = 0.05

// waitedForCPUs reports whether tasks are known to have waited for CPUs for leastCPUWait of the elapsed time.
func (r Report) waitedForCPUs() bool {
	d := r.Resources.Time.Division
	return d != nil && d.CPUWait != nil && *d.CPUWait >= leastCPUWait
}

// leadingFunctions returns the names and shares of the functions with at least briefFunction of the CPU time, at most
// briefParts. It skips the kernel and code without a name. It returns nil if the first function that remains has less
// than leadFunction. covered is the sum of their shares.
func (c CodeShares) leadingFunctions() (parts []string, covered float64) {
	for _, f := range c.Functions {
		named := f.Name != "" && f.Class != string(anatomy.Kernel)
		if len(parts) == briefParts || f.Share < briefFunction || len(parts) == 0 && named && f.Share < leadFunction {
			break
		}
		if named {
			parts, covered = append(parts, c.share(f.Share)+" "+shortName(string(f.Name), 40)), covered+f.Share
		}
	}
	return parts, covered
}

// libraryWords returns a library's printed name, or words for the kernel and for code without a file.
func libraryWords(name string) string {
	switch name {
	case anatomy.KernelCode, anatomy.NoFile, anatomy.Unresolved:
		return className(string(anatomy.ClassOf(name)))
	}
	return shortLibrary(name)
}

// codeRemark returns the remark beside the section's title: the CPU time that the shares are parts of, which is that of
// one cycle or of the run, and its node if the run has several.
func (r Report) codeRemark() string {
	c := r.Code
	words := "CPU time of the run: " + quantity.Duration(c.BusyS)
	if c.CycleS != nil {
		words = fmt.Sprintf("CPU time of one %s: %s in %s", c.Pattern, quantity.Period(*c.CycleS),
			quantity.Period(r.codePeriod()))
		if busy := r.Nodes.BusyCPUs; busy != nil && *busy <= 1 && *c.CycleS < 0.95*r.codePeriod() {
			words += "; the rest not running"
		}
	}
	if r.Nodes.Total > 1 && c.Node != "" {
		words += ", on " + text.Cut(string(c.Node), 20)
	}
	return words
}

// codeSpan returns the title of the course of code within a cycle: the pattern, and its length or its CPU time,
// whichever the parts of the cycle divide.
func (r Report) codeSpan() string {
	if c := r.Code; c.WithinOf == series.CPU && c.CycleS != nil {
		return string(c.Pattern) + ", " + quantity.Period(*c.CycleS) + " of CPU time"
	}
	return string(r.Code.Pattern) + ", 0 .. " + quantity.Period(r.codePeriod())
}

// codePeriod returns the mean length in s of the cycles whose code was sampled.
func (r Report) codePeriod() float64 { return r.cyclePeriod(string(r.Code.Pattern)) }

// cyclePeriod returns the mean length in s of a cycle of the pattern with this id, or its period if the mean is
// unknown; NaN for an unknown pattern.
func (r Report) cyclePeriod(pattern string) float64 {
	for _, q := range r.Rhythm.Patterns {
		if q.ID == pattern {
			if q.MeanS != nil {
				return *q.MeanS
			}
			return q.Period.value()
		}
	}
	return math.NaN()
}

// minClassShare is the smallest share of CPU time for which a class is named.
const minClassShare = 0.001

// kinds lists the classes of code with their shares, without those below minClassShare.
func (c CodeShares) kinds() string {
	var out []string
	for _, p := range c.Classes {
		if p.Share >= minClassShare {
			out = append(out, className(p.Name)+" "+c.share(p.Share))
		}
	}
	return strings.Join(out, ", ")
}

// unit returns the unit in which the times of functions are printed, us, ms or s depending on the CPU time that they
// share, and the factor by which seconds are multiplied.
func (c CodeShares) unit() (by float64, name string) {
	longest := c.BusyS
	if c.CycleS != nil {
		longest = *c.CycleS
	}
	switch {
	case longest < 0.01:
		return 1e6, "us"
	case longest < 10:
		return 1e3, "ms"
	}
	return 1, "s"
}

// codeFigure prints a number of a column of numbers: with one decimal, from 1000 on with none.
func codeFigure(v float64) string {
	if v >= 1000 {
		return quantity.Count(int64(math.Round(v)))
	}
	return fmt.Sprintf("%.1f", v)
}

// codeSpark draws the bins of a cycle on a scale from zero; bins with next to nothing are left empty.
func (r Report) codeSpark(within []float64) string {
	v := make([]float64, len(within))
	_, hi, _ := text.FromZero(within)
	for i, x := range within {
		if v[i] = x; x <= hi/50 {
			v[i] = math.NaN()
		}
	}
	return text.Spark(v, 0, hi, r.ascii)
}

// noise returns a sentence on the number of samples and on the error of a share, with the second line of the table (or
// the only one) as the example. Where shares are rough, it says that the samples are too few for exact shares instead.
func (c CodeShares) noise() string {
	words := quantity.Plural(c.Samples, "sample")
	if c.Cycles >= 1 {
		words += " in " + quantity.Plural(int64(math.Round(c.Cycles)), "cycle")
	}
	lines, _, _ := c.lines()
	if len(lines) == 0 || c.Samples < 1 {
		return text.Capitalize(words) + "."
	}
	if c.rough() {
		return fmt.Sprintf("%s, %s a second of CPU time: too few for exact shares. That of the kernel may be up to %s "+
			"points too large.", text.Capitalize(words), quantity.Count(int64(math.Round(c.samplesPerS()))),
			quantity.Figures(100*kernelExcess, 2))
	}
	p := lines[min(1, len(lines)-1)].share
	return fmt.Sprintf("%s: a share of %s is +- %s points", text.Capitalize(words), quantity.Share(p),
		quantity.Figures(100*anatomy.ShareError(p, c.Samples), 2))
}

// shortName shortens a name to at most w columns. It first keeps the last two parts, the class and the method. If these
// are too long, it cuts the end of the class, or the end of the whole if the method leaves no room for a class. A name
// without parts loses its end. "*" marks a cut. A method's name is more useful than its template arguments, and both
// more than the namespace.
func shortName(name string, w int) string {
	if text.Width(name) <= w {
		return name
	}
	at := partAt(name)
	if at <= 0 {
		return text.Prefix(name, w-1) + "*"
	}
	class, method := name[:at], name[at:]
	if outer := partAt(class); outer >= 0 {
		class = class[outer+len("::"):]
	}
	switch {
	case text.Width(class)+text.Width(method) <= w:
		return class + method
	case text.Width(method) < w-2:
		return text.Prefix(class, w-1-text.Width(method)) + "*" + method
	}
	return text.Prefix(class+method, w-1) + "*"
}

// partAt returns the index of the last :: of a name outside of template arguments; -1 without one.
func partAt(name string) int {
	depth := 0
	for i := len(name) - 1; i > 0; i-- {
		switch {
		case name[i] == '>':
			depth++
		case name[i] == '<':
			depth--
		case depth <= 0 && name[i] == ':' && name[i-1] == ':':
			return i - 1
		}
	}
	return -1
}
