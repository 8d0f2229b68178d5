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
	for _, c := range []struct {
		want string
		list []run.Sleep
	}{
		{"", []run.Sleep{{Cause: run.SleepOther, S: 9}}},
		{"in sleep calls", []run.Sleep{{Cause: run.SleepProcess, S: 20}, {Cause: run.SleepTime, S: 19}}},
		{"for a lock or another thread", []run.Sleep{{Cause: run.SleepSignal, S: 40}, {Cause: run.SleepLock, S: 39}}},
		{"for a lock or another thread", []run.Sleep{{Cause: run.SleepLock, S: 85}, {Cause: run.SleepOther, S: 15}}},
		{"for other processes", []run.Sleep{{Cause: run.SleepProcess, S: 20}}},
		{"for the network, and in sleep calls", []run.Sleep{{Cause: run.SleepNetwork, S: 20},
			{Cause: run.SleepTime, S: 10}, {Cause: run.SleepFiles, S: 1}}},
	} {
		want, list := c.want, c.list
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
	s := flat(note.NotSignificant, "no period: the repetition in code is no stronger than by chance", 0.97)
	s.Course = []summary.Stretch{
		{EndS: 0.7 * s.ElapsedS, BusyCPUs: 0.9, Lead: anatomy.Function{Library: "python3.11"}, LeadShare: 0.6},
		{StartS: 0.7 * s.ElapsedS, EndS: s.ElapsedS + 0.4, BusyCPUs: 1.9, // the last sample is behind the end
			Lead: anatomy.Function{Library: "libblas.so.3", Name: "dgemm_"}, LeadShare: 0.8}}
	r := New(s, nil, options())
	if got := r.Course[1].EndS; got != s.ElapsedS {
		t.Errorf("the last part ends at %g s of %g", got, s.ElapsedS)
	}
	screen := strings.Join(strings.Fields(strings.Join(strings.Split(textOf(t, r), "\n")[:firstScreen], " ")), " ")
	for _, want := range []string{"The run had two parts: the first", "(70.0 %) and the last",
		"0.90 CPUs busy, 60.0 % in python3.11",
		"1.90, 80.0 % in dgemm_"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not in\n%s", want, screen)
		}
	}
}

// Only a run that was compared with itself is said to look alike throughout.
func TestUncomparedRunIsNotAlike(t *testing.T) {
	for parts, want := range map[int]bool{0: false, 1: true} {
		short := flat(note.NotSignificant, "no period: x", 0.97)
		short.ElapsedS, short.Course = 1.5, make([]summary.Stretch, parts)
		if got := New(short, nil, options()).courseSentence(); (got != "") != want {
			t.Errorf("%d parts of a run of 1.5 s: %q", parts, got)
		}
		s := flat(note.NotSignificant, "no period: the repetition in code is no stronger than by chance", 0.97)
		s.Course = make([]summary.Stretch, parts)
		text := textOf(t, New(s, nil, options()))
		if got := strings.Contains(strings.Join(strings.Fields(text), " "), "The run looks alike from start to end."); got !=
			want || strings.Contains(text, "PARTS") {
			t.Errorf("%d parts:\n%s", parts, text)
		}
	}
}

// An overhead above what was allowed is said to be, and what weighs more in a short run.
func TestOverheadAboveItsLimit(t *testing.T) {
	for _, c := range []struct {
		pct, elapsedS float64
		want          string
	}{
		{2.9, 17, "2.9 % of the CPUs of the node, 3 % allowed;"},
		{4, 17, "4.0 % of the CPUs of the node, more than the 3 % allowed; in a short run the start of the " +
			"sampling is a large part of it;"},
		{4, 600, "4.0 % of the CPUs of the node, more than the 3 % allowed;"},
	} {
		q := Quality{OverheadPct: &c.pct, BudgetPct: ptr(3.0)}
		if got := q.overheadText(c.elapsedS); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, want %s", got, c.want)
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
		"no period: the best candidate, a cycle of 31.2 ms seen 1,204 times, is too unsure to be reported": "" +
			" (best candidate: 31.2 ms, 1,204 times)",
		"no period: every column is flat": "",
	} {
		if got := candidate(why); got != want {
			t.Errorf("%s: %q, want %q", why, got, want)
		}
	}
}
