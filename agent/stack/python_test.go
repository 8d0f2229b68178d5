package stack

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jobgait/agent/job/jobtest"
)

// python313 returns the path of the interpreter itself, not of a script that starts it, and skips the test without one.
func python313(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("python3.13", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skip("CPython 3.13 is not installed")
	}
	return strings.TrimSpace(string(out))
}

// The functions of a program in Python are shown with their lines, across a generator and calls of C, of the main
// thread and of another one.
func TestFunctionsOfPython(t *testing.T) {
	c := collection(t, start(t, python313(t), filepath.Join("testdata", "hang.py")))
	th := untilSeen(t, c, "clock_nanosleep", " < Solver.halo(hang.py:10) < Solver.steps(hang.py:16) < ",
		" < réduire(hang.py:24) < <module>(hang.py:28)", "[whole]")
	if s := chain(th); strings.Contains(s, "_PyEval") || strings.Count(s, "halo") != 1 {
		t.Error(s)
	}
	untilSeen(t, c, " < Condition.wait(threading.py:", " < Event.wait(threading.py:", " < wait_for(hang.py:20) < ",
		" < Thread.run(threading.py:", "[whole]")
	c.Detail = Functions
	untilSeen(t, c, " < Solver.halo < Solver.steps < ", " < réduire < <module>")
}

// The functions of a program with CPython linked into it stay in the stack beside those written in Python. Here the
// program is a copy of CPython under another name: of the interpreter, or of its shared library if it has one.
func TestFunctionsOfAProgramWithPython(t *testing.T) {
	python := python313(t)
	out, err := exec.Command(python, "-c", "import sys, sysconfig\n"+
		"v = sysconfig.get_config_vars()\n"+
		"print(sys.base_prefix)\n"+
		"if v['Py_ENABLE_SHARED']: print(v['LIBDIR'] + '/' + v['INSTSONAME'])").Output()
	if err != nil {
		t.Fatal(err)
	}
	prefix, library, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	solver := filepath.Join(t.TempDir(), "solver")
	original, program, preload := python, solver, ""
	if library != "" { // the loader takes the preloaded copy for the library, since their SONAME is equal
		original, program, preload = library, python, solver
	}
	text, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	if err := jobtest.WriteProgram(solver, text); err != nil {
		t.Fatal(err)
	}
	c := collection(t, start(t, "/usr/bin/env", "PYTHONHOME="+prefix, "LD_PRELOAD="+preload, program,
		filepath.Join("testdata", "hang.py")))
	th := untilSeen(t, c, " < Solver.halo(hang.py:10) < ", " < <module>(hang.py:28) < ", " < Py_RunMain", "[whole]")
	if s := chain(th); strings.Contains(s, "_PyEval_EvalFrame") {
		t.Error(s)
	}
}

// A copy of a thread that has called another function since does not show that one, although the frames of both lie at
// one address.
func TestPythonThatWentOn(t *testing.T) {
	program := filepath.Join(t.TempDir(), "two.py")
	text := "import os\ndef first(): os.read(0, 1)\ndef second(): os.read(0, 1)\nfirst()\nsecond()\n"
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python313(t), program)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	c := collection(t, cmd.Process.Pid)
	untilSeen(t, c, " < first(two.py:2) < <module>(two.py:4)")
	copies, all := c.copyAll(t.Context())
	if all.failed != nil || len(copies) != 1 {
		t.Fatal(len(copies), all.failed)
	}
	if _, err := in.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	untilSeen(t, c, " < second(two.py:3) < <module>(two.py:5)")
	list, _, err := c.unwind(t.Context(), copies)
	if err != nil {
		t.Fatal(err)
	}
	if s := chain(Thread{Frames: list[0].Frames}); strings.Contains(s, "second") ||
		!strings.Contains(s, "_PyEval_EvalFrameDefault") {
		t.Errorf("the copy of the first function: %s", s)
	}
}

// A function that computes is shown although it has gone on since the copy.
func TestPythonThatComputes(t *testing.T) {
	program := filepath.Join(t.TempDir(), "spin.py")
	text := "def spin():\n    n = 0\n    while True:\n        n = (n * 5 + 1) % 1000003\nspin()\n"
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := collection(t, start(t, python313(t), program))
	untilSeen(t, c, "spin(spin.py:", " < <module>(spin.py:5)")
}

// The line tables of CPython: entries without a line, of one line, and with numbers of several bytes.
func TestLinesOfPython(t *testing.T) {
	table := []byte{
		0x80 | 15<<3,               // 1 unit without a line
		0x80 | 13<<3 | 1, 2<<1 | 0, // 2 units, 2 lines further
		0x80 | 11<<3, 0, 0, // 1 unit, 1 line further
		0x80 | 3<<3, 0, // 1 unit, the same line
		0x80 | 14<<3, 0x40 | 1, 2, 0, 1, 0x41, 1, // 1 unit, -64 lines, an end line and two columns
		0x80 | 13<<3, 4 << 1, // 1 unit, 4 lines further
	}
	for offset, want := range map[uint64]int{0: 0, 2: 102, 4: 102, 6: 103, 8: 103, 10: 39, 12: 43, 14: 0, 1 << 40: 0} {
		if got := lineAt(table, 100, offset); got != want {
			t.Errorf("line of %d: %d, want %d", offset, got, want)
		}
	}
}

func FuzzLinesOfPython(f *testing.F) {
	f.Add([]byte{0x80 | 14<<3, 0x41, 2, 0, 1, 0x41, 1}, uint64(0))
	f.Fuzz(func(t *testing.T, b []byte, offset uint64) {
		if line := lineAt(b, 1, offset); line < 0 {
			t.Errorf("line %d", line)
		}
	})
}

func TestLibrariesOfPython(t *testing.T) {
	for file, want := range map[string]string{
		"/home/u/solver.py": "solver.py",
		"/usr/bin/simulate": "<simulate>",
		"<string>":          "<string>",
		"/home/u/env/lib/python3.13/site-packages/mpi4py/x.py": "mpi4py/x.py",
		"/usr/lib/python3/dist-packages/numpy/f.py":            "numpy/f.py",
		"/usr/lib/python3.13/threading.py":                     "python3.13/threading.py",
		"<frozen importlib._bootstrap>":                        "python/importlib._bootstrap.py",
		"":                                                     "<.>",
	} {
		if got := pythonLibrary(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// Whatever is in the memory of an interpreter, what is read of it is bounded.
func FuzzPython(f *testing.F) {
	table := make([]byte, 8*len(pythonOffsets{}))
	put := func(i int, v uint64) { binary.LittleEndian.PutUint64(table[8*i:], v) }
	put(0, pythonCookie)
	put(pyVersion, 0x030d00f0)
	for i, v := range map[int]uint64{pyFrameSize: 88, pyPrevious: 8, pyInstruction: 56, pyOwner: 70, pyCodeSize: 208,
		pyFile: 112, pyQualifiedName: 128, pyLineTable: 136, pyFirstLine: 68, pyBytecode: 208, pyType: 8, pyTypeName: 24,
		pyBytesSize: 16, pyBytesData: 32, pyTextState: 32, pyTextLength: 16, pyASCIISize: 40, pyInterpreters: 584} {
		put(i, v)
	}
	const at = 0x10000
	ring := binary.LittleEndian.AppendUint64(slices.Clone(table), at) // an interpreter that is its own successor
	f.Add(append(ring, make([]byte, 256)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		reads := 1000
		p := &python{memory: -1, stack: memory{at, b}, runtime: at, codes: map[uint64]*pythonCode{}, reads: &reads}
		if !p.readOffsets() {
			return
		}
		for _, list := range p.segmentsOf([]addressRange{{0, 1 << 62}, {at, at + 500}}, true) {
			for _, call := range list {
				p.frame(call, Lines)
			}
		}
		if c := p.codeAt(at + 64); c != nil {
			lineAt(c.table, c.firstLine, 8)
		}
	})
}
