package stack

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"jobgait/agent/stack"
	"jobgait/analysis/note"
)

// frame makes a frame from "function library" or "function library file:line".
func frame(text string) stack.Frame {
	f := strings.Fields(text)
	out := stack.Frame{Function: f[0], Library: f[1]}
	if len(f) > 2 {
		file, line, _ := strings.Cut(f[2], ":")
		out.File = "/src/" + file
		for _, c := range line {
			out.Line = 10*out.Line + int(c-'0')
		}
	}
	return out
}

func thread(state, call string, frames ...string) stack.Thread {
	th := stack.Thread{State: state, WaitsIn: call, Ending: stack.Whole}
	for _, f := range frames {
		th.Frames = append(th.Frames, frame(f))
	}
	return th
}

func task(rank int, threads ...stack.Thread) stack.Task {
	node := "n1"
	if rank >= 16 {
		node = "n2"
	}
	return stack.Task{Node: node, Rank: rank,
		Stacks: stack.ProcessStacks{PID: 1000 + rank, Threads: len(threads), Listed: threads}}
}

var (
	exchange = []string{"MPI_Allreduce libmpi.so.40", "exchange solver solver.f90:112", "solve solver solver.f90:80",
		"main solver solver.f90:9",
		"__libc_start_main libc.so.6", "_start solver"}
	checkpoint = []string{"write libc.so.6", "write_checkpoint solver io.c:88", "solve solver solver.f90:70",
		"main solver solver.f90:9",
		"__libc_start_main libc.so.6", "_start solver"}
)

// polling is a rank in the collective, polling in one of two places of the library.
func polling(rank int) stack.Task {
	inner := [][]string{{"sched_yield libc.so.6", "opal_progress libopen-pal.so.40"},
		{"poll libc.so.6", "opal_progress libopen-pal.so.40"}}[rank%2]
	return task(rank, thread("R", "", append(append([]string{}, inner...), exchange...)...),
		thread("S", "epoll_wait", "epoll_wait libc.so.6", "progress_engine libopen-rte.so.40", "start_thread libc.so.6"))
}

func merged(t *testing.T, tasks ...stack.Task) MergedStacks {
	t.Helper()
	id := int64(7)
	return Merge(&id, time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC), tasks, nil)
}

func hung() (tasks []stack.Task) {
	for rank := range 32 {
		if rank != 17 {
			tasks = append(tasks, polling(rank))
		}
	}
	return append(tasks, task(17, thread("S", "write", checkpoint...)))
}

// The first lines say what most ranks wait for and where the other one is.
func TestTextOfAHang(t *testing.T) {
	want := `31 of 32 tasks wait in MPI_Allreduce, called from exchange (solver.f90:112).
Rank 17 on n2 is in write_checkpoint (io.c:88), asleep in write: all others wait for it.

  31 tasks: ranks 0-16, 18-31, running
    MPI_Allreduce      libmpi.so.40
    exchange           solver.f90:112
    solve              solver.f90:80
    main               solver.f90:9
    __libc_start_main  libc.so.6
    _start             solver

* 1 task: rank 17 on n2, sleeping in write
    write              libc.so.6
    write_checkpoint   io.c:88
    solve              solver.f90:70
    main               solver.f90:9
    __libc_start_main  libc.so.6
    _start             solver

note: 31 other threads are not listed, because no function of the program is on their stacks
`
	if got := Text(merged(t, hung()...)); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// The keys are those of jobgait.stack/1.
func TestJSONOfAHang(t *testing.T) {
	b, err := json.Marshal(merged(t, polling(0), polling(2), task(17, thread("S", "write", checkpoint[1:2]...))))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/hang.json")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(b) + "\n"; got != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// Which groups are odd.
func TestOddGroups(t *testing.T) {
	barrier := append([]string{"PMPI_Barrier libmpi.so.40", "synchronize solver a.c:3"}, exchange[2:]...)
	fortran := append([]string{"mpi_allreduce_ libmpi_mpifh.so.40"}, exchange[1:]...)
	of := append([]string{"ompi_allreduce_f libmpi_mpifh.so.40"}, exchange[1:]...)
	computing := []string{"kernel solver a.c:9", "main solver a.c:1"}
	for _, c := range []struct {
		name  string
		tasks []stack.Task
		odd   []int // ranks
	}{
		{"one of two computes", []stack.Task{polling(0), task(1, thread("R", "", computing...))}, []int{1}},
		{"two of three compute", []stack.Task{polling(0), task(1, thread("R", "", computing...)),
			task(2, thread("R", "", computing...))}, nil},
		{"another collective", []stack.Task{polling(0), polling(1), task(2, thread("R", "", barrier...))}, []int{2}},
		{"another collective, one each", []stack.Task{polling(0), task(1, thread("R", "", barrier...))}, nil},
		{"stopped in the collective", []stack.Task{polling(0), polling(1), task(2, thread("T", "", exchange...))}, []int{2}},
		{"all in one place", []stack.Task{polling(0), polling(1), polling(2)}, nil},
		{"all stopped", []stack.Task{task(0, thread("T", "", exchange...)), task(1, thread("T", "", exchange...))}, nil},
		{"Fortran and C", []stack.Task{task(0, thread("R", "", exchange...)), task(1, thread("R", "", fortran...))}, nil},
		{"Fortran of Open MPI and C", []stack.Task{task(0, thread("R", "", exchange...)), task(1, thread("R", "", of...))},
			nil},
		{"no stack", []stack.Task{polling(0), polling(1), task(2, stack.Thread{Trouble: stack.Stuck, State: "D"})}, []int{2}},
	} {
		var odd []int
		for _, g := range merged(t, c.tasks...).Groups {
			if g.Odd {
				odd = append(odd, g.Ranks...)
			}
		}
		if len(odd) != len(c.odd) || len(odd) > 0 && odd[0] != c.odd[0] {
			t.Errorf("%s: odd ranks %v, want %v", c.name, odd, c.odd)
		}
	}
}

// A helper process of a rank is shown with the other threads; it is no task, and not odd.
func TestHelperIsNotOdd(t *testing.T) {
	helper := task(1, thread("S", "read", "read libc.so.6", "monitor solver a.c:7", "main solver a.c:1"))
	helper.Helper = true
	m := merged(t, polling(0), polling(1), polling(2), helper)
	s := Text(m)
	if m.Tasks != 3 || !strings.Contains(s, "3 of 3 tasks wait in MPI_Allreduce") || strings.Contains(s, "* ") ||
		!strings.Contains(s, "monitor") {
		t.Errorf("%d tasks\n%s", m.Tasks, s)
	}
}

// Stacks of Python show the interpreter's functions, and a note says so; a task counts once.
func TestNoteOnPython(t *testing.T) {
	eval := thread("R", "", "_PyEval_EvalFrameDefault python3.11", "Py_RunMain python3.11", "main python3.11")
	m := merged(t, task(0, eval, eval), task(1, eval), polling(2))
	const want = "tasks that run Python: 2;"
	if !slices.ContainsFunc(m.Notes, func(n note.Note) bool {
		return n.Code == note.StackPython && strings.Contains(n.Text, want)
	}) {
		t.Errorf("%+v", m.Notes)
	}
	for _, n := range merged(t, hung()...).Notes {
		if n.Code == note.StackPython {
			t.Errorf("%+v", n)
		}
	}
}

// A function of a stripped program is a place in its file, and calls from two places are two stacks.
func TestStackWithoutNames(t *testing.T) {
	at := func(rank int, inner, outer uint64) stack.Task {
		return task(rank, stack.Thread{State: "R", Ending: stack.Whole,
			Frames: []stack.Frame{{Library: "solver", Offset: inner}, {Library: "solver", Offset: outer}}})
	}
	m := merged(t, at(0, 0x1234, 0x2000), at(1, 0x1234, 0x2000), at(2, 0x1234, 0x3000))
	if len(m.Groups) != 2 || m.Groups[0].Tasks != 2 || !strings.Contains(Text(m), "2 of 3 tasks are in solver+0x1234.") {
		t.Errorf("%s", Text(m))
	}
}

// What could not be read is said.
func TestNotesOfTrouble(t *testing.T) {
	m := merged(t, task(0, stack.Thread{Trouble: stack.Denied, State: "S"}),
		task(1, stack.Thread{Trouble: stack.Traced, State: "t"}))
	var codes []note.Code
	for _, n := range m.Notes {
		codes = append(codes, n.Code)
	}
	if len(codes) != 2 || codes[0] != note.StackDenied || codes[1] != note.StackTraced {
		t.Errorf("%v", codes)
	}
}
