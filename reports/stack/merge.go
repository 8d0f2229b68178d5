package stack

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"jobgait/agent/stack"
	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/stacks"
)

// Merge groups the tasks of a job by their stacks. jobID is nil for processes without a job.
func Merge(jobID *int64, at time.Time, tasks []stack.Task, notes []note.Note) Merged {
	r := RecordOf(tasks)
	return Merged{Schema: Schema, JobID: jobID, At: at.UTC(), Tasks: len(tasks), Groups: stacks.Merge(r),
		Notes: append(append([]note.Note{}, notes...), r.Notes...)}
}

// RecordOf groups the tasks of a node by their stacks.
func RecordOf(tasks []stack.Task) stacks.Record {
	m := merger{groups: map[string]*gathered{}}
	for _, t := range tasks {
		m.task(t)
	}
	r := stacks.Record{Groups: []stacks.Group{}, Notes: append([]note.Note{}, m.notes()...)}
	for _, key := range m.order {
		r.Groups = append(r.Groups, m.groups[key].finish())
	}
	return r
}

// LeftOut is the note on processes of a job that are no tasks.
func LeftOut(n int) note.Note {
	return note.New(note.StackTasks, "processes of the job that start its tasks or have no rank, and are not shown: %d", n)
}

// gathered is a group to which tasks are being added.
type gathered struct {
	group  stacks.Group
	first  []stack.Frame // the stack of the first task
	same   int           // the number of outermost frames that all stacks share
	states map[stacks.Activity]int
	calls  map[string]int
}

// merger groups the threads of tasks by their stacks.
type merger struct {
	groups  map[string]*gathered
	order   []string
	hidden  int // threads that are in libraries only
	trouble map[stack.Trouble]int
	cut     map[stack.Ending]int
}

// task adds the threads of a task. It only counts threads whose stack could not be read and, except for the
// main thread, threads without a call of the program's own code.
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
		p := stacks.PlacesOf(framesOf(th.Frames))
		if i > 0 && p.Own < 0 {
			m.hidden++
			continue
		}
		m.add(t, th, i == 0, p)
	}
}

// count counts why a thread's stack is missing or incomplete.
func (m *merger) count(th stack.Thread) {
	if m.trouble == nil {
		m.trouble = map[stack.Trouble]int{}
	}
	m.trouble[th.Trouble]++
}

// add adds a thread to the group of its stack.
func (m *merger) add(t stack.Task, th stack.Thread, main bool, p stacks.Places) {
	state := activityOf(th)
	key := keyOf(main, state == stacks.Stopped, th.Frames, p)
	g := m.groups[key]
	if g == nil {
		g = &gathered{group: stacks.Group{Key: key, Others: !main, Ranks: []int{}, Nodes: []string{}, PIDs: []int{}},
			first: th.Frames, same: len(th.Frames), states: map[stacks.Activity]int{}, calls: map[string]int{}}
		m.groups[key] = g
		m.order = append(m.order, key)
	}
	g.same = min(g.same, commonFrames(g.first, th.Frames))
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
func (g *gathered) finish() stacks.Group {
	out := g.group
	out.State = mostFrequent(g.states)
	if out.State == stacks.Sleeping || out.State == stacks.Disk {
		if call := mostFrequent(g.calls); call != "" {
			out.WaitsIn = &call
		}
	}
	out.Frames = framesOf(g.first)
	if p := stacks.PlacesOf(out.Frames); g.same < len(out.Frames) && p.Entry >= 0 {
		out.Frames = out.Frames[p.Entry:]
	}
	return out
}

// mostFrequent returns the key with the largest count; of equal counts the first key by name.
func mostFrequent[K ~string](counts map[K]int) (best K) {
	for k, n := range counts {
		if b := counts[best]; n > b || n == b && k < best {
			best = k
		}
	}
	return best
}

func framesOf(frames []stack.Frame) []stacks.GroupFrame {
	out := []stacks.GroupFrame{}
	for _, f := range frames {
		out = append(out, frameOf(f))
	}
	return out
}

// frameOf makes the frame that is shown. A function without a name is its place in the file.
func frameOf(f stack.Frame) stacks.GroupFrame {
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

// activityOf returns the activity of a thread.
func activityOf(th stack.Thread) stacks.Activity {
	switch {
	case th.State == "T" || th.State == "t":
		return stacks.Stopped
	case th.State == "D" || th.Trouble == stack.Stuck:
		return stacks.Disk
	case th.State == "S" || th.State == "I":
		return stacks.Sleeping
	}
	return stacks.Running
}

// commonFrames returns how many outermost frames of two stacks are equal.
func commonFrames(a, b []stack.Frame) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// keyOf returns the key by which stacks are merged, also across nodes: a hash of main, stopped and the calls
// from the program's own code on.
func keyOf(main, stopped bool, frames []stack.Frame, p stacks.Places) string {
	h := sha256.New()
	fmt.Fprintf(h, "%v %v\n", main, stopped)
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
			mostFrequent(m.cut)))
	}
	if m.hidden > 0 {
		out = append(out, note.New(note.StackThreads, "%d other threads are in libraries only and not listed", m.hidden))
	}
	return out
}
