package anatomy

import (
	"fmt"
	"iter"
	"slices"
)

// Samples holds the code of a node's profile: its description, and the samples on the grid of the cycles.
type Samples struct {
	Code
	Blocks iter.Seq[Block]
}

// Of adds all samples up.
func (s Samples) Of(cycles []Cycles) *Tally {
	t := New(s.Code, cycles)
	if slices.ContainsFunc(cycles, func(c Cycles) bool { return c.OnCPU }) {
		for b := range s.Blocks {
			t.Measure(b)
		}
	}
	for b := range s.Blocks {
		t.Add(b)
	}
	return t
}

// PageOf is what the samples of a column of a page belong to: the function that most
// of them do, and their part.
type PageOf struct {
	Column string `json:"column"`
	Function
	Share float64 `json:"share"`
}

// Column says what the column of a page stands for. Its name is "code:" and the key
// in hexadecimal digits; other columns, and pages that are not known, are no page.
func (t *Tally) Column(name string) (PageOf, bool) {
	var key uint64
	if n, err := fmt.Sscanf(name, "code:%016x", &key); n != 1 || err != nil || len(name) != len("code:")+16 {
		return PageOf{}, false
	}
	if len(t.columns.places[key]) == 0 {
		return PageOf{}, false
	}
	best := portion{}
	for _, x := range t.columns.whole(key) {
		if x.share > best.share {
			best = x
		}
	}
	return PageOf{Column: name, Function: t.functions[best.function], Share: best.share}, true
}
