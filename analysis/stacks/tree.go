package stacks

import (
	"slices"

	q "jobgait/analysis/quantity"
)

// Branch is a part of the tree of stacks that tasks have in common: from a function in which stacks part, or the
// outermost one, to the next.
type Branch struct {
	Depth int
	// Who names the tasks that are here and no further, "" where they part; Does says what they do.
	Who, Does string
	Tasks     int
	Odd       bool
	// Calls are the functions, the outermost first, with file and line where known.
	Calls []string
}

// Tree returns the stacks of the tasks' main threads as one tree, each branch before those that begin at its end.
func Tree(groups []Group) []Branch {
	var main []Group
	for _, g := range groups {
		if !g.Others {
			main = append(main, g)
		}
	}
	return branches(main, 0, 0)
}

// branches returns the tree of groups whose stacks have the first from frames, counted from the outermost one, in
// common: one branch, with its subtree, for each different frame that follows.
func branches(groups []Group, from, depth int) (out []Branch) {
	for len(groups) > 0 {
		first := groups[0]
		same := []Group{first}
		var rest []Group
		for _, g := range groups[1:] {
			if sameAt(first, g, from) {
				same = append(same, g)
			} else {
				rest = append(rest, g)
			}
		}
		out = append(out, branch(same, from, depth)...)
		groups = rest
	}
	return out
}

// branch returns the branch of the frames that all groups have in common, beginning with frame from counted from the
// outermost one, followed by the branches into which they divide. For a single group the branch has all of its
// remaining frames and says which tasks these are and what they do.
func branch(groups []Group, from, depth int) []Branch {
	first := groups[0]
	to := from
	for to < len(first.Frames) && !slices.ContainsFunc(groups, func(g Group) bool { return !sameAt(first, g, to) }) {
		to++
	}
	b := Branch{Depth: depth, Tasks: Tasks(groups), Calls: calls(first, from, to)}
	if len(groups) == 1 {
		b.Who, b.Odd = TaskNames(first), first.Odd
		if first.State != Running {
			b.Does = string(first.State)
		}
		if first.WaitsIn != nil {
			b.Does += " in " + clean(*first.WaitsIn)
		}
		return []Branch{b}
	}
	return append([]Branch{b}, branches(groups, to, depth+1)...)
}

// sameAt reports whether two groups have the same frame at distance at from the outermost one; false if either stack is
// shorter.
func sameAt(a, b Group, at int) bool {
	if at >= len(a.Frames) || at >= len(b.Frames) {
		return false
	}
	return a.Frames[len(a.Frames)-1-at].equal(b.Frames[len(b.Frames)-1-at])
}

// calls returns the texts of the frames of a group from distance from to to, exclusive, from the outermost one:
// name and source line of each.
func calls(g Group, from, to int) (list []string) {
	for at := from; at < to; at++ {
		f := g.Frames[len(g.Frames)-1-at]
		list = append(list, Name(f)+Source(f))
	}
	return list
}

// Text prints a branch in one line.
func (b Branch) Text() string {
	line := q.Plural(b.Tasks, "task")
	if b.Who != "" {
		line += " (" + b.Who + ")"
	}
	for i, c := range b.Calls {
		line += map[bool]string{true: ": ", false: " > "}[i == 0] + c
	}
	if b.Does != "" {
		line += ", " + b.Does
	}
	return line
}
