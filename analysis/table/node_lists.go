package table

import (
	"fmt"
	"strconv"
	"strings"
)

// mostNodes is the most nodes of one run, because a short text can expand to many.
const mostNodes = 16384

// nodeList parses the nodes of a run as users and Slurm write them: names separated by spaces, semicolons or
// commas, with ranges in brackets, "n[01-03,7],login1". A name that is not of this form, or that stands for too
// many nodes, is kept as it is. Names after the first mostNodes are left out.
func nodeList(s string) []string {
	nodes := []string{}
	for _, word := range splitOutside(s, " ;,\t") {
		grown, ok := expand(word, mostNodes-len(nodes))
		if !ok {
			grown = []string{word}
		}
		if len(nodes) < mostNodes {
			nodes = append(nodes, grown...)
		}
	}
	return nodes
}

// nodeLists parses the node lists of a column; runs with the same text share their list.
func nodeLists(cells []string) [][]string {
	known := map[string][]string{}
	out := make([][]string, len(cells))
	for i, s := range cells {
		nodes, ok := known[s]
		if !ok {
			nodes = nodeList(s)
			known[s] = nodes
		}
		out[i] = nodes
	}
	return out
}

// splitOutside splits at any of the separators that stands outside brackets.
func splitOutside(s, separators string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i < len(s) && s[i] == '[':
			depth++
		case i < len(s) && s[i] == ']':
			depth = max(0, depth-1)
		case i == len(s) || depth == 0 && strings.IndexByte(separators, s[i]) >= 0:
			if i > start {
				out = append(out, s[start:i])
			}
			start = i + 1
		}
	}
	return out
}

// expand returns the names that a word with ranges in brackets stands for; false if a range is malformed or
// there are more than limit.
func expand(word string, limit int) ([]string, bool) {
	open := strings.IndexByte(word, '[')
	if open < 0 {
		return []string{word}, limit > 0
	}
	end := strings.IndexByte(word[open:], ']')
	if end < 0 {
		return nil, false
	}
	tails, ok := expand(word[open+end+1:], limit)
	if !ok {
		return nil, false
	}
	var out []string
	for _, part := range strings.Split(word[open+1:open+end], ",") {
		lo, hi, ok := strings.Cut(part, "-")
		if !ok {
			hi = lo
		}
		first, err1 := strconv.ParseUint(lo, 10, 31)
		last, err2 := strconv.ParseUint(hi, 10, 31)
		if err1 != nil || err2 != nil || last < first ||
			uint64(len(out))+(last-first+1)*uint64(len(tails)) > uint64(max(0, limit)) {
			return nil, false
		}
		for k := first; k <= last; k++ {
			for _, tail := range tails {
				out = append(out, fmt.Sprintf("%s%0*d%s", word[:open], len(lo), k, tail))
			}
		}
	}
	return out, true
}
