package slownode

import (
	"slices"
)

// placement holds the nodes of each run of a history, by number.
type placement struct {
	names []string
	runs  [][]int
}

// newPlacement numbers the nodes of all runs; it returns an empty placement if fewer than two nodes are
// recorded.
func newPlacement(lists [][]string) placement {
	number := make(map[string]int)
	p := placement{runs: make([][]int, len(lists))}
	for k, l := range lists {
		for _, name := range l {
			n, ok := number[name]
			if !ok {
				n = len(p.names)
				number[name] = n
				p.names = append(p.names, name)
			}
			if !slices.Contains(p.runs[k], n) {
				p.runs[k] = append(p.runs[k], n)
			}
		}
	}
	if len(p.names) < 2 {
		return placement{}
	}
	return p
}
