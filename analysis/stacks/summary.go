package stacks

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/analysis/note"
	q "jobgait/analysis/quantity"
)

// clean makes a text printable and cuts it to maxText characters.
func clean(s string) string { return note.Clean(s, maxText) }

// Line returns Summary in one line, cut to at most the given number of characters.
func Line(groups []Group, notes []note.Note, maxRunes int) string {
	line := strings.ReplaceAll(Summary(groups, notes), "\n", " ")
	if runes := []rune(line); len(runes) > maxRunes {
		return string(runes[:maxRunes-3]) + "..."
	}
	return line
}

// maxSummaryLines is how many odd groups the summary names.
const maxSummaryLines = 4

// Summary returns some lines of text: what the tasks of the groups that are not odd do, then what each odd group does,
// or "No task was found." Groups of other threads are left out. If there is one odd group and it is known that all
// other tasks of the same MPI program wait in MPI (see allWaitFor), its line says that they wait for it. If the notes
// say that tasks of other nodes are missing, that is not known.
func Summary(groups []Group, notes []note.Note) string {
	var main []Group
	for _, g := range groups {
		if g.Others {
			continue
		}
		main = append(main, g)
	}
	if len(main) == 0 {
		return "No task was found."
	}
	partial := slices.ContainsFunc(notes, func(n note.Note) bool { return n.Code == note.StackNodes })
	tasks := Tasks(groups)
	var lines []string
	for _, g := range main {
		if !g.Odd && (len(lines) < maxSummaryLines || PlacesOf(g.Frames).Waits) {
			lines = append(lines, fmt.Sprintf("%d of %s %s.", g.Tasks, q.Plural(tasks, "task"), predicateOf(g)))
		}
	}
	for _, g := range main {
		if !g.Odd || len(lines) >= 2*maxSummaryLines {
			continue
		}
		line := capitalize(TaskNames(g)) + " " + predicateOf(g)
		if !partial && allWaitFor(g, main) {
			line += ": all others wait for " + map[bool]string{true: "it", false: "them"}[g.Tasks == 1]
		}
		lines = append(lines, line+".")
	}
	return strings.Join(lines, "\n")
}

// capitalize makes the first letter a capital.
func capitalize(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// TaskNames returns the names of a group's tasks: their ranks or, without ranks, their process IDs. If the group is on
// one node, it adds the name of that.
func TaskNames(g Group) string {
	s := "process " + formatRanges(g.PIDs)
	if len(g.PIDs) > 1 {
		s = "processes " + formatRanges(g.PIDs)
	}
	switch len(g.Ranks) {
	case 0:
	case 1:
		s = "rank " + formatRanges(g.Ranks)
	default:
		s = "ranks " + formatRanges(g.Ranks)
	}
	if len(g.Nodes) == 1 && g.Nodes[0] != "" {
		s += " on " + clean(g.Nodes[0])
	}
	return s
}

// predicateOf returns the predicate of a sentence on a group: what its tasks do, such as "waits in MPI_Recv, called
// from" a function of the program, or "are in" a function, and in which system call they are blocked or asleep.
func predicateOf(g Group) string {
	verb, one, at := "is", g.Tasks == 1, PlacesOf(g.Frames)
	if !one {
		verb = "are"
	}
	if g.unread() {
		return "could not be read"
	}
	state := ""
	switch {
	case g.State == Stopped:
		state = ", stopped by a signal"
	case g.State == Disk && g.WaitsIn != nil:
		state = ", blocked in " + clean(*g.WaitsIn)
	case g.State == Disk:
		state = ", blocked in the kernel"
	case g.State == Sleeping && !at.Waits && g.WaitsIn != nil:
		state = ", asleep in " + clean(*g.WaitsIn)
	}
	if len(g.Frames) == 0 {
		return verb + strings.TrimPrefix(state, ",") + ", without a readable stack"
	}
	if at.Own < 0 {
		return verb + " in " + Name(g.Frames[len(g.Frames)-1]) + state
	}
	own := Name(g.Frames[at.Own]) + Source(g.Frames[at.Own])
	if at.Waits {
		wait := "wait"
		if one {
			wait = "waits"
		}
		return wait + " in " + Name(g.Frames[max(at.Entry, 0)]) + ", called from " + own + state
	}
	if at.Own > 0 && g.State == Running {
		return verb + " in " + own + ", in " + Name(g.Frames[at.Own-1]) + state
	}
	return verb + " in " + own + state
}

// Name prints a function; one without a name is a place in a library.
func Name(f GroupFrame) string {
	if strings.HasPrefix(f.Function, "+0x") {
		return clean(f.Library + f.Function)
	}
	return clean(f.Function)
}

// Source prints a frame's file and line, in parentheses, "" if they are not known.
func Source(f GroupFrame) string {
	if f.Line == nil || f.File == nil {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", clean(filepath.Base(*f.File)), *f.Line)
}

// formatRanges returns the numbers of an ascending list with consecutive ones as ranges: "1, 3-7". After twelve entries
// it ends with "...".
func formatRanges(list []int) string {
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
