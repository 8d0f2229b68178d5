package names

import (
	"debug/elf"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
)

// extent is a function of a file as another reader has it: file offsets.
type extent struct {
	from, through uint64
	name          string
}

// extents are the functions in a table of symbols, in the order of their starts.
func extents(f *elf.File, list []elf.Symbol) (out []extent) {
	for _, s := range list {
		kind := elf.ST_TYPE(s.Info)
		if s.Size == 0 || s.Section == elf.SHN_UNDEF || s.Section >= elf.SHN_LORESERVE ||
			kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC {
			continue
		}
		if sec := f.Sections[s.Section]; sec.Flags&elf.SHF_EXECINSTR != 0 {
			from := s.Value - sec.Addr + sec.Offset
			out = append(out, extent{from, from + s.Size, ReadableName(s.Name)})
		}
	}
	slices.SortFunc(out, func(a, b extent) int { return int(int64(a.from - b.from)) })
	return out
}

// tally counts bytes of code in functions: all, those to whose place the reader gave a name, and those whose
// name belongs to none of the functions around the byte.
type tally struct{ bytes, named, wrong uint64 }

// hold looks up all places of the functions, as many at a time as in one request to a child, and compares the
// answer for each byte.
func hold(t *testing.T, path string, truth []extent, debug *ELFFile) (sum tally) {
	t.Helper()
	r, err := os.Open(path)
	must(t, err)
	defer r.Close()
	f, err := Open(r)
	must(t, err)
	last := uint64(0)
	var offsets []uint64
	for _, x := range truth {
		for at := max(last, x.from&^(profile.PlaceBytes-1)); at < x.through; at += profile.PlaceBytes {
			offsets = append(offsets, at)
			last = at + profile.PlaceBytes
		}
	}
	first := 0 // of the functions that may still reach a place
	for ask := range slices.Chunk(offsets, MaxPlaces) {
		for i, answer := range f.Name(t.Context(), ask, debug, MaxSteps) {
			for first < len(truth) && truth[first].through+1<<20 <= ask[i] {
				first++
			}
			sum.add(ask[i], answer.Name, truth[first:])
		}
	}
	return sum
}

// add holds the name of a place against the functions, the first of which may reach it.
func (s *tally) add(at uint64, name string, truth []extent) {
	var known, right [profile.PlaceBytes]bool
	for _, x := range truth {
		if x.from >= at+profile.PlaceBytes {
			break
		}
		for b := max(at, x.from); b < min(at+profile.PlaceBytes, x.through); b++ {
			known[b-at] = true
			right[b-at] = right[b-at] || x.name == name
		}
	}
	for i := range known {
		if known[i] {
			s.bytes++
		}
		if known[i] && name != "" {
			s.named++
			if !right[i] {
				s.wrong++
			}
		}
	}
}

// judged prints, and fails where a tenth of a percent of the bytes are misnamed.
func (s tally) judged(t *testing.T, file, kind string, minNamed float64) {
	t.Helper()
	named, wrong := 100*float64(s.named)/float64(s.bytes), 100*float64(s.wrong)/float64(s.bytes)
	t.Logf("| %s | %s | %d | %.1f | %.4f |", file, kind, s.bytes, named, wrong)
	if s.bytes < 1e5 || wrong >= .1 || named < minNamed {
		t.Errorf("%s, %s: of %d bytes %.1f %% are named, %.4f %% wrongly", file, kind, s.bytes, named, wrong)
	}
}

// archives are all functions of libraries of compilers, for the linker.
func archives(t *testing.T) (flags []string) {
	t.Helper()
	flags = append(flags, "-rdynamic", "-Wl,--whole-archive")
	for _, name := range []string{"libstdc++.a", "libgfortran.a", "libquadmath.a"} {
		path, err := exec.Command("g++", "-print-file-name="+name).Output()
		p := strings.TrimSpace(string(path))
		if err != nil || !filepath.IsAbs(p) {
			t.Skipf("no %s here", name)
		}
		flags = append(flags, p)
	}
	return append(flags, "-Wl,--no-whole-archive")
}

// Of all bytes of functions in the distribution's libraries, less than 0.1 % get the name of another function,
// whichever symbols remain. Two functions within one place of 16 bytes share a name. The truth is .symtab, read
// by another reader; names at the same address count as one.
func TestMisnamed(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++ here")
	}
	path := build(t, "g++", "joined.cpp", "int main() { return 0; }", archives(t)...)
	f, err := elf.Open(path)
	must(t, err)
	list, err := f.Symbols()
	must(t, err)
	truth := extents(f, list)
	must(t, f.Close())
	whole, err := os.ReadFile(path)
	must(t, err)
	for _, c := range []struct {
		kind     string
		make     func(t *testing.T, path string) (string, *ELFFile)
		minNamed float64
	}{
		{"symtab", nil, 99.9},
		{"debug file", debugFile, 99.9},
		{"packed", packedAll, 99.9},
		{"exports", stripped, 50},
		{"bounds", withoutSections, 0},
	} {
		must(t, jobtest.WriteProgram(path, whole))
		var debug *ELFFile
		if c.make != nil {
			_, debug = c.make(t, path)
		}
		hold(t, path, truth, debug).judged(t, "libstdc++, libgfortran and libquadmath", c.kind, c.minNamed)
	}
}

// packedAll has all functions in .gnu_debugdata.
func packedAll(t *testing.T, path string) (string, *ELFFile) {
	dir := filepath.Dir(path)
	run(t, dir, "objcopy", "--only-keep-debug", "-R", ".comment", "program", "mini")
	run(t, dir, "xz", "-0", "mini")
	run(t, dir, "strip", "program")
	run(t, dir, "objcopy", "--add-section", ".gnu_debugdata=mini.xz", "program")
	return path, nil
}

// The same of libraries as they are installed, against the distribution's debug files:
// with them, and by their exports alone.
func TestMisnamedAsInstalled(t *testing.T) {
	seen := 0
	for _, name := range []string{"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgfortran.so.5"} {
		found, _ := filepath.Glob("/usr/lib/x86_64-linux-gnu/" + name)
		if len(found) == 0 {
			continue
		}
		r, err := os.Open(found[0])
		must(t, err)
		id, err := peek.BuildID(r)
		must(t, r.Close())
		if err != nil || len(id) < 2 {
			continue
		}
		debug := filepath.Join("/usr/lib/debug/.build-id", hex.EncodeToString(id[:1]), hex.EncodeToString(id[1:])+".debug")
		d, err := os.Open(debug)
		if err != nil {
			continue
		}
		defer d.Close()
		x, err := elf.NewFile(d)
		must(t, err)
		list, err := x.Symbols()
		must(t, err)
		code, err := elf.Open(found[0])
		must(t, err)
		truth := extents(code, list)
		must(t, code.Close())
		with, err := Open(d)
		must(t, err)
		hold(t, found[0], truth, with).judged(t, name, "debug file", 99)
		hold(t, found[0], truth, nil).judged(t, name, "exports", 1)
		seen++
	}
	if seen == 0 {
		t.Skip("no debug files of libraries here: libc6-dbg is the package")
	}
}
