package names

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile"
)

// run runs a tool, and skips the test where it is not available.
func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("no %s here", name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// build compiles source to a program and returns its path.
func build(t *testing.T, compiler, file, source string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, file), []byte(source), 0o600))
	run(t, dir, compiler, append([]string{"-O2", "-o", "program", file}, flags...)...)
	return filepath.Join(dir, "program")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// truth contains the places of a program in which every byte belongs to one function according to its symbol,
// read by another reader.
type truth struct {
	symbol  string
	offset  uint64 // of the place
	from    uint64 // of the function
	through uint64
}

func truthOf(t *testing.T, path string, symbols ...string) []truth {
	t.Helper()
	f, err := elf.Open(path)
	must(t, err)
	defer f.Close()
	list, err := f.Symbols()
	must(t, err)
	var out []truth
	found := map[string]bool{}
	for _, s := range list {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || !slices.Contains(symbols, s.Name) {
			continue
		}
		found[s.Name] = true
		sec := f.Sections[s.Section]
		from := s.Value - sec.Addr + sec.Offset
		for at := from &^ (profile.PlaceBytes - 1); at < from+s.Size; at += profile.PlaceBytes {
			if at >= from { // else it has bytes of the one before
				out = append(out, truth{s.Name, at, from, from + s.Size})
			}
		}
	}
	for _, s := range symbols {
		if !found[s] {
			t.Fatalf("%s has no %s", path, s)
		}
	}
	return out
}

// named looks up the places of the truth in a file.
func named(t *testing.T, path string, places []truth, debug *ELFFile) []Function {
	t.Helper()
	r, err := os.Open(path)
	must(t, err)
	defer r.Close()
	f, err := Open(r)
	must(t, err)
	var offsets []uint64
	for _, p := range places {
		offsets = append(offsets, p.offset)
	}
	return f.Name(t.Context(), offsets, debug, MaxSteps)
}

const threeParts = `
#include <stdio.h>
__attribute__((noinline)) double work_a(double x) { for (int i = 0; i < 1000; i++) x = x * 1.0000001 + i; return x; }
__attribute__((noinline)) static double work_b(double x) {
	for (int i = 0; i < 500; i++) x = x / 1.0000001 - i;
	return x;
}
__attribute__((noinline)) double work_c(double x) { for (int i = 0; i < 100; i++) x = x + i * x; return x; }
int main(int n, char **v) {
	double x = n;
	for (int i = 0; i < 1000; i++) x = work_a(work_b(work_c(x)));
	printf("%g\n", x);
	return 0;
}
`

// Each kind of symbols that a program can have names the same places, or bounds
// them.
func TestEachKindOfSymbols(t *testing.T) {
	all := []string{"work_a", "work_b", "work_c", "main"}
	exported := []string{"work_a", "work_c"}
	for _, c := range []struct {
		name    string
		flags   []string
		make    func(t *testing.T, path string) (string, *ELFFile)
		symbols []string
		source  string
	}{
		{"symbols", nil, nil, all, Symtab},
		{"static", []string{"-static"}, nil, all, Symtab},
		{"no PIE", []string{"-no-pie"}, nil, all, Symtab},
		{"a section a function", []string{"-ffunction-sections", "-Wl,--gc-sections"}, nil, all, Symtab},
		{"debug information", []string{"-g"}, nil, all, Symtab},
		{"exports", []string{"-rdynamic"}, stripped, exported, Dynsym},
		{"stripped", nil, stripped, all, Frames},
		{"stripped and static", []string{"-static"}, stripped, all, ""}, // has no table of frames
		{"stripped of sections", nil, withoutSections, all, Frames},
		{"packed", nil, packed, []string{"work_b", "main"}, MiniDebug},
		{"debug file", nil, debugFile, all, DebugFile},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := build(t, "gcc", "program.c", threeParts, c.flags...)
			places := truthOf(t, path, c.symbols...)
			var debug *ELFFile
			if c.make != nil {
				path, debug = c.make(t, path)
			}
			for i, f := range named(t, path, places, debug) {
				want := Function{Start: places[i].from, End: places[i].through, Name: places[i].symbol, Source: c.source}
				switch c.source {
				case Frames: // up to the next function
					want.Name, want.End = "", max(f.End, places[i].offset+1)
				case "":
					want = Function{}
				}
				if f != want {
					t.Errorf("%+v: %+v", places[i], f)
				}
			}
		})
	}
}

func stripped(t *testing.T, path string) (string, *ELFFile) {
	run(t, "", "strip", path)
	return path, nil
}

// withoutSections leaves only what runs.
func withoutSections(t *testing.T, path string) (string, *ELFFile) {
	b, err := os.ReadFile(path)
	must(t, err)
	copy(b[40:48], make([]byte, 8)) // e_shoff
	copy(b[58:64], make([]byte, 6))
	must(t, jobtest.WriteProgram(path, b))
	return path, nil
}

// packed makes .gnu_debugdata as Fedora's packages do.
func packed(t *testing.T, path string) (string, *ELFFile) {
	dir := filepath.Dir(path)
	run(t, dir, "objcopy", "--only-keep-debug", "program", "debug")
	run(t, dir, "objcopy", "-S", "--remove-section", ".comment", "--keep-symbol=work_b", "--keep-symbol=main", "debug",
		"mini")
	run(t, dir, "xz", "mini")
	run(t, dir, "strip", "program")
	run(t, dir, "objcopy", "--add-section", ".gnu_debugdata=mini.xz", "program")
	return path, nil
}

func debugFile(t *testing.T, path string) (string, *ELFFile) {
	dir := filepath.Dir(path)
	run(t, dir, "objcopy", "--only-keep-debug", "program", "debug")
	run(t, dir, "strip", "program")
	b, err := os.ReadFile(filepath.Join(dir, "debug"))
	must(t, err)
	f, err := Open(bytes.NewReader(b))
	must(t, err)
	return path, f
}

const fields = `
namespace grid { template <class T> struct Field {
	__attribute__((noipa)) T smooth(T x, int n) { for (int i = 0; i < n; i++) x = x * T(1.5) + i; return x; }
}; }
__attribute__((noipa)) double pressure(double x, int n) { for (int i = 0; i < n; i++) x = x / 1.5 + i; return x; }
int main(int n, char **) { grid::Field<double> f; return int(f.smooth(n, n) + pressure(n, n)); }
`

const physics = `
module physics
contains
  subroutine smooth(x, n)
    real(8), intent(inout) :: x(:)
    integer, intent(in) :: n
    integer :: i
    do i = 2, n - 1
      x(i) = (x(i - 1) + x(i) + x(i + 1)) / 3
    end do
  end subroutine
end module
program main
  use physics
  real(8) :: x(1000)
  call random_number(x)
  call smooth(x, 1000)
  print *, sum(x)
end program
`

func TestNamesOfLanguages(t *testing.T) {
	for _, c := range []struct {
		compiler, file, source string
		names                  map[string]string // by symbol
	}{
		{"g++", "field.cpp", fields, map[string]string{"_ZN4grid5FieldIdE6smoothEdi": "grid::Field<double>::smooth",
			"_Z8pressuredi": "pressure", "main": "main"}},
		{"gfortran", "physics.f90", physics,
			map[string]string{"__physics_MOD_smooth": "physics::smooth", "MAIN__": "MAIN__"}},
	} {
		t.Run(c.compiler, func(t *testing.T) {
			path := build(t, c.compiler, c.file, c.source, "-fno-inline", "-fno-ipa-cp", "-fno-ipa-sra")
			for symbol, name := range c.names {
				for _, f := range named(t, path, truthOf(t, path, symbol), nil) {
					if f.Name != name || f.Source != Symtab {
						t.Errorf("%s: %+v", symbol, f)
					}
				}
			}
		})
	}
}

// Jumps to different libraries are distinguished.
func TestJumpsToLibraries(t *testing.T) {
	path := build(t, "gcc", "program.c", threeParts, "-fno-plt", "-Wl,-z,lazy")
	f, err := elf.Open(path)
	must(t, err)
	defer f.Close()
	s := f.Section(".plt")
	if s == nil {
		s = f.Section(".plt.got")
	}
	if s == nil {
		t.Skip("the linker made no .plt")
	}
	got := named(t, path, []truth{{offset: s.Offset}}, nil)[0]
	if got.Name != "[plt]" || got.Source != PLT || got.Start != s.Offset {
		t.Errorf("%+v", got)
	}
}
