package names

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"jobgait/agent/profile"
)

// MaxSteps limits the work on one file: a step is a symbol that is read, a place that it covers, or a frame.
// The largest library tested (117 MB) takes 60,000 steps, a browser in one file 1.5 million; eight million take
// 0.25 s.
const MaxSteps = 8 << 20

// Sources of a function.
const (
	Symtab    = "symtab"
	Dynsym    = "dynsym"
	MiniDebug = "minidebug" // .gnu_debugdata
	DebugFile = "debugfile"
	PLT       = "plt"    // the linker's jumps into other libraries
	Frames    = "frames" // bounds only
)

// Function is a function of a file: its file offsets from Start up to End (exclusive), and its name, "" if
// unknown.
type Function struct {
	Start  uint64 `json:"start"`
	End    uint64 `json:"end"`
	Name   string `json:"name,omitempty"`
	Source string `json:"source"`
}

// place is a requested place: its address, and the best symbol found so far.
type place struct {
	from    uint64 // address
	index   int    // in the question
	overlap uint64 // bytes of the place that the symbol covers
	rank    int
	start   uint64
	end     uint64
	source  string
	text    io.ReaderAt // file with the names of the symbol and its aliases
	names   []uint64
}

// query is one lookup of places in one file.
type query struct {
	ctx    context.Context
	file   *ELFFile
	places []place // ascending
	steps  int     // left
	width  uint64  // bytes of a place
	names  map[nameKey]string
}

// nameKey is where a symbol's name is stored: a string table and an offset in it.
type nameKey struct {
	r  io.ReaderAt
	at uint64
}

// Name returns the function at each of the offsets, a Function without Source if none is known. debug is the
// debug file of the same build, or nil. It stops when the steps are used up or ctx ends, and returns what it
// has found.
func (f *ELFFile) Name(ctx context.Context, offsets []uint64, debug *ELFFile, steps int) []Function {
	return f.nameAtWidth(ctx, offsets, debug, steps, profile.PlaceBytes)
}

// NameExact does what Name does for single bytes instead of places of 16 bytes.
func (f *ELFFile) NameExact(ctx context.Context, offsets []uint64, debug *ELFFile, steps int) []Function {
	return f.nameAtWidth(ctx, offsets, debug, steps, 1)
}

// nameAtWidth does what Name does for places of width bytes. It reads the symbols of the debug file, .symtab, .dynsym
// and .gnu_debugdata, and assigns to a place the one that covers most of it, of equals the shorter. Places without a
// symbol get the bounds of .plt or of the frame table.
func (f *ELFFile) nameAtWidth(ctx context.Context, offsets []uint64, debug *ELFFile, steps int,
	width uint64) []Function {
	q := &query{ctx: ctx, file: f, steps: steps, width: width, names: map[nameKey]string{}}
	for i, off := range offsets {
		if a, ok := f.Address(off); ok && a <= 1<<63 {
			q.places = append(q.places, place{from: a, index: i})
		}
	}
	slices.SortFunc(q.places, func(a, b place) int { return cmp.Compare(a.from, b.from) })
	if debug != nil {
		q.coverTables(debug, kindSymbols, DebugFile)
	}
	q.coverTables(f, kindSymbols, Symtab)
	q.coverTables(f, kindExports, Dynsym)
	if g := f.miniDebugFile(ctx); g != nil {
		q.coverTables(g, kindSymbols, MiniDebug)
	}
	q.coverPLT()
	q.coverFrames()
	out := make([]Function, len(offsets))
	for i := range q.places {
		p := &q.places[i]
		out[p.index] = q.function(p)
	}
	return out
}

// step counts one step; it returns false if no step is left or the context has ended.
func (q *query) step() bool {
	q.steps--
	return q.steps >= 0 && (q.steps%4096 != 0 || q.ctx.Err() == nil)
}

// function converts a place's best symbol to a Function with file offsets. It reads the name only here, because
// few of a table's symbols are needed.
func (q *query) function(p *place) Function {
	start, ok := q.file.offset(p.start)
	if p.source == "" || !ok || p.end <= p.start {
		return Function{}
	}
	end, ok := q.file.offset(p.end - 1)
	if !ok || end < start {
		return Function{}
	}
	f := Function{Start: start, End: end + 1, Source: p.source}
	for _, at := range p.names {
		f.Name = betterAlias(f.Name, q.name(p.text, at))
	}
	if p.source == PLT {
		f.Name = "[plt]"
	}
	return f
}

// name reads and caches the readable name at an offset of a string table, "" once ctx has ended.
func (q *query) name(r io.ReaderAt, at uint64) string {
	k := nameKey{r, at}
	n, ok := q.names[k]
	if !ok && q.ctx.Err() == nil {
		n = ReadableName(readString(r, at, maxRaw))
		q.names[k] = n
	}
	return n
}

// betterAlias returns the better name of two aliases: the one with fewer leading underscores, then the
// shorter, then the first in alphabetical order. An empty one is never better.
func betterAlias(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	under := func(s string) int { return len(s) - len(strings.TrimLeft(s, "_")) }
	if cmp.Or(cmp.Compare(under(a), under(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) <= 0 {
		return a
	}
	return b
}
