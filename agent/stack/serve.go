package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"time"

	"jobgait/agent/as"
	"jobgait/agent/names"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
)

// Detail is how much is looked up of a frame.
type Detail string

// The details; it is the setting agent.stack.
const (
	NoStacks  Detail = "off"
	Functions Detail = "functions"
	Lines     Detail = "lines"
)

// UnwindQuestion holds copies of threads. Those of one process stand together.
type UnwindQuestion struct {
	Detail  Detail       `json:"detail"`
	Threads []ThreadCopy `json:"threads"`
}

// Frame is one function on a stack.
type Frame struct {
	// Function is its name as its author wrote it, "" where the file has no symbol for it.
	Function string `json:"function,omitempty"`
	// Library is the base name of the file, "[vdso]" for the kernel's, "" for code in no file.
	Library string `json:"library"`
	// Offset is where in the file the code is.
	Offset uint64 `json:"offset"`
	// File is the source file as the debug information names it, Line the line in it, 0 if it is not known.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// ThreadStack is the walk of one ThreadCopy.
type ThreadStack struct {
	TID    int     `json:"tid"`
	Frames []Frame `json:"frames"`
	Ending Ending  `json:"ending"`
}

// Bounds of one unwinder. enough and enoughCPU are when it stops by itself; the child is killed at unwindWall and
// at the CPU time in the table of children.
const (
	unwindWall = 6 * time.Second
	enough     = 5 * time.Second
	enoughCPU  = 3e9 // ns
	maxPath    = 200
	heapBytes  = 96 << 20
)

// ServeUnwindStacks is the child that reads stacks: it answers an UnwindQuestion with a list of ThreadStacks.
func ServeUnwindStacks(ctx context.Context, r as.Request) error {
	var q UnwindQuestion
	if _, err := as.ReadQuestion(r.In, &q); err != nil {
		return err
	}
	debug.SetMemoryLimit(heapBytes)
	debug.SetPanicOnFault(true) // a mapped file may become shorter
	ctx, stop := context.WithTimeout(ctx, enough)
	defer stop()
	u := newUnwinder(ctx, "/proc", q.Detail)
	return json.NewEncoder(r.Out).Encode(u.unwind(q.Threads))
}

// unwinder walks copies. It belongs to one question.
type unwinder struct {
	ctx       context.Context
	detail    Detail
	libraries libraries
	mappings  map[int][]mapping
	lineSteps int
	cpuNS     int64 // of this process, after which nothing more is read
}

func newUnwinder(ctx context.Context, proc string, d Detail) *unwinder {
	return &unwinder{ctx: ctx, detail: d, libraries: libraries{proc: proc, open: map[string]*library{}},
		mappings: map[int][]mapping{}, lineSteps: maxLineSteps, cpuNS: enoughCPU}
}

// unwind walks all copies, then looks up the names of each file once.
func (u *unwinder) unwind(copies []ThreadCopy) []ThreadStack {
	stacks, walks := make([]ThreadStack, len(copies)), make([][]place, len(copies))
	for i, c := range copies {
		stacks[i].TID = c.TID
		walks[i], stacks[i].Ending = u.walk(c)
	}
	found := u.lookUp(walks)
	for i, walk := range walks {
		for _, p := range walk {
			stacks[i].Frames = append(stacks[i].Frames, found[p])
		}
	}
	return stacks
}

// walk walks one copy: whatever it holds, the next one is walked.
func (u *unwinder) walk(c ThreadCopy) (frames []place, why Ending) {
	defer func() {
		if recover() != nil {
			frames, why = nil, BadTable
		}
	}()
	m := thisMachine()
	if len(c.Registers) != m.registers || u.spent() {
		return nil, NoRegister
	}
	maps, ok := u.mappings[c.PID]
	if !ok {
		maps, _ = mappingsOf(u.libraries.proc, c.PID) // without any no address is code
		u.mappings[c.PID] = maps
	}
	w := walk{machine: m, libraries: &u.libraries, pid: c.PID, mappings: maps, memory: memory{c.Registers[m.sp], c.Stack},
		registers: registers{c.Registers, c.Known}}
	return w.up()
}

// spent tells whether there is no more time.
func (u *unwinder) spent() bool { return u.ctx.Err() != nil || rawcall.CPU() > u.cpuNS }

// lookUp names the places of all walks, each file at once.
func (u *unwinder) lookUp(walks [][]place) map[place]Frame {
	of := map[*library][]uint64{}
	found := map[place]Frame{}
	for _, walk := range walks {
		for _, p := range walk {
			if _, ok := found[p]; !ok {
				found[p] = Frame{Library: note.Clean(p.library.name, names.MaxName), Offset: p.offset}
				of[p.library] = append(of[p.library], p.offset)
			}
		}
	}
	for lib, offsets := range of {
		for i, f := range u.functions(lib, offsets) {
			p := place{lib, offsets[i]}
			frame := found[p]
			frame.Function = f.Name
			if u.detail == Lines {
				frame.File, frame.Line = u.line(p)
			}
			found[p] = frame
		}
	}
	return found
}

// functions names the functions at offsets of a file: whatever it does to its reader, the others are read.
func (u *unwinder) functions(lib *library, offsets []uint64) (found []names.Function) {
	defer func() {
		if recover() != nil {
			found = make([]names.Function, len(offsets))
		}
	}()
	if u.spent() {
		return make([]names.Function, len(offsets))
	}
	return lib.functions(u.ctx, offsets)
}

// line returns the source line of a place.
func (u *unwinder) line(p place) (file string, line int) {
	if p.library.file == nil || u.spent() {
		return "", 0
	}
	if !p.library.looked {
		p.library.looked = true
		p.library.lines, _ = openLines(p.library.file, &u.lineSteps) // most have none
	}
	addr, ok := p.library.elf.Address(p.offset)
	if p.library.lines == nil || !ok {
		return "", 0
	}
	file, line = p.library.lines.at(addr)
	return note.Clean(filepath.ToSlash(file), maxPath), line
}

// check refuses what no unwinder of this program answers.
func check(stacks []ThreadStack, copies []ThreadCopy) error {
	if len(stacks) != len(copies) {
		return fmt.Errorf("stacks of %d threads instead of %d", len(stacks), len(copies))
	}
	for i, s := range stacks {
		if s.TID != copies[i].TID || len(s.Frames) > maxFrames {
			return fmt.Errorf("a stack of thread %d instead of %d, with %d frames", s.TID, copies[i].TID, len(s.Frames))
		}
		for _, f := range s.Frames {
			for _, text := range []string{f.Function, f.Library, f.File} {
				if text != note.Clean(text, names.MaxName) || f.Line < 0 {
					return fmt.Errorf("a frame of thread %d that is no text", s.TID)
				}
			}
		}
	}
	return nil
}
