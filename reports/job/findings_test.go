package job

import (
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/finding"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/reports/text"
)

// Findings derive from the resources that a run was given and used. How the run ended comes before what its
// samples do not show.
func TestFindingsOfResources(t *testing.T) {
	s := flat(note.Idle, "x", 0.1)
	s.Exit, s.Job.TimeLimitS = &run.Exit{Signal: 15}, ptr(42.0)
	s.Counters = append(s.Counters, run.Counter{Name: "cgroup_psi_io_full", Unit: "ns", Scope: "job", Total: 30e9})
	r := New(s, nil, options())
	var codes []string
	for _, f := range r.Findings {
		codes = append(codes, f.Code)
	}
	if want := []string{"time_limit", "files_slow", "no_period"}; !slices.Equal(codes, want) {
		t.Errorf("findings %v, want %v", codes, want)
	}
	text := textOf(t, r)
	if end, none := strings.Index(text, "was ended at its time limit"), strings.Index(text, "No period found"); end < 0 ||
		none < end {
		t.Errorf("the end at %d, no period at %d of\n%s", end, none, text)
	}
	o := options()
	o.Silent = []string{"time_limit"}
	if f := New(s, nil, o).Findings; slices.ContainsFunc(f, func(f finding.Finding) bool {
		return f.Code == "time_limit"
	}) {
		t.Errorf("reported in spite of silent: %+v", f)
	}
}

// The reason for a missing period is printed once in a report.
func TestReasonIsReportedOnce(t *testing.T) {
	for _, run := range runs() {
		r := New(run.s, run.past, options())
		if len(r.Rhythm.Why) == 0 || !r.Quality.sampled() { // without samples the rhythm says who failed
			continue
		}
		words := strings.Join(strings.Fields(textOf(t, r)), " ")
		n := strings.Count(words, strings.Join(strings.Fields(r.Rhythm.whyText()), " ")+".")
		if long := text.Sentence(r.Rhythm.Why[0].Line()); long != text.Sentence(r.Rhythm.whyText()) {
			n += strings.Count(words, long)
		}
		if n != 1 || strings.Contains(words, "["+string(r.Rhythm.Why[0].Code)+"]") {
			t.Errorf("%s: told %d times:\n%s", run.name, n, words)
		}
	}
}
