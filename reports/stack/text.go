package stack

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	q "jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// Text prints groups for a reader: first what most tasks do and what the odd ones do, then each stack.
func Text(m Merged) string {
	var b strings.Builder
	if s := Summary(m); s != "" {
		b.WriteString(s + "\n\n")
	}
	for i, g := range m.Groups {
		if !g.main && (i == 0 || m.Groups[i-1].main) {
			b.WriteString("Other threads in the program's own code:\n\n")
		}
		b.WriteString(groupText(g) + "\n")
	}
	for _, n := range m.Notes {
		b.WriteString("note: " + text.Clean(n.Text) + "\n")
	}
	return b.String()
}

// mostLines is how many odd groups the summary names.
const mostLines = 4

// Summary says in a few lines what most tasks do, and which do something else.
func Summary(m Merged) string {
	var main []TaskGroup
	odd, waiting := 0, 0
	for _, g := range m.Groups {
		if !g.main {
			continue
		}
		main = append(main, g)
		if g.Odd {
			odd++
		} else if g.waits {
			waiting += g.Tasks
		}
	}
	if len(main) == 0 {
		return "No task was found."
	}
	var lines []string
	oddTasks := 0
	for _, g := range main {
		if g.Odd {
			oddTasks += g.Tasks
		}
	}
	for _, g := range main {
		if !g.Odd && (len(lines) < mostLines || g.waits) {
			lines = append(lines, fmt.Sprintf("%d of %s %s.", g.Tasks, q.Plural(m.Tasks, "task"), does(g)))
		}
	}
	for _, g := range main {
		if !g.Odd || len(lines) >= 2*mostLines {
			continue
		}
		line := capital(who(g)) + " " + does(g)
		if waiting > 0 && waiting+oddTasks == m.Tasks && odd == 1 {
			line += ": all others wait for " + map[bool]string{true: "it", false: "them"}[g.Tasks == 1]
		}
		lines = append(lines, line+".")
	}
	return strings.Join(lines, "\n")
}

// capital makes the first letter a capital.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// who names the tasks of a group.
func who(g TaskGroup) string {
	s := "process " + numbers(g.PIDs)
	if len(g.PIDs) > 1 {
		s = "processes " + numbers(g.PIDs)
	}
	switch len(g.Ranks) {
	case 0:
	case 1:
		s = "rank " + numbers(g.Ranks)
	default:
		s = "ranks " + numbers(g.Ranks)
	}
	if len(g.Nodes) == 1 && g.Nodes[0] != "" {
		s += " on " + text.Clean(g.Nodes[0])
	}
	return s
}

// does says what a group does.
func does(g TaskGroup) string {
	verb, one := "is", g.Tasks == 1
	if !one {
		verb = "are"
	}
	if len(g.Frames) == 0 {
		return verb + " " + string(g.State) + ", and shows no stack"
	}
	state := ""
	switch {
	case g.State == Stopped:
		state = ", stopped by a signal"
	case g.State == Disk && g.WaitsIn != nil:
		state = ", blocked in " + text.Clean(*g.WaitsIn)
	case g.State == Disk:
		state = ", blocked in the kernel"
	case g.State == Sleeping && !g.waits && g.WaitsIn != nil:
		state = ", asleep in " + text.Clean(*g.WaitsIn)
	}
	if g.own < 0 {
		return verb + " in " + name(g.Frames[len(g.Frames)-1]) + state
	}
	own := name(g.Frames[g.own]) + place(g.Frames[g.own])
	if g.waits {
		wait := "wait"
		if one {
			wait = "waits"
		}
		return wait + " in " + name(g.Frames[waitingFrame(g)]) + ", called from " + own + state
	}
	if g.own > 0 && g.State == Running {
		return verb + " in " + own + ", in " + name(g.Frames[g.own-1]) + state
	}
	return verb + " in " + own + state
}

// waitingFrame is the call into MPI or OpenMP.
func waitingFrame(g TaskGroup) int { return max(g.entry, 0) }

// name prints a function; one without a name is a place in a library.
func name(f GroupFrame) string {
	if strings.HasPrefix(f.Function, "+0x") {
		return text.Clean(f.Library + f.Function)
	}
	return text.Clean(f.Function)
}

func place(f GroupFrame) string {
	if f.Line == nil || f.File == nil {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", text.Clean(filepath.Base(*f.File)), *f.Line)
}

// groupText prints one group and its stack.
func groupText(g TaskGroup) string {
	mark := " "
	if g.Odd {
		mark = "*"
	}
	head := fmt.Sprintf("%s %s: %s", mark, q.Plural(g.Tasks, "task"), who(g))
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
		width = min(max(width, text.Width(name(f))), 48)
	}
	for _, f := range g.Frames {
		where := strings.Trim(place(f), " ()")
		if where == "" {
			where = text.Clean(f.Library)
		}
		b.WriteString(strings.TrimRight("    "+text.PadRight(name(f), width)+"  "+where, " ") + "\n")
	}
	return b.String()
}

// numbers prints ascending numbers, with ranges.
func numbers(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		s := strconv.Itoa(list[i])
		if j > i {
			s += "-" + strconv.Itoa(list[j])
		}
		parts, i = append(parts, s), j+1
		if len(parts) == 12 && i < len(list) {
			return strings.Join(parts, ", ") + ", ..."
		}
	}
	return strings.Join(parts, ", ")
}
