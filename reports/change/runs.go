package change

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/phase"
	"jobgait/analysis/summary"
	"jobgait/reports"
)

// TwoRuns is one run held against another, field by field and phase by phase.
// Two runs have no interval: what differs by chance and what does not, only
// histories tell.
type TwoRuns struct {
	A, B string // job ids
	// Numbers are what both or one of them measured.
	Numbers []Number
	// Recorded are the fields that differ: what was run, where, with what.
	Recorded []Recorded
	// Extra is where the additional time of B went.
	Extra phase.Difference
}

// Number is one quantity of two runs; nil is not known.
type Number struct {
	Name string   `json:"name"`
	Unit string   `json:"unit"`
	A    *float64 `json:"a"`
	B    *float64 `json:"b"`
	// RelativePct is how much larger B is.
	RelativePct *float64 `json:"relative_pct"`
}

// Recorded is a recorded field that two runs do not share; nil is not known.
type Recorded struct {
	Name string  `json:"name"`
	A    *string `json:"a"`
	B    *string `json:"b"`
}

// CompareRuns holds run b against run a.
func CompareRuns(a, b summary.Summary) TwoRuns {
	t := TwoRuns{A: a.DisplayID(), B: b.DisplayID(), Numbers: numbers(a, b), Recorded: []Recorded{},
		Extra: phase.Decompose(phase.BreakdownOf(a.ElapsedS, a.Phases, a.Patterns), phase.BreakdownOf(b.ElapsedS, b.Phases, b.Patterns))}
	x, y := recorded(a), recorded(b)
	names := slices.Concat(slices.Collect(maps.Keys(x)), slices.Collect(maps.Keys(y)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if x[name] != y[name] {
			t.Recorded = append(t.Recorded, Recorded{name, text(x[name]), text(y[name])})
		}
	}
	return t
}

// numbers are the quantities that one of the runs has at least.
func numbers(a, b summary.Summary) []Number {
	var out []Number
	x, y := quantities(a), quantities(b)
	for i := range x {
		n := Number{Name: x[i].name, Unit: x[i].unit, A: finite(x[i].value), B: finite(y[i].value)}
		if n.A == nil && n.B == nil {
			continue
		}
		if n.A != nil && n.B != nil && *n.A > 0 {
			n.RelativePct = finite(100 * (*n.B / *n.A - 1))
		}
		out = append(out, n)
	}
	return out
}

type quantity struct {
	name, unit string
	value      float64
}

// quantities are those of one run in a fixed order; NaN is not known.
func quantities(s summary.Summary) []quantity {
	unknown := math.NaN()
	of := func(v *float64) float64 {
		if v == nil {
			return unknown
		}
		return *v
	}
	period, iterations, busy := unknown, unknown, 0.0
	if p, ok := s.Period(); ok {
		period, iterations = p, float64(s.Patterns[0].Instances)
	}
	for _, n := range s.Nodes {
		busy += of(n.BusyCPUs)
	}
	if len(s.Nodes) == 0 {
		busy = unknown
	}
	return []quantity{
		{"elapsed", "s", cmp.Or(s.ElapsedS, unknown)}, {"step", "s", of(s.StepS)}, {"period", "s", period},
		{"iterations", "", iterations}, {"busy CPUs", "", busy}, {"imbalance", "%", of(s.ImbalancePct)},
	}
}

// recorded are the fields of a run that may explain a difference.
func recorded(s summary.Summary) map[string]string {
	j := s.Job
	count := func(n *int) string {
		if n == nil {
			return ""
		}
		return fmt.Sprint(*n)
	}
	f := map[string]string{"executable": j.Executable, "partition": j.Partition, "nodes": j.NodeList, "size": j.Size,
		"tasks": count(j.NTasks), "CPUs": count(j.NCPUs), "user": j.User, "application": j.App, "ended": ended(s)}
	if j.NNodes > 0 {
		f["number of nodes"] = fmt.Sprint(j.NNodes)
	}
	maps.Copy(f, j.Fields)
	maps.DeleteFunc(f, func(_, v string) bool { return v == "" })
	return f
}

// ended is how a run ended, as far as it is known: a run that failed is no
// faster than one that did not.
func ended(s summary.Summary) string {
	switch e := s.Exit; {
	case e != nil && e.Signal != 0:
		return fmt.Sprintf("by signal %d", e.Signal)
	case e != nil:
		return fmt.Sprintf("with exit code %d", e.Code)
	}
	return s.State
}

// RunsJSON writes the comparison of two runs in the form of all comparisons;
// what two runs cannot have is null.
func RunsJSON(w io.Writer, t TwoRuns) error {
	var relative *float64
	if len(t.Numbers) > 0 && t.Numbers[0].Name == "elapsed" {
		relative = t.Numbers[0].RelativePct
	}
	return write(w, struct {
		jsonPair
		Numbers  []Number         `json:"numbers"`
		Recorded []Recorded       `json:"recorded"`
		Extra    phase.Difference `json:"extra"`
	}{
		jsonPair{Schema: SchemaCompare, Base: t.A, Other: t.B, Pairs: 1, Used: 1, RelativePct: relative,
			Changes: []jsonChange{}, Histogram: []jsonBin{}, Notes: []note.Note{oneEach()}},
		list(t.Numbers), list(t.Recorded), t.Extra,
	})
}

// oneEach says why there is no interval.
func oneEach() note.Note {
	return note.New(note.TooFewSets, "one run each: whether they differ by more than chance, `jobgait changes` tells of their history")
}

// RunsText writes the comparison of two runs for people.
func RunsText(w io.Writer, t TwoRuns) error {
	var p paper
	p.wrapped("", fmt.Sprintf("job %s against job %s: %s.", t.B, t.A, t.Extra))
	p.empty()
	rows := [][]string{{"", t.A, t.B, "B against A"}}
	for _, n := range t.Numbers {
		rows = append(rows, []string{n.Name, n.print(n.A), n.print(n.B), n.relative()})
	}
	table(&p, rows)
	for i, r := range t.Recorded {
		if i == 0 {
			p.empty()
			p.wrapped("", "recorded, and not the same:")
		}
		p.wrapped("  ", fmt.Sprintf("%s: %s -> %s", reports.Clean(r.Name), orUnknown(r.A), orUnknown(r.B)))
	}
	p.empty()
	p.wrapped("NOTE     ", oneEach().Text)
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

func (n Number) print(v *float64) string {
	if v == nil {
		return "-"
	}
	return strings.TrimSpace(reports.Figures(*v, 4) + " " + n.Unit)
}

func (n Number) relative() string {
	if n.RelativePct == nil {
		return "-"
	}
	if *n.RelativePct >= 0 {
		return "+" + percent(*n.RelativePct)
	}
	return percent(*n.RelativePct)
}

func orUnknown(s *string) string {
	if s == nil {
		return "-"
	}
	return reports.Clean(*s)
}

// table sets rows in columns, the first to the left and the others to the right.
func table(p *paper, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		line := fmt.Sprintf("  %-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", widths[i+1], cell)
		}
		p.b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
