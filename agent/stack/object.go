package stack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"jobgait/agent/names"
	"jobgait/agent/peek"
)

// library is an ELF file that processes have mapped.
type library struct {
	name        string // base name of its path
	file        *os.File
	elf         *names.ELFFile
	lines       *lineTables // nil if it has none
	linesOpened bool        // for lines
	entries     map[uint64]entry
	frames      frameIndex
}

// libraries caches the opened files by inode and path. A file that cannot be read has a library without elf.
type libraries struct {
	proc string
	open map[string]*library
}

// libraryOf returns the file of a mapping of a process, opening it at first use.
func (l *libraries) libraryOf(pid int, m *mapping) *library {
	key := fmt.Sprint(m.inode, " ", m.path)
	lib, ok := l.open[key]
	if !ok {
		lib = l.load(pid, m)
		l.open[key] = lib
	}
	return lib
}

// load opens the file of a mapping, by its path in the process's root directory, its program link, or its
// path here. The inode must match. Without such a file, the library has only a name. The vdso is read from
// this process's memory.
func (l *libraries) load(pid int, m *mapping) *library {
	path := strings.TrimSuffix(m.path, " (deleted)")
	lib := &library{name: filepath.Base(path), entries: map[uint64]entry{}}
	if m.path == peek.VDSO {
		lib.name = peek.VDSO
		lib.elf, _ = names.OpenVDSO()
		return lib
	}
	if !strings.HasPrefix(path, "/") {
		return lib
	}
	dir := filepath.Join(l.proc, strconv.Itoa(pid))
	for _, p := range []string{filepath.Join(dir, "root") + path, filepath.Join(dir, "exe"), path} {
		f, err := peek.OpenRegular(p, func(st unix.Stat_t) bool { return st.Ino == m.inode })
		if err != nil {
			continue
		}
		if lib.elf, err = names.Open(f); err == nil {
			lib.file = f
			return lib
		}
		_ = f.Close()
	}
	return lib
}

// entryAt returns the entry of .eh_frame that covers an address; false if none does.
func (lib *library) entryAt(addr uint64) (entry, bool) {
	if lib.elf == nil {
		return entry{}, false
	}
	at, ok := lib.elf.FrameEntry(addr)
	if !ok {
		at, ok = lib.frames.entryAt(lib.elf, addr)
	}
	if !ok {
		return entry{}, false
	}
	e, ok := lib.entries[at]
	if !ok {
		e, _ = readEntry(lib.elf, at) // one that is not understood covers nothing
		lib.entries[at] = e
	}
	return e, addr-e.begin < e.size
}

// followsCall reports whether the instruction before an address can be a call, as before a return address. On
// amd64, whose instructions vary in length, only the last bytes are checked.
func (lib *library) followsCall(addr uint64) bool {
	var b [8]byte
	if lib.elf == nil || !lib.elf.ReadAddress(b[:], addr-8) {
		return false
	}
	return isCall(b)
}

// functions returns the functions at offsets of the file, in their order, by its own symbols and those of its separate
// debug file. A function without a known name is empty, as are all of a file that could not be read.
func (lib *library) functions(ctx context.Context, offsets []uint64) []names.Function {
	if lib.elf == nil {
		return make([]names.Function, len(offsets))
	}
	var debug *names.ELFFile
	if lib.file != nil {
		d, file := names.DebugOf(lib.file)
		if file != nil {
			defer file.Close()
			debug = d
		}
	}
	return lib.elf.NameExact(ctx, offsets, debug, names.MaxSteps)
}
