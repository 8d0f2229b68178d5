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

// DetailLevel says how much is looked up for a frame.
type DetailLevel string

// The detail levels, which are the values of the setting agent.stack.
const (
	NoStacks  DetailLevel = "off"
	Functions DetailLevel = "functions"
	Lines     DetailLevel = "lines"
)

// UnwindQuestion has copies of threads to unwind. Those of one process are consecutive.
type UnwindQuestion struct {
	Detail DetailLevel `json:"detail"`
	// NoPython leaves out the functions written in Python, for which memory of the process is read.
	NoPython bool         `json:"no_python,omitempty"`
	Threads  []ThreadCopy `json:"threads"`
}

// Frame is one function on a stack.
type Frame struct {
	// Function is its readable name, "" if the file has no symbol for it.
	Function string `json:"function,omitempty"`
	// Library is the base name of the file, "[vdso]" for the kernel's, "" for code in no file.
	Library string `json:"library"`
	// Offset is the file offset of the code.
	Offset uint64 `json:"offset"`
	// File is the source file as the debug information names it, Line the line in it, 0 if it is not known.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// ThreadStack is the walk of one ThreadCopy.
type ThreadStack struct {
	TID    int     `json:"tid"`
	Frames []Frame `json:"frames"`
	Ending WalkEnd `json:"ending"`
}

// Limits of one unwinder. It stops by itself after stopAfter or maxCPUNS of CPU time; the child is killed at
// unwindWall and at the CPU time in the table of children.
const (
	unwindWall = 12 * time.Second
	stopAfter  = 10 * time.Second
	maxCPUNS   = 3e9 // ns
	maxPath    = 200
	heapBytes  = 96 << 20
)

// ServeUnwindStacks is the main function of the child that unwinds stacks: it answers an UnwindQuestion with a
// list of ThreadStacks.
func ServeUnwindStacks(ctx context.Context, r as.Request) error {
	var q UnwindQuestion
	if _, err := as.ReadRequest(r.In, &q); err != nil {
		return err
	}
	debug.SetMemoryLimit(heapBytes)
	debug.SetPanicOnFault(true) // a mapped file may become shorter
	ctx, stop := context.WithTimeout(ctx, stopAfter)
	defer stop()
	u := newUnwinder(ctx, "/proc", q.Detail)
	u.noPython = q.NoPython
	return json.NewEncoder(r.Out).Encode(u.unwind(q.Threads))
}

// unwinder unwinds the copies of one question.
type unwinder struct {
	ctx       context.Context
	detail    DetailLevel
	libraries libraries
	mappings  map[int][]mapping
	lineSteps int
	cpuNS     int64 // of this process, after which nothing more is read
	// interpreters are the readers for CPython by process, nil where it cannot be read.
	interpreters map[int]*python
	pythonReads  int // how many reads of memory are left for them
	noPython     bool
}

// newUnwinder returns an unwinder that reads mappings below proc.
func newUnwinder(ctx context.Context, proc string, d DetailLevel) *unwinder {
	return &unwinder{ctx: ctx, detail: d, libraries: libraries{proc: proc, open: map[string]*library{}},
		mappings: map[int][]mapping{}, lineSteps: maxLineSteps, cpuNS: maxCPUNS,
		interpreters: map[int]*python{}, pythonReads: maxPythonReads}
}

// unwind unwinds all copies, then looks up the functions of each file once.
func (u *unwinder) unwind(copies []ThreadCopy) []ThreadStack {
	stacks, walks := make([]ThreadStack, len(copies)), make([][]walkedFrame, len(copies))
	for i, c := range copies {
		stacks[i].TID = c.TID
		walks[i], stacks[i].Ending = u.walk(c)
	}
	found := u.lookUp(walks)
	for i, walk := range walks {
		for _, p := range walk {
			stacks[i].Frames = append(stacks[i].Frames, found[p.location])
		}
		stacks[i].Frames = u.withPython(copies[i], walk, stacks[i])
	}
	return stacks
}

// walk unwinds one copy and returns its frames and why it ended: NoRegister also for a copy without registers,
// and when the unwinder's time is over. It recovers from panics, so that one copy cannot stop the others.
func (u *unwinder) walk(c ThreadCopy) (frames []walkedFrame, why WalkEnd) {
	defer func() {
		if recover() != nil {
			frames, why = nil, BadTable
		}
	}()
	m := thisMachine()
	if len(c.Registers) != m.registers || u.outOfTime() {
		return nil, NoRegister
	}
	maps, ok := u.mappings[c.PID]
	if !ok {
		maps, _ = mappingsOf(u.libraries.proc, c.PID) // without any no address is code
		u.mappings[c.PID] = maps
	}
	w := walk{machine: m, libraries: &u.libraries, pid: c.PID, mappings: maps, memory: memory{c.StackAt, c.Stack},
		registers: registers{c.Registers, c.Known}}
	return w.allFrames()
}

// outOfTime reports whether the time or CPU time is used up.
func (u *unwinder) outOfTime() bool { return u.ctx.Err() != nil || rawcall.CPU() > u.cpuNS }

// lookUp returns the Frame of each location, looking up each file once.
func (u *unwinder) lookUp(walks [][]walkedFrame) map[frameLocation]Frame {
	of := map[*library][]uint64{}
	found := map[frameLocation]Frame{}
	for _, walk := range walks {
		for _, f := range walk {
			p := f.location
			if _, ok := found[p]; !ok {
				found[p] = Frame{Library: note.Clean(p.library.name, names.MaxName), Offset: p.offset}
				of[p.library] = append(of[p.library], p.offset)
			}
		}
	}
	for lib, offsets := range of {
		for i, f := range u.functions(lib, offsets) {
			p := frameLocation{lib, offsets[i]}
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

// functions returns the functions at offsets of a file, empty ones when the unwinder's time is over. It
// recovers from panics, so that one file cannot stop the others.
func (u *unwinder) functions(lib *library, offsets []uint64) (found []names.Function) {
	defer func() {
		if recover() != nil {
			found = make([]names.Function, len(offsets))
		}
	}()
	if u.outOfTime() {
		return make([]names.Function, len(offsets))
	}
	return lib.functions(u.ctx, offsets)
}

// line returns the source file and line of a location, "" and 0 if unknown or when the unwinder's time is over.
func (u *unwinder) line(p frameLocation) (file string, line int) {
	if p.library.file == nil || u.outOfTime() {
		return "", 0
	}
	if !p.library.linesOpened {
		p.library.linesOpened = true
		p.library.lines, _ = openLines(p.library.file, &u.lineSteps) // most have none
	}
	addr, ok := p.library.elf.Address(p.offset)
	if p.library.lines == nil || !ok {
		return "", 0
	}
	file, line = p.library.lines.at(addr)
	return note.Clean(filepath.ToSlash(file), maxPath), line
}

// checkStacks returns an error if the child's answer is not a valid one for the copies.
func checkStacks(stacks []ThreadStack, copies []ThreadCopy) error {
	if len(stacks) != len(copies) {
		return fmt.Errorf("the unwinding child returned the stacks of %d threads, want %d: its answer is discarded",
			len(stacks), len(copies))
	}
	for i, s := range stacks {
		if s.TID != copies[i].TID || len(s.Frames) > maxFrames {
			return fmt.Errorf("the unwinding child returned the stack of thread %d, want thread %d (%d frames): its answer "+
				"is discarded",
				s.TID, copies[i].TID,
				len(s.Frames))
		}
		for _, f := range s.Frames {
			for _, text := range []string{f.Function, f.Library, f.File} {
				if text != note.Clean(text, names.MaxName) || f.Line < 0 {
					return fmt.Errorf("the unwinding child returned an invalid name or line of thread %d: its answer is discarded",
						s.TID)
				}
			}
		}
	}
	return nil
}
