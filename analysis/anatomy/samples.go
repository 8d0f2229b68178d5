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

// Tally adds up all samples for the given patterns' cycles. If a pattern's cycles are on CPU time, it reads
// the blocks twice.
func (s Samples) Tally(cycles []Cycles) *Tally {
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

// PageOf names the function to which most samples of a page's column belong, and its share of them.
type PageOf struct {
	Column string `json:"column"`
	Function
	Share float64 `json:"share"`
}

// Column returns the function with most samples in a page of code, and its share of them, given the name of the page's
// column: "code:" and its key in 16 hexadecimal digits. It returns false for other columns, those of parts of pages
// included, and for unknown pages.
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
