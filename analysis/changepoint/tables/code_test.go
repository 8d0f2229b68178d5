package tables

import (
	"fmt"
	"io"

	"jobgait/analysis/changepoint/draw"
)

// code prints how often the function that became slower is named, and how often one that did not, in 200
// histories a draw.
func code(w io.Writer, seed uint64, draws int) {
	for _, kind := range []struct {
		name string
		fate draw.FunctionFate
	}{{"10 % slower", draw.Slower}, {"untouched", draw.Untouched}, {"renamed", draw.Renamed}, {"inlined", draw.Inlined}} {
		right, replaced, wrong, far, all, seen := 0, 0, 0, 0, 0, 0
		for i := range draws {
			r := source(seed, i, 7)
			for range 200 {
				h := draw.DrawCodeHistory(r, kind.fate)
				res := one(h.Series)
				told := h.Attribution(res)
				all++
				right += count(told.Named)
				replaced += count(told.Replaced)
				wrong += count(told.False)
				far += count(told.Misplaced)
				seen += count(len(res.Changes) > 0)
			}
		}
		fmt.Fprintf(w, "code: %-11s %d histories: named %.3f, told as replaced %.3f, elsewhere %.3f, a false one %.3f; "+
			"the whole shows a change in %.3f\n",
			kind.name, all, ratio(right, all), ratio(replaced, all), ratio(far, all), ratio(wrong, all), ratio(seen, all))
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
