package job

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"jobgait/analysis/finding"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
	"jobgait/reports/plot"
	"jobgait/reports/text"
)

func textOf(t *testing.T, r Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wild returns text as users write it, and worse.
func wild(r *rand.Rand) string {
	alphabet := []rune("ab _-[]<>&\"'\x1b\x00\t\n\u202e\u200b\u0301漢字🙂é%{}\\")
	out := make([]rune, r.IntN(1+r.IntN(300)))
	for i := range out {
		out[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(out)
}

// size returns a number of any order of magnitude, sometimes an invalid one.
func size(r *rand.Rand) float64 {
	switch r.IntN(12) {
	case 0:
		return 0
	case 1:
		return math.NaN()
	case 2:
		return math.Inf(1)
	}
	return math.Pow(10, r.Float64()*24-9)
}

func randomSummary(r *rand.Rand) summary.Summary {
	s := summary.Summary{Key: run.Key{Cluster: wild(r), JobID: run.JobID(r.Int64()), Restart: r.IntN(3), Sub: r.IntN(2)},
		Job: run.Job{Name: wild(r), User: wild(r), Partition: wild(r), NodeList: wild(r), Executable: wild(r),
			NNodes: r.IntN(1 << 20), NCPUs: ptr(r.IntN(1 << 30))},
		Start: size(r), End: size(r), ElapsedS: size(r), Exit: &run.Exit{Code: r.IntN(256), Signal: r.IntN(2) * r.IntN(70)},
		State: wild(r), ImbalancePct: ptr(size(r)), LeadNode: wild(r)}
	for range r.IntN(40) {
		s.Nodes = append(s.Nodes, summary.Node{Name: wild(r), Reported: r.IntN(3) > 0, BusyCPUs: ptr(size(r)),
			PeriodS:  ptr(size(r)),
			Coverage: ptr(r.Float64()), Samples: r.Int64(), Missing: r.Int64()})
	}
	for i := range r.IntN(5) {
		p := pattern.Pattern{ID: wild(r), Column: wild(r),
			Timing: periodicity.Timing{PeriodS: size(r), PeriodLoS: size(r), PeriodHiS: size(r), PeriodCV: size(r),
				Confidence: r.Float64(), Coverage: r.Float64()}, Instances: r.IntN(1 << 30), ValuesColumn: wild(r),
			ValuesUnit: wild(r)}
		for range r.IntN(600) {
			p.Values = append(p.Values, float32(size(r)))
		}
		s.Patterns = append(s.Patterns, p)
		s.Phases = append(s.Phases, phase.Phase{Kind: phase.Loop, Pattern: p.ID, StartS: float64(i) * 10, EndS: size(r),
			Share: size(r)})
	}
	s.Timeline.StepS = size(r)
	for range r.IntN(4) {
		v := make(series.Values, r.IntN(300))
		for i := range v {
			v[i] = float32(size(r))
		}
		s.Timeline.Columns = append(s.Timeline.Columns,
			summary.TimelineColumn{Name: wild(r), Unit: wild(r), Min: v, Mean: v, Max: v})
	}
	s.Counters = []run.Counter{{Name: wild(r), Unit: wild(r), Scope: wild(r), Total: size(r)}}
	s.Notes = []note.Note{{Code: note.Code(wild(r)), Text: wild(r), Node: wild(r)}}
	s.Quality = run.Quality{Scope: wild(r), RateHz: size(r), AddressHz: size(r), Samples: r.Int64(),
		LostRecords: r.Int64(),
		AgentCPUS:   size(r), OverheadPct: size(r),
		Sources: []run.CounterSource{{Name: wild(r), Absent: wild(r)}, {Name: wild(r)}}}
	return s
}

func randomPast(r *rand.Rand) []history.Run {
	var out []history.Run
	for range r.IntN(90) {
		out = append(out, history.Run{DisplayID: wild(r), Start: size(r), ElapsedS: size(r), PeriodS: ptr(size(r)),
			Coverage: ptr(size(r)), State: wild(r)})
	}
	return out
}

// For any summary, the text is a page of 80 columns in UTF-8, without control characters except line feeds, and
// the other two forms can be written.
func TestTextKeepsItsForm(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		o := Options{Version: wild(r), Now: size(r), Formats: []string{"html", "json"}, ASCII: seed%3 == 0}
		report := New(randomSummary(r), randomPast(r), o)
		words := textOf(t, report)
		if !utf8.ValidString(words) {
			t.Fatalf("seed %d: not UTF-8", seed)
		}
		for i, line := range strings.Split(words, "\n") {
			if w := text.Width(line); w > text.PageWidth {
				t.Errorf("seed %d: line %d has %d columns: %q", seed, i+1, w, line)
			}
			for _, c := range line {
				if c < 0x20 || c >= 0x7f && c < 0xa0 || c >= 0x200b && c <= 0x200f || c >= 0x202a && c <= 0x202e ||
					o.ASCII && c > 0x7f {
					t.Errorf("seed %d: line %d has %U: %q", seed, i+1, c, line)
				}
			}
			for _, bad := range []string{"NaN", "Inf", "%!"} {
				if strings.Contains(line, bad) {
					t.Errorf("seed %d: line %d has %s: %q", seed, i+1, bad, line)
				}
			}
		}
		encode(t, report)
		if err := HTML(&bytes.Buffer{}, report); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// The end of a run is said in words that hold whatever the scheduler knew.
func TestEndedClaimsNoSuccess(t *testing.T) {
	for _, c := range []struct {
		cluster string
		exit    *run.Exit
		state   string
		want    string
	}{
		{"c", &run.Exit{}, "", "exit code 0"},
		{"c", &run.Exit{Code: 3}, "", "exit code 3"},
		{"c", &run.Exit{Code: 137}, "", "exit code 137 (128 + 9: perhaps signal 9, killed)"},
		{"c", &run.Exit{Code: 141}, "", "exit code 141 (128 + 13: perhaps signal 13, broken pipe)"},
		{"c", &run.Exit{Code: 190}, "", "exit code 190 (128 + 62: perhaps signal 62)"},
		{"c", &run.Exit{Code: 200}, "", "exit code 200"},
		{"c", &run.Exit{Code: 124}, "", "exit code 124 (perhaps timeout ended it at its limit)"},
		{"c", &run.Exit{Code: 126}, "FAILED", "FAILED, exit code 126 (perhaps a command that cannot be executed)"},
		{"c", &run.Exit{Code: 127}, "FAILED", "FAILED, exit code 127 (perhaps a command that was not found)"},
		{"c", &run.Exit{Signal: 15}, "", "ended by signal 15 (cancelled or time limit)"},
		{"local:desk", &run.Exit{Signal: 15}, "", "ended by signal 15 (terminated)"},
		{"c", &run.Exit{Signal: 11}, "", "ended by signal 11 (segmentation fault)"},
		{"c", &run.Exit{Signal: 63}, "", "ended by signal 63 (no common meaning)"},
		{"c", nil, "", "how it ended is not known"},
		{"c", nil, "TIMEOUT", "TIMEOUT"},
		{"c", &run.Exit{}, "COMPLETED", "COMPLETED, exit code 0"},
		{"c", &run.Exit{Signal: 1}, "", "ended by signal 1 (hangup, or a node of the job failed)"},
		{"local:desk", &run.Exit{Signal: 1}, "", "ended by signal 1 (hangup)"},
		{"c", &run.Exit{Signal: 1}, "NODE_FAIL", "NODE_FAIL, a node of the job failed"},
		{"c", &run.Exit{Signal: 125}, "", "ended by signal 125 (out of memory)"},
		{"c", &run.Exit{Signal: 125}, "OUT_OF_MEMORY", "OUT_OF_MEMORY"},
		{"c", &run.Exit{Signal: 15}, "TIMEOUT", "TIMEOUT, ended by signal 15"},
	} {
		s := summary.Summary{Key: run.Key{Cluster: c.cluster}, Exit: c.exit, State: c.state}
		if got := ended(s); got != c.want {
			t.Errorf("exit %+v, state %q: got %q, want %q", c.exit, c.state, got, c.want)
		}
	}
	silent := summary.Summary{Notes: []note.Note{note.New(note.NoScheduler, "the scheduler did not answer")}}
	if got := ended(silent); got != "how it ended is not known: the scheduler did not answer" {
		t.Errorf("without an answer: %q", got)
	}
	again := summary.Summary{Notes: []note.Note{note.New(note.NoScheduler, "no answer"),
		note.New(note.Requeued, "the scheduler queued the job again")}}
	if got := ended(again); got != "requeued: the scheduler queued the job again" {
		t.Errorf("requeued: %q", got)
	}
	silent.State = "TIMEOUT"
	if got := ended(silent); got != "TIMEOUT" {
		t.Errorf("with a later answer: %q", got)
	}
}

func TestEmptySectionsAreOmitted(t *testing.T) {
	for _, run := range runs() {
		text := textOf(t, New(run.s, run.past, options()))
		for _, word := range []string{"SCALING", "CHANGE", "slower", "faster"} {
			if strings.Contains(text, word) {
				t.Errorf("%s says %q, which is not judged", run.name, word)
			}
		}
		hasIPC := strings.Contains(text, "IPC")
		if run.name != "counters" && hasIPC {
			t.Errorf("%s speaks of IPC without counters", run.name)
		}
	}
}

// The head describes the rhythm, and what speaks against the samples.
func TestInShort(t *testing.T) {
	for _, c := range []struct {
		name, want string
		s          summary.Summary
	}{
		{"periodic", "One cycle takes 1.87 s (varies by 0.60 %): 12 times, 91.0 % of the run.", fast()},
		{"two", "One cycle takes 6.20 s (varies by 0.60 %): 352 times, 60.5 % of the run (A), or 7.10 s (B: 141 times, " +
			"27.8 %).",
			nemo()},
		{"doubtful", "One cycle perhaps takes 1.87 s (varies by 0.60 %): 12 times, 91.0 % of the run.", doubtful()},
	} {
		short := New(c.s, nil, options()).headStatements()
		if last := short[len(short)-1]; last.Text != c.want || last.Level != finding.Info {
			t.Errorf("%s: %+v, want %q", c.name, last, c.want)
		}
	}
	if r := New(cancelled(), nil, options()); !r.failed() ||
		!strings.HasSuffix(r.ended(), "ended by signal 15 (cancelled or time limit); it stopped in loop B, 38.0 % into "+
			"about cycle 142") {
		t.Errorf("cancelled: %q", r.ended())
	}
	if got := New(fourNodes(), nil, options()).doubts(); !slices.Contains(got,
		"1 of 4 nodes is not in this report: dahu-3.") {
		t.Errorf("missing: %q", got)
	}
	for want, s := range map[string]summary.Summary{
		"the job used almost no CPU time where it could be seen": flat(note.Idle, "x", 0),
		"no agent of jobgait ran on its nodes":                   unwatched()} {
		if got := New(s, nil, options()).Rhythm.whyText(); got != want {
			t.Errorf("no period: %q, want %q", got, want)
		}
	}
}

// doubtful is a run whose period has little behind it.
func doubtful() summary.Summary {
	s := fast()
	s.Patterns[0].Confidence = 0.43
	return s
}

func TestTooFewRuns(t *testing.T) {
	for n, want := range map[int]string{5: "Too few runs to tell what is usual (need 6, have 5).",
		6: "Median elapsed 52:0"} {
		text := textOf(t, New(nemo(), past(n), options()))
		if !strings.Contains(text, want) {
			t.Errorf("%d runs: no %q in\n%s", n, want, text)
		}
	}
}

// The line of one cycle names the column whose values it draws.
func TestCycleLineNamesItsCurve(t *testing.T) {
	page := nemo()
	busy := nemo()
	for i := range busy.Patterns {
		busy.Patterns[i].ValuesColumn, busy.Patterns[i].ValuesUnit = busyColumn, "CPUs"
	}
	for want, s := range map[string]summary.Summary{"A, 6.20 s, a code page\n": page, "A, 6.20 s, busy CPUs\n": busy} {
		_, line, _ := strings.Cut(textOf(t, New(s, nil, options())), "\n  CYCLE ")
		line, _, _ = strings.Cut(line, "\n")
		if !strings.HasSuffix(line+"\n", want) {
			t.Errorf("%q does not end in %q", line, want)
		}
	}
}

// A report that is written again does not count its own run as an earlier one.
func TestEarlierRunsLeaveThisOut(t *testing.T) {
	s := nemo()
	runs := append([]history.Run{{Cluster: s.Key.Cluster, JobID: s.Key.JobID, Start: s.Start, ElapsedS: s.ElapsedS}},
		past(2)...)
	if got := New(s, runs, options()).Earlier.N; got != 2 {
		t.Errorf("%d earlier runs, want 2", got)
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{newEstimate(6.2, 6.192, 6.209, 352, "m").interval(), "6.192 .. 6.209 s"},
		{newEstimate(6.2, 0, 0, 352, "m").interval(), "-"},
		{newEstimate(6.2, 6.2, 6.2, 1, "m").interval(), "-"}, {text.Cut("漢字漢字", 7), "漢字..."},
		{text.Cut("abc", 2), ".."},
		{fmt.Sprint(text.Wrap("took 28 % of it", 9)), "[took 28 % of it]"},
		{fmt.Sprint(len(text.Wrap("took 28 % of it", 7))), "2"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// Bins of 3.75 s interfere with iterations of 6.2 s; the line must not show the beat.
func TestLevelsShowNoBeats(t *testing.T) {
	r := New(nemo(), nil, options()).Rhythm
	for _, c := range r.Timeline.Columns {
		lo, hi, _ := plot.Extent(r.bins().Levels(c.Mean, 400, 1800, 400))
		if hi-lo > 0.04*hi {
			t.Errorf("%s: levels from %g to %g in one loop", c.Label, lo, hi)
		}
		raw := floats(c.Mean[110:480])
		if lo, hi, _ := plot.Extent(raw); hi-lo < 0.3*hi {
			t.Errorf("%s: bins from %g to %g: the fixture has no beats to remove", c.Label, lo, hi)
		}
	}
}

func TestFileNames(t *testing.T) {
	array := arrayElement()
	array.Key.Restart = 2
	sub := nemo()
	sub.Key.Sub = 3
	for _, c := range []struct {
		s         summary.Summary
		dir, base string
	}{{nemo(), "", "jobgait-812345"}, {cancelled(), "", "jobgait-812347.r1"},
		{array, "jobgait-900100", "jobgait-900100_7.r2"}, {sub, "", "jobgait-812345.run3"}} {
		if dir, base := FileNames(c.s); dir != c.dir || base != c.base {
			t.Errorf("got %q, %q, want %q, %q", dir, base, c.dir, c.base)
		}
	}
}

func TestMark(t *testing.T) {
	r := New(hostile(), nil, options())
	var page bytes.Buffer
	if err := HTML(&page, r); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"text": []byte(textOf(t, r)), "json": encode(t, r), "html": page.Bytes()} {
		if !Mark(b[:min(len(b), 1024)]) {
			t.Errorf("%s carries no mark: %q", name, b[:80])
		}
	}
	for _, other := range []string{"", "jobgait", "{}", `{"schema":"other/1","x":"jobgait.report/1"}`,
		"<!doctype html><!-- jobgait report 1 -->", "#!/bin/sh\n# === jobgait report 1"} {
		if Mark([]byte(other)) {
			t.Errorf("%q is taken for ours", other)
		}
	}
}

// What is cleaned is a copy: the summary also goes into the history.
func TestCleaningLeavesTheSummary(t *testing.T) {
	s := hostile()
	New(s, nil, options())
	for i, text := range []string{s.Job.Name, s.Nodes[1].Name, s.Agreement.Column, s.Agreement.List[0].Node,
		s.Loops[0].Activity.Column,
		s.Loops[0].Drift.Like[0], s.Macros[0].Of[0], s.Timeline.Columns[0].Name, s.Notes[len(s.Notes)-1].Text} {
		if text != hostileName {
			t.Errorf("text %d has become %q", i, text)
		}
	}
}
