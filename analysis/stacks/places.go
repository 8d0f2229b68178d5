package stacks

import (
	"slices"
	"strings"

	"jobgait/analysis/anatomy"
)

// Places holds the indices of the frames that say what a thread does, -1 if missing.
type Places struct {
	Own   int  // the innermost frame of the program's own code
	Entry int  // the frame that Own called: the function outside of the program's own code
	Waits bool // the program left its own code into MPI or OpenMP
}

// PlacesOf returns the indexes of the frames that show what a thread does; frames are innermost first. Own is the
// innermost frame of the program's own code, of a program in Python the innermost function in it, and Entry the frame
// that it called; they are -1 without one. Where Python calls MPI by an extension, Entry is the function of MPI. Waits
// reports whether any frame inside Own, or any at all without Own, is in MPI or OpenMP.
func PlacesOf(frames []GroupFrame) Places {
	own := pythonFrame(frames)
	inPython := own >= 0
	if !inPython {
		own = slices.IndexFunc(frames, isOwn)
	}
	p := Places{Own: own, Entry: -1}
	inner := frames
	if p.Own >= 0 {
		inner = frames[:p.Own]
		p.Entry = p.Own - 1
	}
	p.Waits = slices.ContainsFunc(inner, inWaitingLibrary)
	if inPython && p.Waits {
		for p.Entry >= 0 && !inWaitingLibrary(inner[p.Entry]) {
			p.Entry--
		}
	}
	return p
}

// inWaitingLibrary reports whether a frame is in MPI or OpenMP.
func inWaitingLibrary(f GroupFrame) bool {
	c := anatomy.ClassOf(f.Library)
	return c == anatomy.Communication || c == anatomy.OpenMP || mpiCall(f.Function) != ""
}

// pythonFrame returns the index of the innermost function written in Python: one in the user's own files if there is
// one, else one in an installed package, else in the standard library; -1 if none was written in Python. Package
// agent/stack describes the libraries of such frames.
func pythonFrame(frames []GroupFrame) int {
	found, rank := -1, 0
	for i, f := range frames {
		r := 0
		switch {
		case strings.HasPrefix(f.Library, "<"):
			r = 3
		case !strings.HasSuffix(f.Library, ".py"):
		case !strings.Contains(f.Library, "/"):
			r = 3
		case strings.HasPrefix(f.Library, "python"):
			r = 1
		default:
			r = 2
		}
		if r > rank {
			found, rank = i, r
		}
	}
	return found
}

// isOwn reports whether a frame is the program's own code, or that of the interpreter that runs it. A program that was
// linked with a static MPI has its functions in its own file.
func isOwn(f GroupFrame) bool {
	c := anatomy.ClassOf(f.Library)
	if c != anatomy.Own && c != anatomy.Language || mpiCall(f.Function) != "" {
		return false
	}
	return f.Function != "_start" && f.Function != "[plt]"
}

// Function returns the name of a function as it is shown: of MPI's functions that of C, whichever language calls them.
func Function(name string) string {
	if s := mpiCall(name); s != "" {
		return "MPI_" + strings.ToUpper(s[:1]) + s[1:]
	}
	return name
}

// mpiCall returns the name of an MPI function without its prefix, such as Send for PMPI_Send, or "" for another
// function. It also recognizes the names of Fortran (mpi_send_, with or without _f08) and of Open MPI's wrappers for it
// (ompi_send_f).
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
