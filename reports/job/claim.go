package job

import (
	"fmt"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// claim returns a sentence on the pattern without its full stop. Where the length of cycles varies by nature it
// gives the range of lengths, else how long one cycle takes.
func (q Pattern) claim() string {
	times := fmt.Sprintf("%s times, %s of the run", quantity.Count(q.Instances), quantity.Share(q.Coverage))
	word := text.Qualifier(q.Confidence)
	if q.Kind == periodicity.Unequal && q.P10S != nil && q.P90S != nil {
		return text.Capitalize(fmt.Sprintf("%s%s: %s", word, text.VaryingCycle(*q.P10S, *q.P90S, q.Period.value()), times))
	}
	return fmt.Sprintf("One cycle %stakes %s (varies by %s): %s", word, quantity.Period(q.Period.value()),
		quantity.Share(q.PeriodCV), times)
}
