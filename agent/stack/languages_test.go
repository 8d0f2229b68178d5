package stack

import (
	"runtime"
	"strings"
	"testing"
)

// The caller of a signal handler is the signal frame, whose caller is the function that was interrupted at any
// instruction.
func TestSignalHandler(t *testing.T) {
	c := collection(t, start(t, build(t, "gcc", "signal.c", "-O2", "-g")))
	untilSeen(t, c, "handler(signal.c:6) < ", " < interrupted(signal.c:", " < main(signal.c:16) < ", "[whole]")
}

func TestNamesOfLanguages(t *testing.T) {
	c := collection(t, start(t, build(t, "g++", "names.cc", "-O1", "-g")))
	untilSeen(t, c, "solver::Grid<double>::relax(names.cc:7) < main(names.cc:13) < ", "[whole]")
	c = collection(t, start(t, build(t, "gfortran", "names.f90", "-O0", "-g")))
	untilSeen(t, c, "exchange::halo(names.f90:6) < ", "[whole]")
}

// A stripped program has no names but those that it exports, and never the name of a neighbour.
func TestStrippedProgram(t *testing.T) {
	c := collection(t, start(t, build(t, "gcc", "stripped.c", "-O2", "-s", "-rdynamic", "-fno-ipa-icf")))
	th := untilSeen(t, c, "pause < stripped+0x", "[whole]")
	for _, f := range th.Frames {
		if f.Library == "stripped" && f.Function == "exported" && f.Line != 0 {
			t.Errorf("a line without debug information: %+v", f)
		}
	}
	if s := chain(th); !strings.Contains(s, " < exported < ") && !strings.Contains(s, "< main <") {
		t.Errorf("an exported name is missing: %s", s)
	}
}

// A statically linked program has no sorted table of its frames: the section leads to main and, of the C library, to
// the system call.
func TestStaticProgram(t *testing.T) {
	for _, flags := range [][]string{{"-O2", "-g"}, {"-O2", "-fno-optimize-sibling-calls"}} {
		c := collection(t, start(t, build(t, "gcc", "pointers.c", append(flags, "-static", "-fomit-frame-pointer")...)))
		th := untilSeen(t, c, "pause < ", "inner", " < outer", " < main", "[whole]")
		if len(th.Frames) < 5 {
			t.Errorf("frames of the C library are missing: %s", chain(th))
		}
	}
}

// Without a table frame pointers lead up to the functions that have one.
func TestFramePointers(t *testing.T) {
	flags := []string{"-O1", "-fno-omit-frame-pointer", "-fno-asynchronous-unwind-tables", "-fno-optimize-sibling-calls"}
	c := collection(t, start(t, build(t, "gcc", "pointers.c", flags...)))
	untilSeen(t, c, "pause < inner < outer < main < ")
}

// At the end of a function, a register that it has restored lies below the stack pointer, in the red zone.
func TestEndOfAFunction(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("only the ABI of x86-64 has a red zone")
	}
	c := collection(t, start(t, build(t, "gcc", "restored.s")))
	untilSeen(t, c, "ending < middle < main < ", "[whole]")
}
