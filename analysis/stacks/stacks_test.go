package stacks

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/note"
)

// waiting is a group of a node whose tasks wait in a collective; the innermost frames differ from node to node.
func waiting(node string, poll string, ranks ...int) Group {
	line := 112
	file := "solver.f90"
	return Group{Tasks: len(ranks), Threads: len(ranks), Ranks: ranks, PIDs: ranks, Nodes: []string{node}, State: Running,
		Key: "wait", Frames: []GroupFrame{{Function: poll, Library: "libc.so.6"},
			{Function: "MPI_Barrier", Library: "libmpi.so.40"},
			{Function: "exchange", Library: "solver", File: &file, Line: &line}}}
}

// Groups of several nodes with one key are one; where their innermost frames differ, they begin at the call.
func TestMergeNodes(t *testing.T) {
	call := "read"
	odd := Group{Tasks: 1, Threads: 1, Ranks: []int{5}, PIDs: []int{5}, Nodes: []string{"n2"}, State: Sleeping,
		WaitsIn: &call,
		Key:     "odd", Frames: []GroupFrame{{Function: "read_input", Library: "solver"}}}
	got := Merge(Record{Groups: []Group{waiting("n1", "sched_yield", 0, 1, 2)}},
		Record{Groups: []Group{odd, waiting("n2", "poll", 3, 4)}})
	if len(got) != 2 || got[0].Odd || !got[1].Odd || got[0].Tasks != 5 || len(got[0].Frames) != 2 ||
		!slices.Equal(got[0].Nodes, []string{"n1", "n2"}) || !slices.Equal(got[0].Ranks, []int{0, 1, 2, 3, 4}) {
		t.Fatalf("%+v", got)
	}
	const want = "5 of 6 tasks wait in MPI_Barrier, called from exchange (solver.f90:112). " +
		"Rank 5 on n2 is in read_input, asleep in read: all others wait for it."
	if line := Line(got, nil, 400); line != want {
		t.Errorf("%q, want %q", line, want)
	}
	if line := Line(got, nil, 20); len(line) != 20 {
		t.Errorf("%q is not cut", line)
	}
}

// A task whose stack could not be read, as on a busy machine, is not called the one for which the others wait; one that
// the kernel blocks is.
func TestUnreadTasksAreNotOdd(t *testing.T) {
	const want = "Rank 3 on n1 is blocked in the kernel, without a readable stack: all others wait for it."
	for _, state := range []Activity{Running, Disk} {
		unread := Group{Tasks: 1, Threads: 1, Ranks: []int{3}, PIDs: []int{3}, Nodes: []string{"n1"}, State: state, Key: "no"}
		groups := Merge(Record{Groups: []Group{waiting("n1", "poll", 0, 1, 2), unread}})
		text := Summary(groups, nil)
		if odd := groups[1].Odd; odd != (state == Disk) || odd != strings.Contains(text, want) ||
			!odd && (!strings.Contains(text, "1 of 4 tasks could not be read.") || strings.Contains(text, "others wait")) {
			t.Errorf("%s: odd %v, %s", state, odd, text)
		}
	}
}

// That all others wait for a task is said only of ranks of one MPI program that wait in blocking calls of MPI.
func TestOthersWaitOnlyWhereKnown(t *testing.T) {
	in := func(state Activity, ranks []int, functions ...string) Group {
		g := Group{Tasks: len(ranks), Threads: len(ranks), Ranks: ranks, PIDs: ranks, Nodes: []string{"n1"}, State: state,
			Key: fmt.Sprint(functions, state)}
		for _, f := range append(functions, "main solver") {
			function, library, _ := strings.Cut(f, " ")
			g.Frames = append(g.Frames, GroupFrame{Function: function, Library: library})
		}
		return g
	}
	reduce, most := "MPI_Allreduce libmpi.so.40", []int{0, 1, 2, 3, 4}
	for name, c := range map[string]struct {
		most, odd Group
		waits     bool
	}{
		"a collective": {in(Running, most, reduce), in(Running, []int{5}, "kernel solver"), true},
		"another one":  {in(Running, most, reduce), in(Running, []int{5}, "MPI_Barrier libmpi.so.40"), true},
		"stopped":      {in(Running, most, reduce), in(Stopped, []int{5}, reduce), true},
		"OpenMP": {in(Running, most, "gomp_team_barrier_wait libgomp.so.1"), in(Running, []int{5}, "kernel solver"),
			false},
		"no blocking call": {in(Running, most, "MPI_Iprobe libmpi.so.40"), in(Running, []int{5}, "kernel solver"), false},
		"an own function named like MPI's": {in(Running, most, "mpi_halo_update_ solver"),
			in(Running, []int{5}, "kernel solver"), false},
		"point to point": {in(Running, most, "MPI_Recv libmpi.so.40"), in(Running, []int{5, 6},
			"MPI_Send libmpi.so.40"), false},
		"two programs":  {in(Running, most, reduce), in(Running, []int{0}, "kernel solver"), false},
		"without ranks": {in(Running, most, reduce), in(Running, []int{}, "kernel solver"), false},
	} {
		if name == "without ranks" {
			c.odd.Tasks, c.odd.Threads, c.odd.PIDs = 1, 1, []int{5}
		}
		groups := Merge(Record{Groups: []Group{c.most, c.odd}})
		text := Summary(groups, nil)
		if strings.Contains(text, "all others wait") != c.waits {
			t.Errorf("%s: %s", name, text)
		}
		text = Summary(groups, []note.Note{note.New(note.StackNodes, "a node gave no stacks")})
		if strings.Contains(text, "all others wait") {
			t.Errorf("%s, without one node: %s", name, text)
		}
	}
}

// In a program in Python the program's own code is the innermost function in the user's files: neither the module that
// calls MPI, nor the standard library, nor the interpreter.
func TestPlacesOfPython(t *testing.T) {
	frame := func(function, library string) GroupFrame { return GroupFrame{Function: function, Library: library} }
	main, start := frame("<module>", "run.py"), frame("_start", "python3.13")
	for _, c := range []struct {
		frames     []GroupFrame
		own, entry string
		waits      bool
	}{
		{[]GroupFrame{frame("opal_progress", "libopen-pal.so.40"), frame("MPI_Allreduce", "libmpi.so.40"),
			frame("__pyx_pw", "MPI.cpython-313-x86_64-linux-gnu.so"), frame("vectorcall", "libpython3.13.so.1.0"),
			frame("exchange", "run.py"), main, start}, "exchange", "MPI_Allreduce", true},
		{[]GroupFrame{frame("futex", "libc.so.6"), frame("Event.wait", "python3.13/threading.py"),
			frame("join", "dask/core.py"), main, start}, "<module>", "join", false},
		{[]GroupFrame{frame("futex", "libc.so.6"), frame("Event.wait", "python3.13/threading.py"),
			frame("join", "dask/core.py"), start}, "join", "Event.wait", false},
		{[]GroupFrame{frame("dgemm", "libopenblas.so.0"), frame("solve", "<simulate>"), start}, "solve", "dgemm", false},
	} {
		p := PlacesOf(c.frames)
		if p.Own < 1 || c.frames[p.Own].Function != c.own || c.frames[p.Entry].Function != c.entry || p.Waits != c.waits {
			t.Errorf("%+v of %+v, want %s and %s", p, c.frames, c.own, c.entry)
		}
	}
}

// A record of many groups keeps the largest and the smallest, and is valid then.
func TestBoundedRecords(t *testing.T) {
	var r Record
	for i := range 200 {
		g := waiting(fmt.Sprint("n", i), "poll", i)
		g.Key, g.Threads, g.Others = fmt.Sprint(i), 1+i%7, i%3 == 0
		r.Groups = append(r.Groups, g)
	}
	big := waiting("n0", "poll", 1, 2, 3)
	big.Key, big.Threads = "big", 500
	for len(big.Frames) < 300 {
		big.Frames = append(big.Frames, big.Frames[0])
	}
	r.Groups = append(r.Groups, big)
	if r.Valid(512) == nil {
		t.Error("200 groups are valid")
	}
	b := r.Bounded(2)
	if err := b.Valid(2); err != nil || len(b.Groups) != mostGroups || b.Groups[0].Key != "big" ||
		len(b.Groups[0].Ranks) != 2 {
		t.Errorf("%d groups, %v", len(b.Groups), err)
	}
	if b.Groups[mostGroups-1].Others || b.Groups[mostGroups-1].Threads != 1 {
		t.Errorf("the smallest group of main threads is lost: %+v", b.Groups[mostGroups-1])
	}
}

// Whatever is decoded as a record can be cleaned, bounded, merged and printed, and what is valid stays so.
func FuzzRecord(f *testing.F) {
	b, err := json.Marshal(Record{Groups: []Group{waiting("n1", "poll", 1, 2)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"groups":[{"tasks":-1,"frames":[{"function":"\u0000","line":-7}]},{"threads":1}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Record
		if json.Unmarshal(b, &r) != nil {
			return
		}
		r = r.Clean().Bounded(512)
		if r.Valid(512) != nil {
			return
		}
		groups := Merge(r, r)
		Line(groups, nil, 100)
		for _, branch := range Tree(groups) {
			branch.Text()
		}
		if again := Merge(Record{Groups: groups}); len(again) > len(groups) ||
			!reflect.DeepEqual(Tasks(again), Tasks(groups)) {
			t.Errorf("%d groups became %d", len(groups), len(again))
		}
	})
}
