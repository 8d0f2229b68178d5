package job

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/summary"
)

func readAt() float64 { return began + 1e6 }

// TestRead makes reports of what was read from reports: what history is asked for is
// the same in both.
func TestRead(t *testing.T) {
	for _, run := range runs() {
		if !slices.Contains([]string{"periodic", "four-nodes", "cancelled", "array-element", "failed-agent", "counters"}, run.name) {
			continue
		}
		first := New(run.s, run.past, options())
		var b bytes.Buffer
		if err := JSON(&b, first); err != nil {
			t.Fatal(err)
		}
		s, err := Read(b.Bytes(), readAt())
		if err != nil {
			t.Errorf("%s: %v", run.name, err)
			continue
		}
		again := New(s, run.past, options())
		var want, got bytes.Buffer
		for r, to := range map[*Report]*bytes.Buffer{&first: &want, &again: &got} {
			part := Report{Job: r.Job, Rhythm: Rhythm{Patterns: slices.Clone(r.Rhythm.Patterns), Phases: r.Rhythm.Phases, Totals: r.Rhythm.Totals},
				Resources: r.Resources, Nodes: Nodes{Total: r.Nodes.Total, Reported: r.Nodes.Reported, ImbalancePct: r.Nodes.ImbalancePct},
				Counters: r.Counters, IPC: r.IPC, Earlier: r.Earlier, Quality: r.Quality}
			for i := range part.Rhythm.Patterns {
				p := &part.Rhythm.Patterns[i]
				p.Low, p.Drift, p.Child, p.Examples, p.Significance, p.WGSS, p.Label, p.Shape.Label = nil, nil, nil, nil, nil, nil, "", ""
			}
			if err := JSON(to, part); err != nil {
				t.Fatal(err)
			}
		}
		if got.String() != want.String() {
			a, b := strings.Split(want.String(), "\n"), strings.Split(got.String(), "\n")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Errorf("%s, line %d:\n%s\nbecame\n%s", run.name, i, a[i], b[i])
				}
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "periodic.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		old, new string
		want     error
	}{
		{"", "", nil},
		{"jobgait.report/1", "jobgait.report/2", summary.ErrNewer},
		{"jobgait.report/1", "jobgait.scaling/1", summary.ErrDamaged},
		{`"job_id":812345`, `"job_id":-1`, summary.ErrDamaged},
		{`"start_epoch_s":1795140843`, `"start_epoch_s":1e18`, summary.ErrDamaged},
		{`"work_dir":"/scratch`, `"work_dir":"../scratch`, summary.ErrDamaged},
		{`"missing":12,`, `"missing":-5,`, summary.ErrDamaged},
		{"{", "", summary.ErrDamaged},
	} {
		if _, err := Read([]byte(strings.Replace(string(text), c.old, c.new, 1)), readAt()); !errors.Is(err, c.want) {
			t.Errorf("%s in the place of %s: %v, want %v", c.new, c.old, err, c.want)
		}
	}
}

// FuzzRead reads anybody's text: what is read can be, and makes a report.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"periodic.json", "four-nodes.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Read(text, readAt())
		if err != nil {
			return
		}
		if err := s.Valid(readAt()); err != nil {
			t.Error(err)
		}
		New(s, nil, options())
	})
}
