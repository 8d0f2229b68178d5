package text

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/quantity"
)

// sentence gives text a capital and a full stop.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	return Capital(text) + "."
}

// upper gives text a capital.
func Capital(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// likely is the confidence from which a period is likely; below that it is printed as a possibility, and from
// periodicity.Confident on without a qualifier.
const likely = 0.6

// IsLikely is whether a confidence is high enough for a period to be likely.
func IsLikely(confidence float64) bool { return confidence >= likely }

// Hedge is the word that a confidence earns, with a space behind it where there is
// one.
func Hedge(confidence float64) string {
	switch {
	case confidence >= periodicity.Confident:
		return ""
	case IsLikely(confidence):
		return "likely "
	}
	return "perhaps "
}

// Unequal tells cycles whose length varies: one in ten is shorter than lo, one in
// ten longer than hi.
func Unequal(lo, hi, median float64) string {
	return fmt.Sprintf("a cycle of %s (median %s)", quantity.PeriodTo(lo, hi, median), quantity.Period(median))
}
