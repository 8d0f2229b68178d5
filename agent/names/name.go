package names

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"jobgait/agent/profile"
)

// MaxSteps bounds the work on one file: a step is a symbol that is looked at, a
// place that it covers, or a frame. The largest library here (117 MB) takes 60,000,
// a browser in one file 1.5 million; eight million take a quarter of a second.
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

// Function is what a place belongs to: file offsets from Start up to End, and a
// name, "" if none is known.
type Function struct {
	Start  uint64 `json:"start"`
	End    uint64 `json:"end"`
	Name   string `json:"name,omitempty"`
	Source string `json:"source"`
}

// place is a requested place: its address, and the best symbol so far.
type place struct {
	from   uint64 // address
	index  int    // in the question
	over   uint64 // bytes of the place that the symbol covers
	rank   int
	start  uint64
	end    uint64
	source string
	text   io.ReaderAt // where the names of the symbol and its aliases are
	names  []uint64
}

// query is one asking of one file.
type query struct {
	ctx    context.Context
	file   *ELFFile
	places []place // ascending
	steps  int     // left
	width  uint64  // bytes of a place
	names  map[nameKey]string
}

type nameKey struct {
	r  io.ReaderAt
	at uint64
}

// Name returns the function at each of the offsets, a Function without Source where
// none is known. debug is the debug file of the same build, or nil. It stops when
// steps are used up or ctx ends, and returns what it has found.
func (f *ELFFile) Name(ctx context.Context, offsets []uint64, debug *ELFFile, steps int) []Function {
	return f.nameWide(ctx, offsets, debug, steps, profile.PlaceBytes)
}

// NameExact does what Name does for single bytes instead of places of 16 bytes.
func (f *ELFFile) NameExact(ctx context.Context, offsets []uint64, debug *ELFFile, steps int) []Function {
	return f.nameWide(ctx, offsets, debug, steps, 1)
}

func (f *ELFFile) nameWide(ctx context.Context, offsets []uint64, debug *ELFFile, steps int, width uint64) []Function {
	q := &query{ctx: ctx, file: f, steps: steps, width: width, names: map[nameKey]string{}}
	for i, off := range offsets {
		if a, ok := f.Address(off); ok && a <= 1<<63 {
			q.places = append(q.places, place{from: a, index: i})
		}
	}
	slices.SortFunc(q.places, func(a, b place) int { return cmp.Compare(a.from, b.from) })
	if debug != nil {
		q.tables(debug, kindSymbols, DebugFile)
	}
	q.tables(f, kindSymbols, Symtab)
	q.tables(f, kindExports, Dynsym)
	if g := f.mini(ctx); g != nil {
		q.tables(g, kindSymbols, MiniDebug)
	}
	q.plt()
	q.framed()
	out := make([]Function, len(offsets))
	for i := range q.places {
		p := &q.places[i]
		out[p.index] = q.function(p)
	}
	return out
}

// step takes one, and is false if none is left or there is no more time.
func (q *query) step() bool {
	q.steps--
	return q.steps >= 0 && (q.steps%4096 != 0 || q.ctx.Err() == nil)
}

// function converts an answer to file offsets. It reads the name last: of a table of a million symbols few are
// needed.
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
		f.Name = preferred(f.Name, q.name(p.text, at))
	}
	if p.source == PLT {
		f.Name = "[plt]"
	}
	return f
}

func (q *query) name(r io.ReaderAt, at uint64) string {
	k := nameKey{r, at}
	n, ok := q.names[k]
	if !ok && q.ctx.Err() == nil {
		n = Readable(text(r, at, maxRaw))
		q.names[k] = n
	}
	return n
}

// preferred is the better name of two aliases: that with the fewest underscores in
// front, then the shortest.
func preferred(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	under := func(s string) int { return len(s) - len(strings.TrimLeft(s, "_")) }
	if cmp.Or(cmp.Compare(under(a), under(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) <= 0 {
		return a
	}
	return b
}
