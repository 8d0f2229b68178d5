package stack

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/stacks"
)

// GroupTasks groups the tasks of a node by their stacks. Two stacks are equal if they agree from the outermost function
// down to the call that left the program's own code: two ranks in MPI_Allreduce are equal, wherever inside the library
// they poll. Calls are equal if their source lines are, or without debug information their offsets in the file. If a
// task computes in a function, all places in that function are equal. Other threads than the main one are grouped where
// they are in the program's own code.
func GroupTasks(tasks []Task) stacks.Record {
	g := grouping{groups: map[string]*growingGroup{}}
	for _, t := range tasks {
		g.addTask(t)
	}
	r := stacks.Record{Groups: []stacks.Group{}, Notes: append([]note.Note{}, g.notes()...)}
	for _, key := range g.order {
		r.Groups = append(r.Groups, g.groups[key].finish())
	}
	return r
}

// leftOutNote returns the note on n processes of a job that are not tasks.
func leftOutNote(n int) note.Note {
	return note.New(note.StackTasks,
		"%d processes of the job are not shown, because they start its tasks or have no rank", n)
}

// growingGroup is a group to which tasks are being added.
type growingGroup struct {
	group  stacks.Group
	first  []Frame // the stack of the first task
	shared int     // the number of outermost frames that all stacks share
	states map[stacks.Activity]int
	calls  map[string]int
}

// grouping groups the threads of tasks by their stacks.
type grouping struct {
	groups  map[string]*growingGroup
	order   []string
	hidden  int // threads that are in libraries only
	python  int // tasks in which the interpreter of Python runs
	trouble map[CopyProblem]int
	cut     map[WalkEnd]int
}

// addTask adds the threads of a task to the groups. The main thread is always added, even without a stack. Of the
// other threads, and all those of a helper, it only counts those whose stack could not be read, and those without a
// frame of the program's own code. It also counts the stacks that could not be read or are incomplete, and the tasks
// that run Python.
func (m *grouping) addTask(t Task) {
	if slices.ContainsFunc(t.Stacks.Listed, func(th Thread) bool { return slices.ContainsFunc(th.Frames, isPython) }) {
		m.python++
	}
	for i, th := range t.Stacks.Listed {
		main := i == 0 && !t.Helper
		if th.Trouble != "" && len(th.Frames) == 0 {
			m.countTrouble(th)
			if !main {
				continue
			}
		}
		if th.Ending != "" && th.Ending != Whole && len(th.Frames) > 0 {
			if m.cut == nil {
				m.cut = map[WalkEnd]int{}
			}
			m.cut[th.Ending]++
		}
		p := stacks.PlacesOf(framesOf(th.Frames))
		if !main && p.Own < 0 {
			m.hidden++
			continue
		}
		m.addThread(t, th, main, p)
	}
}

// isPython reports whether a frame is a function of CPython that runs functions written in Python.
func isPython(f Frame) bool {
	return strings.HasPrefix(f.Function, "_PyEval_EvalFrame") || strings.HasPrefix(f.Function, "PyEval_EvalFrame")
}

// countTrouble counts why a thread's stack is missing or incomplete.
func (m *grouping) countTrouble(th Thread) {
	if m.trouble == nil {
		m.trouble = map[CopyProblem]int{}
	}
	m.trouble[th.Trouble]++
}

// addThread adds a thread to the group of its stack (keyOf), which it makes for the first such stack. The group counts
// every thread, but each process and node only once.
func (m *grouping) addThread(t Task, th Thread, main bool, p stacks.Places) {
	state := activityOf(th)
	key := keyOf(main, state, th.Frames, p)
	g := m.groups[key]
	if g == nil {
		g = &growingGroup{group: stacks.Group{Key: key, Others: !main, Ranks: []int{}, Nodes: []string{}, PIDs: []int{}},
			first: th.Frames, shared: len(th.Frames), states: map[stacks.Activity]int{}, calls: map[string]int{}}
		m.groups[key] = g
		m.order = append(m.order, key)
	}
	g.shared = min(g.shared, commonFrames(g.first, th.Frames))
	g.states[state]++
	if th.WaitsIn != "" {
		g.calls[th.WaitsIn]++
	}
	g.group.Threads++
	if !slices.Contains(g.group.PIDs, t.Stacks.PID) || !slices.Contains(g.group.Nodes, t.Node) {
		g.group.Tasks++
		g.group.PIDs = append(g.group.PIDs, t.Stacks.PID)
		if t.Rank >= 0 {
			g.group.Ranks = append(g.group.Ranks, t.Rank)
		}
		if !slices.Contains(g.group.Nodes, t.Node) {
			g.group.Nodes = append(g.group.Nodes, t.Node)
		}
	}
}

// finish returns the group with its most frequent state and call. If the stacks differ outside of the program's
// own code, it keeps only the frames from that code on.
func (g *growingGroup) finish() stacks.Group {
	out := g.group
	out.State = mostFrequent(g.states)
	if out.State == stacks.Sleeping || out.State == stacks.Disk {
		if call := mostFrequent(g.calls); call != "" {
			out.WaitsIn = &call
		}
	}
	out.Frames = framesOf(g.first)
	if p := stacks.PlacesOf(out.Frames); g.shared < len(out.Frames) && p.Entry >= 0 {
		out.Frames = out.Frames[p.Entry:]
	}
	return out
}

// mostFrequent returns the key with the largest count, of equal counts the first in alphabetical order; "" if counts
// is empty.
func mostFrequent[K ~string](counts map[K]int) (best K) {
	for k, n := range counts {
		if b := counts[best]; n > b || n == b && k < best {
			best = k
		}
	}
	return best
}

// framesOf returns the frames in the form in which they are shown, never nil.
func framesOf(frames []Frame) []stacks.GroupFrame {
	out := []stacks.GroupFrame{}
	for _, f := range frames {
		out = append(out, frameOf(f))
	}
	return out
}

// frameOf returns the frame in the form in which it is shown. A function without a name is shown as "+" and its file
// offset, code in no file as of the library anatomy.NoFile. File and line are set if the line is known.
func frameOf(f Frame) stacks.GroupFrame {
	out := stacks.GroupFrame{Function: stacks.Function(f.Function), Library: f.Library}
	if f.Function == "" {
		out.Function = fmt.Sprintf("+%#x", f.Offset)
	}
	if out.Library == "" {
		out.Library = anatomy.NoFile
	}
	if f.Line > 0 {
		out.File, out.Line = &f.File, &f.Line
	}
	return out
}

// activityOf returns the activity of a thread: Stopped in the states T and t, Disk in D, Sleeping in S and I, else
// Running.
func activityOf(th Thread) stacks.Activity {
	switch {
	case th.State == "T" || th.State == "t":
		return stacks.Stopped
	case th.State == "D":
		return stacks.Disk
	case th.State == "S" || th.State == "I":
		return stacks.Sleeping
	}
	return stacks.Running
}

// commonFrames returns how many outermost frames of two stacks are equal.
func commonFrames(a, b []Frame) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// keyOf returns the key by which stacks are merged, also across nodes: a hash of main, whether the thread is stopped
// by a signal or, without frames, blocked in the kernel, and the frames from the one that the program's own code called
// (p.Entry) outwards, or all without such a frame. Of the innermost of these frames only library and function count if
// the function has a name; of the others also the line or file offset.
func keyOf(main bool, state stacks.Activity, frames []Frame, p stacks.Places) string {
	h := sha256.New()
	fmt.Fprintf(h, "%v %v %v\n", main, state == stacks.Stopped, state == stacks.Disk && len(frames) == 0)
	for i := max(p.Entry, 0); i < len(frames); i++ {
		f := frames[i]
		fmt.Fprintf(h, "%s|%s", f.Library, frameOf(f).Function)
		switch {
		case i == max(p.Entry, 0) && f.Function != "": // any place in it
		case f.Line > 0:
			fmt.Fprintf(h, "|%s:%d", f.File, f.Line)
		default:
			fmt.Fprintf(h, "|%x", f.Offset)
		}
		fmt.Fprintln(h)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// notes returns notes on missing and incomplete stacks.
func (m *grouping) notes() (out []note.Note) {
	for _, k := range []struct {
		trouble CopyProblem
		code    note.Code
		text    string
	}{
		{Denied, note.StackDenied,
			"%d threads could not be read: kernel.yama.ptrace_scope forbids it, or they belong to another user: call this as " +
				"root"},
		{Foreign, note.StackDenied, "%d threads were not read, because they belong to another user than the job"},
		{Traced, note.StackTraced, "%d threads are held by a debugger and were left alone"},
		{Frozen, note.StackFrozen, "%d threads are frozen, as those of a suspended job, and were left alone"},
		{Gone, note.StackGone, "%d threads ended before they were read"},
		{Late, note.StackIncomplete, "%d threads were not read, because the time limit was reached"},
		{Stuck, note.StackIncomplete, "%d threads could not be read in time: they sleep in the kernel, perhaps in a file " +
			"system that hangs, or get no CPU"},
	} {
		if n := m.trouble[k.trouble]; n > 0 {
			out = append(out, note.New(k.code, k.text, n))
		}
	}
	cut := 0
	for _, n := range m.cut {
		cut += n
	}
	if cut > 0 {
		out = append(out, note.New(note.StackIncomplete, "%d stacks lack their outer functions (%s)", cut,
			mostFrequent(m.cut)))
	}
	if m.python > 0 {
		out = append(out, note.New(note.StackPython, "tasks that run Python: %d; their stacks show the functions of the "+
			"interpreter and of its extensions, not those written in Python, which are shown for CPython 3.13 if its memory "+
			"may be read", m.python))
	}
	if m.hidden > 0 {
		out = append(out, note.New(note.StackThreads,
			"%d other threads are not listed, because no function of the program is on their stacks", m.hidden))
	}
	return out
}
