package job

import (
	"bytes"
	"strings"
	"testing"

	"jobgait/analysis/stacks"
	"jobgait/analysis/summary"
)

// hungStacks are 31 ranks in a collective and one in a write.
func hungStacks() *stacks.Record {
	at := func(function, file string, line int) stacks.GroupFrame {
		return stacks.GroupFrame{Function: function, Library: "nemo.exe", File: &file, Line: &line}
	}
	outer := []stacks.GroupFrame{at("solve", "/src/solver.f90", 80), at("main", "/src/solver.f90", 9),
		{Function: "_start", Library: "nemo.exe"}}
	wait := stacks.Group{Tasks: 31, Threads: 31, Nodes: []string{"dahu-1"}, State: stacks.Running, Key: "a",
		Frames: append([]stacks.GroupFrame{{Function: "MPI_Allreduce", Library: "libmpi.so.40"},
			at("exchange", "/src/solver.f90", 112)}, outer...)}
	call := "write"
	for rank := range 32 {
		if rank != 17 {
			wait.Ranks, wait.PIDs = append(wait.Ranks, rank), append(wait.PIDs, 1000+rank)
		}
	}
	odd := stacks.Group{Tasks: 1, Threads: 1, Ranks: []int{17}, PIDs: []int{1017}, Nodes: []string{"dahu-1"},
		State: stacks.Sleeping, WaitsIn: &call, Key: "b",
		Frames: append([]stacks.GroupFrame{{Function: "write", Library: "libc.so.6"},
			at("write_checkpoint", "/src/io.c", 88)}, outer...)}
	return &stacks.Record{AtS: 1830, Groups: stacks.Merge(stacks.Record{Groups: []stacks.Group{wait, odd}})}
}

// The page of a run that hung has its stacks as one tree, and the JSON has the groups.
func TestStacksOnThePage(t *testing.T) {
	s := stopped(sound(), "CANCELLED", 15, 0)
	s.Silence = &summary.Silence{SinceS: 1800, Doing: "waiting in MPI", NoLoop: true, Stacks: hungStacks()}
	r := New(s, nil, options())
	const want = `  32 tasks: _start > main (solver.f90:9)
      31 tasks (ranks 0-16, 18-31 on dahu-1): solve (solver.f90:80) > exchange (solver.f90:112) > MPI_Allreduce
    * 1 task (rank 17 on dahu-1): solve (solver.f90:80) > write_checkpoint (io.c:88) > write, sleeping in write
`
	if got := r.stackTree(); strings.ReplaceAll(got, " > solve (solver.f90:80)\n", "\n") != strings.ReplaceAll(want,
		"solve (solver.f90:80) > ", "") {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	var page, text, encoded bytes.Buffer
	if err := HTML(&page, r); err != nil {
		t.Fatal(err)
	}
	if err := Text(&text, r); err != nil {
		t.Fatal(err)
	}
	if err := JSON(&encoded, r); err != nil {
		t.Fatal(err)
	}
	head := strings.Join(strings.Fields(strings.Join(strings.Split(text.String(), "\n")[:16], " ")), " ")
	for what, c := range map[string][2]string{
		"the page": {page.String(), "write_checkpoint (io.c:88) &gt; write, sleeping in write"},
		"the first lines": {head,
			"Rank 17 on dahu-1 is in write_checkpoint (io.c:88), asleep in write: all others wait for it."},
		"the JSON, groups":      {encoded.String(), `"ranks":[17]`},
		"the JSON, a finding's": {encoded.String(), `"stacks":"31 of 32 tasks wait in MPI_Allreduce, called from exchange`},
	} {
		if !strings.Contains(c[0], c[1]) {
			t.Errorf("%s lacks %q", what, c[1])
		}
	}
}
