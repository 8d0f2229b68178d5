package change

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/changepoint/pair"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// SchemaCompare names the JSON form of comparisons.
const SchemaCompare = "jobgait.compare/1"

// Pair is the comparison of a history with a baseline.
type Pair struct {
	Base, Other string // the titles of the two histories
	Of          string // the subject of both histories, where Base and Other do not say it
	pair.Comparison
	// Join is how the runs were paired; "" for two sets of runs, whose sizes Runs holds.
	Join pair.Join
	Runs [2]int
	// Unit is the unit of the values; "" where it is unknown or differs.
	Unit string
	// Ratio is the history of the relative difference in percent, with the changes that the comparison found.
	Ratio JudgedHistory
}

// Compare joins two histories and compares the second with the first.
func Compare(base, other History, join pair.Join) Pair {
	c := pair.Compare(base.Runs.Series, other.Runs.Series, join)
	c.Notes = slices.Concat(base.readNotes(), other.readNotes(), c.Notes)
	return Pair{Base: base.Title(), Other: other.Title(), Join: join, Unit: base.commonUnit(other), Comparison: c,
		Ratio: ratio(base, other, join, c)}
}

// CompareSets compares all runs of the second history with all runs of the first, without pairing them.
func CompareSets(base, other History) Pair {
	c := pair.CompareSets(base.Runs.Series, other.Runs.Series)
	c.Notes = slices.Concat(base.readNotes(), other.readNotes(), c.Notes)
	if c.RelativePct != nil {
		c.Notes = append(c.Notes, note.New(note.NoPairs,
			"all runs of one history are compared with all of the other: a slower machine during one of them looks like a "+
				"slower program: make runs of both on the same days"))
	}
	return Pair{Base: base.Title(), Other: other.Title(), Unit: base.commonUnit(other), Comparison: c,
		Runs: [2]int{base.Values(), other.Values()}}
}

// commonUnit returns the unit of two histories, "" where their units differ.
func (h History) commonUnit(other History) string {
	if h.Unit != other.Unit {
		return ""
	}
	return h.Unit
}

// readNotes returns the notes from reading a history, with its title.
func (h History) readNotes() []note.Note {
	var out []note.Note
	for _, n := range h.Runs.Notes {
		out = append(out, note.New(n.Code, "%s: %s", h.Title(), n.Text))
	}
	return out
}

type jsonBin struct {
	Lo    *float64 `json:"lo"`
	Hi    *float64 `json:"hi"`
	Count int      `json:"count"`
}

type jsonPair struct {
	Schema      string       `json:"schema"`
	Base        string       `json:"a"`
	Other       string       `json:"b"`
	Join        *string      `json:"join"`
	Pairs       int          `json:"pairs"`
	Dropped     int          `json:"dropped"`
	Used        int          `json:"used"`
	RelativePct *float64     `json:"relative_pct"`
	LoPct       *float64     `json:"ci_lo_pct"`
	HiPct       *float64     `json:"ci_hi_pct"`
	Level       *float64     `json:"level"`
	P           *float64     `json:"p"`
	Significant bool         `json:"significant"`
	Need        *int         `json:"need"`
	SeePct      *float64     `json:"see_pct"`
	Correlation *float64     `json:"correlation"`
	Changes     []jsonChange `json:"changes"`
	Histogram   []jsonBin    `json:"histogram"`
	Notes       []note.Note  `json:"notes"`
}

// PairJSON writes a comparison as one object. Indexes of changes count pairs.
func PairJSON(w io.Writer, p Pair) error {
	out := jsonPair{Schema: SchemaCompare, Base: p.Base, Other: p.Other, Join: textOrNull(string(p.Join)), Pairs: p.Pairs,
		Dropped: p.Dropped, Used: p.Used,
		RelativePct: quantity.FiniteOf(p.RelativePct), LoPct: quantity.FiniteOf(p.LoPct), HiPct: quantity.FiniteOf(p.HiPct),
		Level: quantity.Finite(p.Level), P: quantity.FiniteOf(p.P),
		Significant: p.Significant, Need: p.Need, SeePct: quantity.Finite(p.SeePct),
		Correlation: quantity.FiniteOf(p.Correlation),
		Changes:     []jsonChange{}, Histogram: []jsonBin{}, Notes: nonNil(p.Notes)}
	for _, c := range p.Changes {
		out.Changes = append(out.Changes, p.Ratio.jsonChange(c, Default()))
	}
	for _, b := range p.Histogram {
		out.Histogram = append(out.Histogram, jsonBin{quantity.Finite(b.Lo), quantity.Finite(b.Hi), b.Count})
	}
	return write(w, out)
}

// PairText writes a comparison as text in the style of benchstat: "~" where no difference was shown, and how
// many more runs are needed to show one.
func PairText(w io.Writer, p Pair) error {
	var t text.Page
	t.Text("", p.Sentence())
	for _, line := range p.Facts() {
		t.Text("  ", line)
	}
	if len(p.Histogram) > 1 {
		t.Line("")
		t.Text("", "relative differences, "+p.Other+" against "+p.Base+":")
		bars(&t, p)
	}
	if len(p.Changes) > 0 {
		t.Line("")
		for _, line := range p.ChangeLines() {
			t.Text("  ", line)
		}
	}
	for i, n := range p.Notes {
		if i == 0 {
			t.Line("")
		}
		t.Text("NOTE     ", text.Clean(n.Text))
	}
	if err := t.Print(w); err != nil {
		return fmt.Errorf("write the comparison of two histories: %w", err)
	}
	return nil
}

// Sentence returns a sentence on how the two compare: by how much they differ with the interval, that no difference was
// shown ("~"), or that there are not enough runs.
func (p Pair) Sentence() string {
	switch {
	case p.RelativePct == nil:
		return fmt.Sprintf("%s against %s: not enough runs to tell.", p.Other, p.Base)
	case !p.Significant:
		return fmt.Sprintf("%s against %s: ~ (no difference shown%s).", p.Other, p.Base, p.interval())
	}
	verb, way := "takes", "longer"
	switch less := *p.RelativePct < 0; {
	case !isTime(p.Unit) && less:
		verb, way = "is", "lower"
	case !isTime(p.Unit):
		verb, way = "is", "higher"
	case less:
		way = "less time"
	}
	return fmt.Sprintf("%s %s %s %s than %s%s.", p.Other, verb, quantity.Percent(math.Abs(*p.RelativePct)), way, p.Base,
		p.interval())
}

// interval returns the interval of the difference in words, "" without one. RelativePct must be known.
func (p Pair) interval() string {
	lo, hi, ok := bounds(*p.RelativePct, p.LoPct, p.HiPct)
	if !ok {
		return ""
	}
	if !p.Significant {
		lo, hi = *p.LoPct, *p.HiPct
		return fmt.Sprintf("; %s interval %s", quantity.Chosen(100*p.Level), quantity.PercentRange(lo, hi))
	}
	return fmt.Sprintf(" (%s interval %s)", quantity.Chosen(100*p.Level), quantity.PercentRange(lo, hi))
}

// Facts returns the numbers behind the sentence, one per line.
func (p Pair) Facts() []string {
	unit := ""
	if p.Join != "" {
		unit = " by " + string(p.Join)
	}
	text := "n = " + quantity.Plural(p.Pairs, "pair") + unit
	if p.Join == "" {
		text = fmt.Sprintf("n = %d and %s", p.Runs[0], quantity.Plural(p.Runs[1], "run"))
	}
	if p.Join != "" && p.RelativePct != nil && p.Used != p.Pairs {
		text += fmt.Sprintf(", %d used since the ratio last changed", p.Used)
	}
	out := []string{text + fmt.Sprintf(", %s dropped", quantity.Plural(p.Dropped, "run"))}
	var odds []string
	if p.P != nil {
		odds = append(odds, quantity.Chance(*p.P))
	}
	// The correlation of three pairs is a number and says nothing.
	const enough = 10
	if p.Correlation != nil && p.Pairs >= enough {
		odds = append(odds, "correlation of the two "+quantity.Hundredths(*p.Correlation))
	}
	if len(odds) > 0 {
		out = append(out, strings.Join(odds, "; "))
	}
	if p.Need != nil {
		what := quantity.Plural(*p.Need, "more pair")
		if p.Join == "" {
			what = quantity.Plural(*p.Need, "more run") + " of each"
		}
		out = append(out, "need "+what+" to see "+quantity.Chosen(p.SeePct))
	}
	return out
}

// bars draws the histogram as lines of text; one line stands for several adjacent empty bins.
func bars(t *text.Page, p Pair) {
	largest := 1
	for _, b := range p.Histogram {
		largest = max(largest, b.Count)
	}
	const room = 46
	edge := edges(p.Histogram)
	for i, b := range p.Histogram {
		beside := i > 0 && p.Histogram[i-1].Count == 0
		if b.Count == 0 && beside {
			continue
		}
		if b.Count == 0 && i+1 < len(p.Histogram) && p.Histogram[i+1].Count == 0 {
			t.Line("           ...")
			continue
		}
		bar := strings.Repeat("#", (b.Count*room+largest-1)/largest)
		line := fmt.Sprintf("  %8s .. %8s |%-s %d", edge(b.Lo), edge(b.Hi), bar, b.Count)
		t.Line(line)
	}
}

// edges returns a function that prints the edges of bins with enough digits for the two edges of a bin to
// differ.
func edges(bins []pair.Bin) func(float64) string {
	for _, b := range bins {
		if quantity.Signed(b.Lo) == quantity.Signed(b.Hi) && b.Lo < b.Hi {
			return func(percent float64) string { return quantity.SignedTo(percent, 3) }
		}
	}
	return quantity.Signed
}

// ChangeLines returns a line for each change of the ratio: its size, its date, its pair, and the interval if it is
// known.
func (p Pair) ChangeLines() []string {
	var out []string
	o := Options{Now: math.Inf(1)}
	for _, c := range p.Changes {
		line := fmt.Sprintf("the ratio changed by %s on %s (pair %d)", quantity.Signed(c.EffectPct), p.Ratio.date(c.T, o),
			c.Index)
		if lo, hi, ok := bounds(1, c.LoPct, c.HiPct); ok {
			line += fmt.Sprintf(", %s interval %s", quantity.Chosen(100*c.Level), quantity.PercentRange(lo, hi))
		}
		out = append(out, line)
	}
	return out
}

// ratio returns the history of how much longer the other takes than the base in percent, with the changes that
// the comparison found.
func ratio(base, other History, join pair.Join, c pair.Comparison) JudgedHistory {
	h := pair.Ratio(base.Series, other.Series, join, c.Changes)
	var s JudgedHistory
	s.ID, s.Unit, s.Calendar = "difference", "%", base.Calendar && other.Calendar
	s.T, s.Y, s.Result.Regimes, s.Result.Outliers = h.T, h.Y, h.Regimes, h.Outliers
	s.Result.N, s.Result.Changes = len(s.Y), c.Changes
	for _, found := range s.Result.Events(s.Series) {
		s.Events = append(s.Events, ShownEvent{Event: found})
	}
	return s
}
