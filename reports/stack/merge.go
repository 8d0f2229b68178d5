package stack

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"jobgait/agent/stack"
	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
)

// Merge groups the tasks of a job by their stacks. jobID is nil for processes without a job.
func Merge(jobID *int64, at time.Time, tasks []stack.Task, notes []note.Note) Merged {
	m := merger{groups: map[string]*gathered{}}
	for _, t := range tasks {
		m.task(t)
	}
	out := Merged{Schema: Schema, JobID: jobID, At: at.UTC(), Tasks: len(tasks), Groups: m.list(),
		Notes: append(append([]note.Note{}, notes...), m.notes()...)}
	mark(out.Groups)
	return out
}

// gathered is a group while tasks are added.
type gathered struct {
	group  TaskGroup
	first  []stack.Frame // the stack of the first task
	same   int           // how many outermost frames all have
	states map[Activity]int
	calls  map[string]int
}

type merger struct {
	groups  map[string]*gathered
	order   []string
	hidden  int // threads that are in libraries only
	trouble map[stack.Trouble]int
	cut     map[stack.Ending]int
}

// task adds the threads of a task.
func (m *merger) task(t stack.Task) {
	for i, th := range t.Stacks.Listed {
		if th.Trouble != "" && len(th.Frames) == 0 {
			m.count(th)
			if i > 0 {
				continue
			}
		}
		if th.Ending != "" && th.Ending != stack.Whole && len(th.Frames) > 0 {
			if m.cut == nil {
				m.cut = map[stack.Ending]int{}
			}
			m.cut[th.Ending]++
		}
		p := placesOf(th.Frames)
		if i > 0 && p.own < 0 {
			m.hidden++
			continue
		}
		m.add(t, th, i == 0, p)
	}
}

func (m *merger) count(th stack.Thread) {
	if m.trouble == nil {
		m.trouble = map[stack.Trouble]int{}
	}
	m.trouble[th.Trouble]++
}

// add adds a thread to the group of its stack.
func (m *merger) add(t stack.Task, th stack.Thread, main bool, p places) {
	state := activityOf(th)
	key := fmt.Sprintf("%v %v %s", main, state == Stopped, keyOf(th.Frames, p))
	g := m.groups[key]
	if g == nil {
		g = &gathered{group: TaskGroup{main: main, waits: p.waits, Ranks: []int{}, Nodes: []string{}, PIDs: []int{}},
			first: th.Frames, same: len(th.Frames), states: map[Activity]int{}, calls: map[string]int{}}
		m.groups[key] = g
		m.order = append(m.order, key)
	}
	g.same = min(g.same, common(g.first, th.Frames))
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

// list returns the groups in their order.
func (m *merger) list() []TaskGroup {
	out := []TaskGroup{}
	for _, key := range m.order {
		out = append(out, m.groups[key].finish())
	}
	slices.SortStableFunc(out, func(a, b TaskGroup) int {
		if a.main != b.main {
			return map[bool]int{true: -1, false: 1}[a.main]
		}
		return cmp.Compare(b.Threads, a.Threads)
	})
	return out
}

// finish makes the group that is printed.
func (g *gathered) finish() TaskGroup {
	out := g.group
	slices.Sort(out.Ranks)
	slices.Sort(out.Nodes)
	slices.Sort(out.PIDs)
	out.State = most(g.states)
	if out.State == Sleeping || out.State == Disk {
		if call := most(g.calls); call != "" {
			out.WaitsIn = &call
		}
	}
	frames := g.first
	if p := placesOf(frames); g.same < len(frames) && p.entry >= 0 {
		frames = frames[p.entry:]
	}
	p := placesOf(frames)
	out.entry, out.own = p.entry, p.own
	out.Frames = []GroupFrame{}
	for _, f := range frames {
		out.Frames = append(out.Frames, groupFrame(f))
	}
	return out
}

// most returns the key with the largest count, of equals the first by name.
func most[K ~string](counts map[K]int) (best K) {
	for k, n := range counts {
		if b := counts[best]; n > b || n == b && k < best {
			best = k
		}
	}
	return best
}

func groupFrame(f stack.Frame) GroupFrame {
	out := GroupFrame{Function: callOf(f), Library: f.Library}
	if out.Library == "" {
		out.Library = anatomy.NoFile
	}
	if f.Line > 0 {
		out.File, out.Line = &f.File, &f.Line
	}
	return out
}

// activityOf returns what a thread does.
func activityOf(th stack.Thread) Activity {
	switch {
	case th.State == "T" || th.State == "t":
		return Stopped
	case th.State == "D" || th.Trouble == stack.Stuck:
		return Disk
	case th.State == "S" || th.State == "I":
		return Sleeping
	}
	return Running
}

// common returns how many outermost frames of two stacks are equal.
func common(a, b []stack.Frame) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// places holds the indices of the frames that say what a thread does, -1 if missing.
type places struct {
	own   int  // the innermost frame of the program's own code
	entry int  // the frame above it, by which the program left its own code
	waits bool // the program left its own code into MPI or OpenMP
}

func placesOf(frames []stack.Frame) places {
	p := places{own: slices.IndexFunc(frames, isOwn), entry: -1}
	inner := frames
	if p.own >= 0 {
		inner = frames[:p.own]
		p.entry = p.own - 1
	}
	p.waits = slices.ContainsFunc(inner, func(f stack.Frame) bool {
		c := anatomy.ClassOf(f.Library)
		return c == anatomy.Communication || c == anatomy.OpenMP || isMPI(f.Function)
	})
	return p
}

// isOwn tells whether a frame is the program's own code, or that of the interpreter that runs it. A program that was
// linked with a static MPI has its functions in its own file.
func isOwn(f stack.Frame) bool {
	c := anatomy.ClassOf(f.Library)
	if c != anatomy.Own && c != anatomy.Language || isMPI(f.Function) {
		return false
	}
	return f.Function != "_start" && f.Function != "[plt]"
}

// isMPI tells whether a function is one of MPI's, of C or Fortran.
func isMPI(function string) bool {
	return mpiCall(function) != ""
}

// mpiCall returns the name of one of MPI's functions without its prefix, "" for another function: PMPI_Send,
// mpi_send_ of Fortran, and ompi_send_f, as Open MPI calls that too.
func mpiCall(function string) string {
	s := strings.TrimPrefix(strings.TrimPrefix(function, "P"), "p")
	if call, ok := strings.CutPrefix(s, "MPI_"); ok {
		return call
	}
	call, ok := strings.CutPrefix(s, "mpi_")
	if ok && strings.HasSuffix(call, "_") {
		return strings.TrimSuffix(strings.TrimRight(call, "_"), "_f08")
	}
	call, ok = strings.CutPrefix(s, "ompi_")
	if ok && strings.HasSuffix(call, "_f") {
		return strings.TrimSuffix(call, "_f")
	}
	return ""
}

// callOf returns the name of a frame: of MPI's functions that of C, whichever language calls them.
func callOf(f stack.Frame) string {
	switch {
	case f.Function == "":
		return fmt.Sprintf("+%#x", f.Offset)
	case isMPI(f.Function):
		s := mpiCall(f.Function)
		return "MPI_" + strings.ToUpper(s[:1]) + s[1:]
	}
	return f.Function
}

// keyOf is equal for stacks that are merged.
func keyOf(frames []stack.Frame, p places) string {
	var b strings.Builder
	for i := max(p.entry, 0); i < len(frames); i++ {
		f := frames[i]
		fmt.Fprintf(&b, "%s|%s", f.Library, callOf(f))
		switch {
		case i == max(p.entry, 0) && f.Function != "": // any place in it
		case f.Line > 0:
			fmt.Fprintf(&b, "|%s:%d", f.File, f.Line)
		default:
			fmt.Fprintf(&b, "|%x", f.Offset)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// mark marks the odd groups among the main threads'.
func mark(groups []TaskGroup) {
	largest, waiting, stopped, all := 0, 0, 0, 0
	for _, g := range groups {
		if !g.main {
			continue
		}
		largest, all = max(largest, g.Tasks), all+g.Tasks
		if g.State == Stopped {
			stopped += g.Tasks
		} else if g.waits {
			waiting += g.Tasks
		}
	}
	for i := range groups {
		g := &groups[i]
		switch {
		case !g.main || g.Tasks == all:
		case stopped > 0 && stopped < all:
			g.Odd = g.State == Stopped
		case waiting > 0 && waiting < all:
			g.Odd = !g.waits && 2*(all-waiting) <= all
		default:
			g.Odd = 2*g.Tasks <= largest
		}
	}
}

// notes says what is missing.
func (m *merger) notes() (out []note.Note) {
	for _, k := range []struct {
		trouble stack.Trouble
		code    note.Code
		text    string
	}{
		{stack.Denied, note.StackDenied,
			"%d threads: the system does not let you read them (another user's, or kernel.yama.ptrace_scope is set)"},
		{stack.Foreign, note.StackDenied, "%d threads belong to another user"},
		{stack.Traced, note.StackTraced, "%d threads are held by a debugger and were left alone"},
		{stack.Frozen, note.StackFrozen, "%d threads are frozen, as those of a suspended job, and were left alone"},
		{stack.Gone, note.StackGone, "%d threads ended meanwhile"},
		{stack.Late, note.StackIncomplete, "%d threads were left out: no time was left"},
		{stack.Stuck, note.StackIncomplete, "%d threads sleep in the kernel and show nothing"},
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
		out = append(out, note.New(note.StackIncomplete, "%d stacks end before their outermost function (%s)", cut,
			most(m.cut)))
	}
	if m.hidden > 0 {
		out = append(out, note.New(note.StackThreads, "%d other threads are in libraries only and not listed", m.hidden))
	}
	return out
}
