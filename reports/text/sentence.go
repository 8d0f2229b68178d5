package text

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/quantity"
)

// Sentence returns text with a capital letter at the start and a full stop.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	return Capitalize(text) + "."
}

// Capitalize returns text with a capital letter at the start.
func Capitalize(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + text[n:]
}

// minLikely is the smallest confidence at which a period is called likely. Below it the period is called a
// possibility; from periodicity.Confident on it has no qualifier.
const minLikely = 0.6

// IsLikely reports whether a period with the given confidence is called likely.
func IsLikely(confidence float64) bool { return confidence >= minLikely }

// Qualifier returns the qualifier for a confidence, followed by a space, or "" for none.
func Qualifier(confidence float64) string {
	switch {
	case confidence >= periodicity.Confident:
		return ""
	case IsLikely(confidence):
		return "likely "
	}
	return "perhaps "
}

// VaryingCycle describes cycles of varying length: one in ten is shorter than lo, one in ten longer than hi.
func VaryingCycle(lo, hi, median float64) string {
	return fmt.Sprintf("a cycle of %s (median %s)", quantity.PeriodTo(lo, hi, median), quantity.Period(median))
}
