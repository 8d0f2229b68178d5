package job

import (
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/finding"
	"jobgait/analysis/note"
	"jobgait/analysis/phase"
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
	if end, none := strings.Index(text, "was ended at its time limit"), strings.Index(text, "No repeating"); end < 0 ||
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

// TestContentionIsNoStartUp takes a run whose first cycle was recognized after a quarter of it: that is a start-up,
// unless its tasks waited for CPUs in most of that time, as a loop does that other work holds up.
func TestContentionIsNoStartUp(t *testing.T) {
	for name, c := range map[string]struct {
		waiting float32 // tasks, before the first cycle; 61.3 run
		want    bool
	}{"it computed": {5, true}, "it waited for CPUs": {90, false}} {
		s := sound()
		s.Phases[0] = phase.Phase{Kind: phase.StartUp, EndS: 904, Share: 904 / s.ElapsedS}
		s.Phases[1].StartS, s.Phases[1].Share = 904, 1-904/s.ElapsedS
		wait := timeline(s, run.CPUWait, "ns/s", 0)
		for i := range wait.Mean {
			if float64(i)*s.Timeline.StepS < 904 {
				wait.Mean[i] = c.waiting * 1e9
			}
		}
		s.Timeline.Columns = append(slices.Clone(s.Timeline.Columns), wait)
		got := slices.ContainsFunc(New(s, nil, options()).Findings, func(f finding.Finding) bool {
			return f.Code == "start_up_long"
		})
		if got != c.want {
			t.Errorf("%s: a long start-up is reported: %v", name, got)
		}
	}
}

// TestCutReasonHasWholeClauses prints the reason for no period where the stored note was cut.
func TestCutReasonHasWholeClauses(t *testing.T) {
	long := "no period: the best candidate, a cycle of 508 ms, is too unsure; only the number of busy CPUs shows it; " +
		strings.Repeat("and a clause that is long ", 20)
	s := flat(note.NotSignificant, "x", 0.97)
	s.Notes = []note.Note{note.New(note.NoValley, "%s", long)}
	got := New(s, nil, options()).Rhythm.whyText()
	if strings.Contains(got, "...") || strings.Contains(got, "a clause") && !strings.HasSuffix(got, "long") {
		t.Errorf("%q", got)
	}
}

// TestGrowthOfMemoryIsReportedOnce takes a run in order whose memory grew: the head says it, or the line on memory.
func TestGrowthOfMemoryIsReportedOnce(t *testing.T) {
	for name, grows := range map[string]bool{"constant": false, "growing": true} {
		s := sound()
		memory := timeline(s, "proc_mem", "bytes", 0)
		memory.Scope = "job"
		for i := range memory.Mean {
			if memory.Mean[i] = 2e7; grows {
				memory.Mean[i] += float32(i) * 2e8 / float32(len(memory.Mean))
			}
		}
		s.Timeline.Columns = append(slices.Clone(s.Timeline.Columns), memory)
		for silent, codes := range map[bool][]string{false: nil, true: {"memory_growing"}} {
			o := options()
			o.Silent = codes
			r := New(s, nil, o)
			line, head := strings.Contains(r.memoryLine(), "it grew all the time"), r.inHead("memory_growing")
			if line != (grows && silent) || head != (grows && !silent) {
				t.Errorf("%s: the head says it: %v, the line says it: %v", name, head, line)
			}
		}
	}
}
