package reports

import (
	"fmt"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/quantity"
)

// likely is the confidence from which a period is likely; below it is told as a
// possibility, and from periodicity.Confident on without a word.
const likely = 0.6

// Hedge is the word that a confidence earns, with a space behind it where there is
// one.
func Hedge(confidence float64) string {
	switch {
	case confidence >= periodicity.Confident:
		return ""
	case confidence >= likely:
		return "likely "
	}
	return "perhaps "
}

// claim is the pattern in a sentence without its full stop: of cycles whose length
// varies by nature from when to when, else how long one takes.
func (q Pattern) claim() string {
	times := fmt.Sprintf("%s times, %s of the run", quantity.Count(q.Instances), quantity.Share(q.Coverage))
	word := Hedge(q.Confidence)
	if q.Kind == periodicity.Unequal && q.P10S != nil && q.P90S != nil {
		return upper(fmt.Sprintf("%s%s: %s", word, Unequal(*q.P10S, *q.P90S, q.Period.value()), times))
	}
	return fmt.Sprintf("One cycle %stakes %s +- %s: %s", word, quantity.Period(q.Period.value()), quantity.Share(q.PeriodCV), times)
}

// Unequal tells cycles whose length varies: one in ten is shorter than lo, one in
// ten longer than hi.
func Unequal(lo, hi, median float64) string {
	return fmt.Sprintf("a cycle of %s (median %s)", quantity.PeriodTo(lo, hi, median), quantity.Period(median))
}
