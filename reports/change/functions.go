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

// isFunctionCause reports whether a cause is a function rather than a recorded field.
func isFunctionCause(c changepoint.Cause) bool {
	return c.Field == changepoint.FunctionField || c.Field == changepoint.ReplacedField
}

// fieldCauses returns the causes that are recorded fields.
func fieldCauses(causes []changepoint.Cause) []changepoint.Cause {
	return slices.DeleteFunc(slices.Clone(causes), isFunctionCause)
}

// mainFunctionText returns part of a sentence on the function with the largest part in a change: its added or
// saved CPU time per cycle, and the total if that changed in the same direction.
func mainFunctionText(causes []changepoint.Cause) string {
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

// functionName returns a function's name for a sentence, cut if templates make it long.
func functionName(name string) string {
	const maxRunes = 60
	if name = text.Clean(name); len([]rune(name)) > maxRunes {
		return string([]rune(name)[:maxRunes-3]) + "..."
	}
	return name
}

// codeDetails returns one line for each cause that is a function: its CPU time per cycle before and after the
// change with the interval of the difference, or which function it replaced.
func codeDetails(causes []changepoint.Cause) []string {
	var out []string
	for _, c := range causes {
		switch f := c.Function; {
		case c.Field == changepoint.ReplacedField:
			out = append(out, fmt.Sprintf("function: %s took the place of %s", functionName(c.To), functionName(c.From)))
		case f != nil:
			out = append(out, fmt.Sprintf("function: %s %s -> %s a cycle (95 %% interval of the difference %s .. %s)",
				functionName(c.To), quantity.Period(f.BeforeS), quantity.Period(f.AfterS), signedMillis(f.LoS),
				signedMillis(f.HiS)))
		}
	}
	return out
}

// signedMillis prints a difference of times, given in s, with its sign.
func signedMillis(s float64) string {
	sign := "+"
	if s < 0 {
		sign = "-"
	}
	return sign + quantity.Period(math.Abs(s))
}

// maxFunctionTexts is the largest number of changes of single functions that are printed for a history.
const maxFunctionTexts = 5

// FunctionTexts returns the newest maxFunctionTexts changes of single functions that the series itself does not
// show, the newest first, and a line on the number of the rest.
func (s JudgedHistory) FunctionTexts(o Options) []string {
	list := slices.Clone(s.Result.Functions)
	slices.SortStableFunc(list, func(a, b changepoint.FunctionChange) int { return b.Index - a.Index })
	var out []string
	for _, f := range list[:min(len(list), maxFunctionTexts)] {
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
	if more := len(list) - maxFunctionTexts; more > 0 {
		out = append(out, fmt.Sprintf("%d more changes of functions (--json has all).", more))
	}
	return out
}

// writeFunctions writes the histories in which single functions changed.
func (r Report) writeFunctions(p *text.Page) {
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

// jsonFunctions returns all changes of single functions.
func (s JudgedHistory) jsonFunctions(o Options) []jsonFunction {
	out := []jsonFunction{}
	for _, f := range s.Result.Functions {
		out = append(out, jsonFunction{f.Library, textOrNull(f.Name), s.jsonChange(f.Change, o)})
	}
	return out
}

// libraryName returns the library whose build id a field records, "" for other fields.
func libraryName(field string) string {
	name, ok := strings.CutPrefix(field, "library.")
	if !ok {
		return ""
	}
	return text.Clean(name)
}
