package job

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/reports/plot"
	"jobgait/reports/text"
)

const (
	// leastProgram is the share of the CPU time from which a program has a line, manyStarts the number of processes.
	leastProgram, manyStarts = 0.005, 10
	// listedPrograms bounds the lines, programName is the width of names, programStrip the largest width of the strip of
	// when a program ran in the text.
	listedPrograms, programName, programStrip = 10, 14, 18
)

// shortProgram cuts a program's name to programName columns in its middle: x86_64-linux-gnu-as and x86_64-linux-gnu-ld
// differ at the end.
func shortProgram(name string) string {
	if text.Width(name) <= programName {
		return name
	}
	runes := []rune(name)
	for tail := programName / 2; tail > 0; tail-- {
		if end := string(runes[len(runes)-min(len(runes), tail):]); text.Width(end) <= programName/2 {
			return text.Prefix(name, programName-1-text.Width(end)) + "*" + end
		}
	}
	return text.Cut(name, programName)
}

// newPrograms returns the programs of a run; never nil.
func newPrograms(s summary.Summary) []run.Program {
	out := []run.Program{}
	for _, p := range s.Programs {
		p.Strip = nonNil(p.Strip)
		out = append(out, p)
	}
	return out
}

// printedPrograms returns the programs that get a line, at most listedPrograms: those with at least leastProgram of the
// CPU time or manyStarts processes. A single program gets a line only with manyStarts processes, because the head
// already names it; otherwise the result is nil.
func (r Report) printedPrograms() []run.Program {
	var out []run.Program
	for _, p := range r.Programs {
		if (p.Share >= leastProgram || p.Started >= manyStarts) && len(out) < listedPrograms {
			out = append(out, p)
		}
	}
	if len(out) < 2 && (len(out) == 0 || out[0].Started < manyStarts) {
		return nil
	}
	return out
}

// briefProgram is the least share of the CPU time at which the head of the report names a program.
const briefProgram = 0.1

// programsBrief names the programs with most CPU time, at most briefParts, with their shares; "" unless two or more
// have briefProgram or more.
func (r Report) programsBrief() string {
	var parts []string
	for _, p := range r.Programs {
		if p.Share >= briefProgram && len(parts) < briefParts {
			parts = append(parts, quantity.Share(p.Share)+" "+text.Cut(text.Clean(p.Name), 30))
		}
	}
	if len(parts) < 2 {
		return ""
	}
	return strings.Join(parts, ", ") + " of the CPU time"
}

// programsRemark says what the table is of.
func (r Report) programsRemark() string {
	words := "what the run started, most CPU time first"
	if r.Nodes.Total > 1 && r.Rhythm.LeadNode != "" {
		words += ", on " + text.Cut(string(r.Rhythm.LeadNode), 20)
	}
	return words
}

// programCPU is the CPU time of a program in seconds, NaN for a run on several nodes and where the busy CPUs are not
// known.
func (r Report) programCPU(p run.Program) float64 {
	busy := r.Resources.CPU.Busy
	if busy == nil || r.Nodes.Total > 1 {
		return math.NaN()
	}
	return p.Share * *busy * r.Job.ElapsedS
}

// programRows returns the table of the printed programs, nil without any. strip draws when a program ran.
func (r Report) programRows(strip func(run.Program) text.Cell) []text.Row {
	list := r.printedPrograms()
	if len(list) == 0 {
		return nil
	}
	rows := []text.Row{{text.Left("program"), text.Right("started"), text.Right("first"), text.Right("last"),
		text.Right("CPU time"), text.Right("share"), text.Left(duringTheRun)}}
	for _, p := range list {
		seconds := quantity.Missing
		if v := r.programCPU(p); !math.IsNaN(v) {
			seconds = quantity.Duration(v)
		}
		rows = append(rows, text.Row{text.Left(shortProgram(p.Name)), text.Right(quantity.Count(max(1, p.Started))),
			text.Right(quantity.Position(max(0, p.FirstS), r.Job.ElapsedS)),
			text.Right(quantity.Position(min(max(0, p.LastS), r.Job.ElapsedS), r.Job.ElapsedS)),
			text.Right(seconds), text.Right(quantity.Share(p.Share)), strip(p)})
	}
	return rows
}

// programLevels returns how busy a program was in n parts of the run, 0 to 1; NaN where it did not run.
func (r Report) programLevels(p run.Program, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		sum, bins := 0.0, 0.0
		from, to := float64(i)*r.Job.ElapsedS/float64(n), float64(i+1)*r.Job.ElapsedS/float64(n)
		for k, v := range p.Strip {
			start := p.StripStartS + float64(k)*p.StripStepS
			if overlap := math.Min(to, start+p.StripStepS) - math.Max(from, start); overlap > 0 {
				sum, bins = sum+v*overlap, bins+overlap
			}
		}
		if out[i] = math.NaN(); bins > 0 && sum > 0 {
			out[i] = sum / bins
		}
	}
	return out
}

// duringTheRun is the title of the strips of when a program ran.
const duringTheRun = "during the run"

// textPrograms prints the section on the programs that printedPrograms returns, and nothing if it returns none.
func (r Report) textPrograms(p *text.Page) {
	rows := r.programRows(func(run.Program) text.Cell { return text.Cell{} })
	if len(rows) == 0 {
		return
	}
	width := min(programStrip, len(duringTheRun)+text.Room(rows))
	rows = r.programRows(func(x run.Program) text.Cell {
		return text.Left(text.Spark(r.programLevels(x, width), 0, 1, r.ascii))
	})
	p.Section("PROGRAMS", r.programsRemark())
	p.Table(rows)
}

// pageProgramRows returns the table of programs with a picture of when each ran.
func (r Report) pageProgramRows() []text.Row {
	const points = 96
	return r.programRows(func(p run.Program) text.Cell {
		levels := r.programLevels(p, points)
		for i, v := range levels {
			if math.IsNaN(v) {
				levels[i] = 0
			}
		}
		return text.Cell{Left: true, Wide: true, Art: template.HTML(plot.Strip("own", levels,
			fmt.Sprintf("when %s ran: from %s to %s", p.Name, quantity.Position(p.FirstS, r.Job.ElapsedS),
				quantity.Position(p.LastS, r.Job.ElapsedS))))}
	})
}
