package job

import (
	"strings"
	"testing"

	"jobgait/analysis/run"
)

// TestProgramsOfAPipeline prints a line for each program of `gzip -dc | sort` with a strip of when it ran: gzip in the
// first half, sort in the second. A run of one process has no such table.
func TestProgramsOfAPipeline(t *testing.T) {
	s := sound()
	strip := func(from, to int) []float64 {
		v := make([]float64, 40)
		for i := from; i < to; i++ {
			v[i] = 1
		}
		return v
	}
	step := s.ElapsedS / 40
	s.Programs = []run.Program{
		{Name: "sort", Started: 1, FirstS: s.ElapsedS / 2, LastS: s.ElapsedS, Share: 0.7, StripStepS: step,
			Strip: strip(20, 40)},
		{Name: "gzip", Started: 1, FirstS: 0, LastS: s.ElapsedS / 2, Share: 0.299, StripStepS: step, Strip: strip(0, 20)},
		{Name: "dash", Started: 1, FirstS: 0, LastS: s.ElapsedS, Share: 0.001, StripStepS: step, Strip: strip(0, 1)},
	}
	page := textOf(t, New(s, nil, options()))
	for _, want := range []string{" PROGRAMS   what the run started", "  sort           1",
		"70.0 %           █████████",
		"29.9 %  █████████"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, between(t, page, " PROGRAMS", "\n COUNTERS"))
		}
	}
	if strings.Contains(page, "dash") {
		t.Error("a program with 0.1 % of the CPU time has a line")
	}
	if html := pageOf(t, s, nil); !strings.Contains(html, "when gzip ran: from") {
		t.Error("the page has no strip")
	}
	s.Programs = s.Programs[:1]
	if page := textOf(t, New(s, nil, options())); strings.Contains(page, "PROGRAMS") {
		t.Error("one process has a table of programs")
	}
	s.Programs[0].Started = 300
	if page := textOf(t, New(s, nil, options())); !strings.Contains(page, "  sort         300") {
		t.Error("300 processes of one program have no line")
	}
}

// TestLongNamesOfProgramsDiffer cuts names in their middle: the assembler's and the linker's differ at the end.
func TestLongNamesOfProgramsDiffer(t *testing.T) {
	for name, want := range map[string]string{"x86_64-linux-gnu-as": "x86_64*-gnu-as",
		"x86_64-linux-gnu-ld": "x86_64*-gnu-ld",
		"sort":                "sort", "exactly14chars": "exactly14chars"} {
		if got := shortProgram(name); got != want {
			t.Errorf("%s is printed as %q, want %q", name, got, want)
		}
	}
}

// TestTableOfProgramsIsNotCut prints the table of a run of minutes, whose times take more room than those of seconds:
// neither its heads nor its strips are cut.
func TestTableOfProgramsIsNotCut(t *testing.T) {
	s := sound()
	s.Programs = []run.Program{
		{Name: "cc1", Started: 17, LastS: s.ElapsedS, Share: 0.99, StripStepS: s.ElapsedS, Strip: []float64{1}},
		{Name: "x86_64-linux-gnu-as", Started: 12345, LastS: s.ElapsedS, Share: 0.00005, StripStepS: s.ElapsedS,
			Strip: []float64{0.01}}}
	table := between(t, textOf(t, New(s, nil, options())), " PROGRAMS", "\n\n")
	if strings.Contains(table, "...") || !strings.Contains(table, "during the run\n") {
		t.Error(table)
	}
}
