package stack

import (
	"fmt"
	"strings"

	q "jobgait/analysis/quantity"
	"jobgait/analysis/stacks"
	"jobgait/reports/text"
)

// Text returns the groups as text: first what most tasks do and what the odd ones do, then each stack.
func Text(m MergedStacks) string {
	var b strings.Builder
	b.WriteString(stacks.Summary(m.Groups, m.Notes) + "\n\n")
	for i, g := range m.Groups {
		if g.Others && (i == 0 || !m.Groups[i-1].Others) {
			b.WriteString("Other threads and helper processes in the program's own code:\n\n")
		}
		b.WriteString(groupText(g) + "\n")
	}
	for _, n := range m.Notes {
		b.WriteString("note: " + text.Clean(n.Text) + "\n")
	}
	return b.String()
}

// groupText prints one group and its stack.
func groupText(g stacks.Group) string {
	mark := " "
	if g.Odd {
		mark = "*"
	}
	head := fmt.Sprintf("%s %s: %s", mark, q.Plural(g.Tasks, "task"), stacks.TaskNames(g))
	if g.Threads != g.Tasks {
		head += ", " + q.Plural(g.Threads, "thread")
	}
	head += ", " + string(g.State)
	if g.WaitsIn != nil {
		head += " in " + text.Clean(*g.WaitsIn)
	}
	var b strings.Builder
	b.WriteString(head + "\n")
	width := 0
	for _, f := range g.Frames {
		width = min(max(width, text.Width(stacks.Name(f))), 48)
	}
	for _, f := range g.Frames {
		where := strings.Trim(stacks.Source(f), " ()")
		if where == "" {
			where = text.Clean(f.Library)
		}
		b.WriteString(strings.TrimRight("    "+text.PadRight(stacks.Name(f), width)+"  "+where, " ") + "\n")
	}
	return b.String()
}
