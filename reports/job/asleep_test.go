package job

import (
	"strings"
	"testing"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// What a run waited for is what its processes waited for that do not wait for one another.
func TestAsleepFor(t *testing.T) {
	for want, list := range map[string][]run.Sleep{
		"":                             {{Cause: run.SleepOther, S: 9}},
		"in sleep calls":               {{Cause: run.SleepProcess, S: 20}, {Cause: run.SleepTime, S: 19}},
		"for a lock or another thread": {{Cause: run.SleepSignal, S: 40}, {Cause: run.SleepLock, S: 39}},
		"for other processes":          {{Cause: run.SleepProcess, S: 20}},
		"for the network, and in sleep calls": {{Cause: run.SleepNetwork, S: 20}, {Cause: run.SleepTime, S: 10},
			{Cause: run.SleepFiles, S: 1}},
	} {
		s := sound()
		s.Sleeps = list
		s.Time = &summary.TimeDivision{Part: 1, Computing: 0.5, CPUWait: ptr(0.0), Storage: ptr(0.0), Asleep: 0.5}
		r := New(s, nil, options())
		if got := r.asleepFor(); got != want {
			t.Errorf("%v: %q, want %q", list, got, want)
		}
		words := "50 % asleep (" + want + ")"
		if want == "" {
			words = "50 % asleep (cause not recorded)"
		}
		if got := r.timeDivision(); !strings.HasSuffix(got, words) {
			t.Errorf("%s, want %s", got, words)
		}
	}
}

// The parts of a run without cycles are on the first screen, with the code of each.
func TestPartsAreOnTheFirstScreen(t *testing.T) {
	s := flat(note.NotSignificant, "no period: the repetition in code is no stronger than chance gives", 0.97)
	s.Course = []summary.Stretch{
		{EndS: 0.7 * s.ElapsedS, BusyCPUs: 0.9, Lead: anatomy.Function{Library: "python3.11"}, LeadShare: 0.6},
		{StartS: 0.7 * s.ElapsedS, EndS: s.ElapsedS, BusyCPUs: 1.9,
			Lead: anatomy.Function{Library: "libblas.so.3", Name: "dgemm_"}, LeadShare: 0.8}}
	r := New(s, nil, options())
	screen := strings.Join(strings.Fields(strings.Join(strings.Split(textOf(t, r), "\n")[:firstScreen], " ")), " ")
	for _, want := range []string{"70.0 % of the run, were unlike the rest: see PARTS.",
		"0.90 CPUs busy, 60.0 % in python3.11",
		"1.90, 80.0 % in dgemm_"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not in\n%s", want, screen)
		}
	}
}

// A rejected candidate is named on the first screen.
func TestCandidateIsNamed(t *testing.T) {
	for why, want := range map[string]string{
		"no period: x; the best candidate was a cycle of 312 ms, 12 times, with a confidence of .3": " (best candidate: " +
			"312 ms, 12 times)",
		"no period: the best candidate, a cycle of 1.20 s seen 9 times, is too unsure to be reported (confidence .3)": "" +
			" (best candidate: 1.20 s, 9 times)",
		"no period: every column is flat": "",
	} {
		if got := candidate(why); got != want {
			t.Errorf("%s: %q, want %q", why, got, want)
		}
	}
}
