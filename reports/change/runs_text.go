package change

import (
	"fmt"
	"io"
	"math"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// RunsJSON writes the comparison of two runs in the JSON form of all comparisons; values that two runs cannot
// have are null.
func RunsJSON(w io.Writer, t RunPair) error {
	var relative *float64
	if len(t.Numbers) > 0 && t.Numbers[0].Name == elapsed {
		relative = t.Numbers[0].RelativePct
	}
	return write(w, struct {
		jsonPair
		Numbers   []Number         `json:"numbers"`
		Phases    []Number         `json:"phases"`
		Functions []Number         `json:"functions"`
		Recorded  []Recorded       `json:"recorded"`
		Extra     phase.Difference `json:"extra"`
	}{
		jsonPair{Schema: SchemaCompare, Base: t.A, Other: t.B, Pairs: 1, Used: 1, RelativePct: relative,
			Changes: []jsonChange{}, Histogram: []jsonBin{}, Notes: []note.Note{oneEach()}},
		nonNil(t.Numbers), nonNil(t.Phases), nonNil(t.Functions), nonNil(t.Recorded), t.Extra,
	})
}

// oneEach returns the note that says why there is no interval.
func oneEach() note.Note {
	return note.New(note.TooFewSets,
		"one run each gives no interval of the difference: `jobgait compare --like` compares all runs like them")
}

// RunsText writes the comparison of two runs as text.
func RunsText(w io.Writer, t RunPair) error {
	var p text.Page
	p.Text("", t.headline())
	for _, line := range t.doubts() {
		p.Text("", line)
	}
	p.Line("")
	p.Columns(t.rows("", append(nonNil(t.Numbers), t.Phases...)))
	if len(t.Functions) > 0 {
		p.Line("")
		p.Columns(t.rows("CPU time in", t.Functions))
	}
	for i, r := range t.Recorded {
		if i == 0 {
			p.Line("")
			p.Text("", "recorded, and not the same:")
		}
		p.Text("  ", fmt.Sprintf("%s: %s -> %s", text.Clean(r.Name), orUnknown(r.A), orUnknown(r.B)))
	}
	p.Line("")
	p.Text("NOTE     ", oneEach().Text)
	if err := p.Print(w); err != nil {
		return fmt.Errorf("write the comparison of runs: %w", err)
	}
	return nil
}

// rows returns a table of quantities of both runs; head is the title of its first column.
func (t RunPair) rows(head string, list []Number) [][]string {
	rows := [][]string{{head, t.A, t.B, "B against A"}}
	for _, n := range list {
		rows = append(rows, []string{functionName(n.Name), n.print(n.A), n.print(n.B),
			quantity.Optional(n.RelativePct, quantity.Signed)})
	}
	return rows
}

// headline says how much longer B took and, where the phases of both are known, in which phases.
func (t RunPair) headline() string {
	what := fmt.Sprintf("Job %s against job %s", t.B, t.A)
	if len(t.Numbers) == 0 || t.Numbers[0].Name != elapsed || t.Numbers[0].RelativePct == nil {
		return what + ": how long they took is not known of both."
	}
	pct, extra := *t.Numbers[0].RelativePct, t.Extra.ExtraS
	way := "more"
	if pct < 0 {
		way = "less"
	}
	text := fmt.Sprintf("%s: %s %s (%s)", what, quantity.Duration(math.Abs(extra)), way, quantity.Signed(pct))
	if math.Abs(pct) < 0.05 {
		text = what + ": as long"
	}
	var parts []string
	for _, p := range t.Extra.Parts {
		if len(t.Phases) > 0 && math.Abs(p.ExtraS) >= math.Max(0.5, 0.01*math.Abs(extra)) {
			sign := "+"
			if p.ExtraS < 0 {
				sign = "-"
			}
			parts = append(parts, p.Name+" "+sign+quantity.Duration(math.Abs(p.ExtraS)))
		}
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text + "."
}

// doubts returns sentences on why the two runs may not be comparable: one failed, or they differ in user,
// program or size.
func (t RunPair) doubts() []string {
	var out []string
	for i, job := range []string{t.A, t.B} {
		if t.Ended[i] != "" {
			out = append(out, fmt.Sprintf("Job %s ended: %s; it may not have done all of its work.", job,
				text.Clean(t.Ended[i])))
		}
	}
	var differ []string
	for _, r := range t.Recorded {
		switch r.Name {
		case "user", "application", "executable", "number of nodes", "tasks", "CPUs", "size":
			differ = append(differ, r.Name)
		}
	}
	if n := len(differ); n > 0 {
		text := differ[0]
		if n > 1 {
			text = strings.Join(differ[:n-1], ", ") + " and " + differ[n-1]
		}
		out = append(out, "They are not runs of one history: not the same "+text+".")
	}
	return out
}

// phases returns the times in s that the two runs spent in each kind of phase that at least one of them has. The times
// of a run without phases are unknown.
func phases(a, b summary.Summary) []Number {
	kinds := []struct {
		kind phase.Stage
		name string
	}{{phase.StartUp, phase.StartUp.ReaderText()}, {phase.Loop, "in steps"}, {phase.Checkpoint, "checkpoints"},
		{phase.Gap, phase.Gap.ReaderText()}, {phase.Unfollowed, phase.Unfollowed.ReaderText()},
		{phase.Tail, phase.Tail.ReaderText()}, {phase.Aperiodic, "without period"}}
	spent := func(s summary.Summary, k phase.Stage) *float64 {
		if len(s.Phases) == 0 {
			return nil
		}
		v := 0.0
		for _, t := range phase.Totals(s.Phases) {
			if t.Kind == k {
				v += t.S
			}
		}
		return quantity.Finite(v)
	}
	var out []Number
	for _, k := range kinds {
		if n := newNumber(k.name, "s", spent(a, k.kind), spent(b, k.kind)); n.A != nil && *n.A != 0 ||
			n.B != nil && *n.B != 0 {
			out = append(out, n)
		}
	}
	return out
}

// print prints one of the two values in the quantity's unit.
func (n Number) print(v *float64) string {
	if v == nil {
		return quantity.Missing
	}
	if n.Unit == "" && *v == math.Trunc(*v) && math.Abs(*v) < 1e9 {
		return quantity.Count(int64(*v)) // iterations are counted
	}
	return strings.TrimSpace(quantity.Figures(*v, 4) + " " + n.Unit)
}

// orUnknown returns the text, or "-" for nil.
func orUnknown(s *string) string {
	if s == nil {
		return quantity.Missing
	}
	return text.Clean(*s)
}
