package history

import (
	"testing"

	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

func TestApplication(t *testing.T) {
	for _, c := range []struct{ script, name, want string }{
		{"a.py", "python3.11", "a.py"}, {"a.py", "a.py", "a.py"}, {"a.py", "train-7", "a.py train-#"},
		{"step2.py", "step2.py", "step2.py"},
	} {
		s := summary.Summary{Job: run.Job{Script: c.script, Executable: "python3.11", Name: c.name}}
		if got := Application(s); got != c.want {
			t.Errorf("Application(script=%q, name=%q) = %q, want %q", c.script, c.name, got, c.want)
		}
	}
	for _, c := range []struct{ app, exe, name, want string }{
		{"", "lmp", "melt-64", "lmp melt-#"},
		{"", "lmp", "melt-128-try2", "lmp melt-#-try#"},
		{"", "python3.11", "train", "python3.11 train"},
		{"", "", "melt64", "melt#"},
		{"", "lmp", "", "lmp"},
		{"", "lmp", "lmp", "lmp"},
		{"", "cp2k.psmp", "cp2k.psmp", "cp2k.psmp"},
		{"", "", "", Unknown},
		{"", "", "2026", "#"},
		{"nemo 4.2", "lmp", "melt", "nemo 4.2"},
		{" \t", "lmp", "melt", "lmp melt"},
		{"a\nb", "", "", "a?b"},
	} {
		s := summary.Summary{Job: run.Job{App: c.app, Executable: c.exe, Name: c.name}}
		if got := Application(s); got != c.want {
			t.Errorf("Application(app=%q, exe=%q, name=%q) = %q, want %q", c.app, c.exe, c.name, got, c.want)
		}
	}
}

func TestShape(t *testing.T) {
	for want, j := range map[string]run.Job{
		"2n 8t 4c size=L": {NNodes: 2, NTasks: ptr(8), CPUsPerTask: ptr(4), Size: "L"},
		"1n ?t 2c":        {NNodes: 1, CPUsPerTask: ptr(2)},
		"?n ?t ?c":        {NTasks: ptr(0)},
	} {
		if got := Shape(summary.Summary{Job: j}); got != want {
			t.Errorf("Shape(%+v) = %q, want %q", j, got, want)
		}
	}
	if got := Shape(summary.Summary{Nodes: make([]summary.Node, 3)}); got != "3n ?t ?c" {
		t.Errorf("three nodes and no number of them: %q", got)
	}
}

func FuzzDecode(f *testing.F) {
	var pack packer
	for _, s := range fixture() {
		body, err := pack.encode(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
		f.Add(body[:len(body)/2])
	}
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := decode(body)
		if err != nil {
			return
		}
		if _, err := pack.encode(s); err != nil {
			t.Errorf("what was decoded cannot be encoded: %v", err)
		}
	})
}

// A user recognises the names: an interpreter's without its version, and the command of jobgait run instead of
// the child that used most CPU time.
func TestApplicationOfACommand(t *testing.T) {
	for _, c := range []struct{ cluster, script, exe, name, want string }{
		{"local:desk", "", "cc1plus", "make", "make"},
		{"local:desk", "", "python3.11", "python3", "python3.11"},
		{"local:desk", "", "lmp", "lmp", "lmp"},
		{"local:desk", "", "", "idle2", "idle#"},
		{"hpc", "", "python3.11", "python3", "python3.11"},
		{"hpc", "", "lmp", "melt-64", "lmp melt-#"},
		{"hpc", "train.py", "python3.11", "night", "train.py night"},
	} {
		s := summary.Summary{Key: run.Key{Cluster: c.cluster}}
		s.Job = run.Job{Script: c.script, Executable: c.exe, Name: c.name}
		if got := Application(s); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
