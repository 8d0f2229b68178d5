package change

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// ofCode is whether a cause is a function, and no field that was recorded.
func ofCode(c changepoint.Cause) bool {
	return c.Field == changepoint.FunctionField || c.Field == changepoint.ReplacedField
}

// fieldsOf leaves the functions out.
func fieldsOf(causes []changepoint.Cause) []changepoint.Cause {
	return slices.DeleteFunc(slices.Clone(causes), ofCode)
}

// consistsOf names the function that has most of a change, as the part of a sentence:
// its share of the CPU time that was added or saved, where one goes the way of the
// other.
func consistsOf(causes []changepoint.Cause) string {
	for _, c := range causes {
		f := c.Function
		if f == nil {
			continue
		}
		d, more := f.AfterS-f.BeforeS, "added"
		if d < 0 {
			more = "saved"
		}
		text := "; " + functionName(c.To) + " has " + quantity.Period(math.Abs(d))
		if f.TotalS*d > 0 {
			text += " of the " + quantity.Period(math.Abs(f.TotalS))
		}
		return text + " of CPU time a cycle that were " + more
	}
	return ""
}

// functionName is a function in a sentence, cut where templates have made it long.
func functionName(name string) string {
	const most = 60
	if name = text.Clean(name); len([]rune(name)) > most {
		return string([]rune(name)[:most-3]) + "..."
	}
	return name
}

// codeDetails are the functions of a change, a line each.
func codeDetails(causes []changepoint.Cause) []string {
	var out []string
	for _, c := range causes {
		switch f := c.Function; {
		case c.Field == changepoint.ReplacedField:
			out = append(out, fmt.Sprintf("function: %s took the place of %s", functionName(c.To), functionName(c.From)))
		case f != nil:
			out = append(out, fmt.Sprintf("function: %s %s -> %s a cycle (95 %% interval of the difference %s .. %s)",
				functionName(c.To), quantity.Period(f.BeforeS), quantity.Period(f.AfterS), milli(f.LoS), milli(f.HiS)))
		}
	}
	return out
}

// milli is a difference of times.
func milli(s float64) string {
	sign := "+"
	if s < 0 {
		sign = "-"
	}
	return sign + quantity.Period(math.Abs(s))
}

// mostFunctions is how many changes of single functions are printed for a history.
const mostFunctions = 5

// FunctionTexts are the changes of single functions that the series itself does not
// show, the newest first.
func (s Judged) FunctionTexts(o Options) []string {
	list := slices.Clone(s.Result.Functions)
	slices.SortStableFunc(list, func(a, b changepoint.FunctionChange) int { return b.Index - a.Index })
	var out []string
	for _, f := range list[:min(len(list), mostFunctions)] {
		word := "longer"
		if f.EffectPct < 0 {
			word = "shorter"
		}
		text := fmt.Sprintf("%s runs %s %s", functionName(changepoint.FunctionName(f.Library, f.Name)),
			quantity.Percent(math.Abs(f.EffectPct)), word)
		if lo, hi, ok := bounds(f.EffectPct, f.LoPct, f.HiPct); ok {
			text += fmt.Sprintf(" (%s interval %s)", quantity.Chosen(100*f.Level), quantity.PercentRange(lo, hi))
		}
		text += " a cycle since " + s.date(f.T, o) + " (" + s.nameOf(f.Index) + "); the whole does not show it."
		out = append(out, text)
	}
	if more := len(list) - mostFunctions; more > 0 {
		out = append(out, fmt.Sprintf("%d more changes of functions (--json has all).", more))
	}
	return out
}

// functions writes the histories of which single functions changed.
func (r Report) functions(p *text.Page) {
	for _, s := range r.Series {
		for i, text := range s.FunctionTexts(r.options) {
			if i == 0 {
				p.Line("")
				p.Text("FUNCTION ", s.Title())
			}
			p.Text("         ", text)
		}
	}
}

// jsonFunctions are all of them.
func (s Judged) jsonFunctions(o Options) []jsonFunction {
	out := []jsonFunction{}
	for _, f := range s.Result.Functions {
		out = append(out, jsonFunction{f.Library, textOrNull(f.Name), s.jsonChange(f.Change, o)})
	}
	return out
}

// libraryName is the library whose build a field has, "" if it has none.
func libraryName(field string) string {
	name, ok := strings.CutPrefix(field, "library.")
	if !ok {
		return ""
	}
	return text.Clean(name)
}
