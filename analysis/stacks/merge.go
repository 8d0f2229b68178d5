package stacks

import (
	"cmp"
	"slices"
)

// Merge joins the groups of a job's nodes that have the same key and marks the odd ones (see markOdd). It returns the
// groups of main threads first, those with most threads first, without keys. It may sort the lists of the records'
// groups in place.
func Merge(records ...Record) []Group {
	at, out := map[string]int{}, []Group{}
	for _, r := range records {
		for _, g := range r.Groups {
			i, ok := at[g.Key]
			if !ok {
				at[g.Key] = len(out)
				out = append(out, g)
				continue
			}
			out[i] = out[i].mergeWith(g)
		}
	}
	for i := range out {
		g := &out[i]
		g.Key = ""
		slices.Sort(g.Ranks)
		slices.Sort(g.Nodes)
		slices.Sort(g.PIDs)
	}
	slices.SortStableFunc(out, func(a, b Group) int {
		if a.Others != b.Others {
			return map[bool]int{false: -1, true: 1}[a.Others]
		}
		return cmp.Compare(b.Threads, a.Threads)
	})
	markOdd(out)
	return out
}

// mergeWith returns the two groups as one. State and system call are those of the group with more threads. If their
// frames differ, the frames inside the call by which the program's own code entered a library are dropped; the rest are
// those of g.
func (g Group) mergeWith(x Group) Group {
	if x.Threads > g.Threads {
		g.State, g.WaitsIn = x.State, x.WaitsIn
	}
	g.Tasks += x.Tasks
	g.Threads += x.Threads
	g.Ranks = append(slices.Clip(g.Ranks), x.Ranks...)
	g.PIDs = append(slices.Clip(g.PIDs), x.PIDs...)
	for _, n := range x.Nodes {
		if !slices.Contains(g.Nodes, n) {
			g.Nodes = append(slices.Clip(g.Nodes), n)
		}
	}
	if p := PlacesOf(g.Frames); p.Entry >= 0 && !slices.EqualFunc(g.Frames, x.Frames, GroupFrame.equal) {
		g.Frames = g.Frames[p.Entry:]
	}
	return g
}

// equal reports whether two frames have the same function, library and line; the file does not count.
func (f GroupFrame) equal(x GroupFrame) bool {
	same := func(a, b *int) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	return f.Function == x.Function && f.Library == x.Library && same(f.Line, x.Line)
}

// markOdd sets Odd of the groups of main threads that behave unlike the others: the stopped ones if some but not
// all tasks are stopped; else those that do not wait, if some tasks wait and at most half do not; else, if all
// or none wait, groups of at most half the size of the largest. Tasks of which nothing is known do not count.
func markOdd(groups []Group) {
	largest, waiting, stopped, all := 0, 0, 0, 0
	for _, g := range groups {
		if g.Others || g.unread() {
			continue
		}
		all += g.Tasks
		largest = max(largest, g.Tasks)
		if g.State == Stopped {
			stopped += g.Tasks
		} else if PlacesOf(g.Frames).Waits {
			waiting += g.Tasks
		}
	}
	for i := range groups {
		g := &groups[i]
		switch {
		case g.Others || g.unread() || g.Tasks == all:
		case stopped > 0 && stopped < all:
			g.Odd = g.State == Stopped
		case waiting > 0 && waiting < all:
			g.Odd = !PlacesOf(g.Frames).Waits && 2*(all-waiting) <= all
		default:
			g.Odd = 2*g.Tasks <= largest
		}
	}
}
