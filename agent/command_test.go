package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"jobgait/configs"
)

// say runs the program in this process and returns its exit status, output and error output.
func say(args ...string) (code int, out, complaint string) {
	var stdout, stderr strings.Builder
	code = runAgent(args, os.Getenv, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestWrongCommandLine(t *testing.T) {
	for _, args := range [][]string{nil, {"--run-dir"}, {"--run-dir", "x", "more"}, {"--no-such"}, {"--lock-fd", "x"},
		{"sample"}, {""},
		{"probe", "x"}, {"probe", "--json", "--gpu"}, {"probe", "--store"}, {"probe", "--run-dir", "x"},
		{"probe", "--no-such"}, {"selfcheck"}, {"no\nsuch"}} {
		if code, out, complaint := say(args...); code != 2 || out != "" || strings.Count(complaint, "\n") != 1 ||
			!strings.HasPrefix(complaint, "jobgait-agent: ") {
			t.Errorf("%q: exit %d, says %q %q", args, code, out, complaint)
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"probe", "--help"}, {"probe", "-h"}} {
		if code, out, complaint := say(args...); code != 0 || out != usage || complaint != "" {
			t.Errorf("%q: exit %d, says %q %q", args, code, out, complaint)
		}
	}
	if code, out, _ := say("--version"); code != 0 || out != "jobgait-agent "+configs.Version+"\n" {
		t.Errorf("exit %d, says %q", code, out)
	}
}

// Every candidate is listed once, with its description or the reason why it is missing.
func TestProbe(t *testing.T) {
	code, text, complaint := say("probe", "--json")
	if code != 0 || complaint != "" {
		t.Fatalf("exit %d: %s", code, complaint)
	}
	var p probeResult
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		t.Fatal(err)
	}
	if p.Schema != "jobgait.probe/1" || p.CPUs < 1 || p.Kernel == "" {
		t.Errorf("%+v", p)
	}
	seen := map[string]bool{}
	for _, s := range p.Sources {
		if seen[s.Name+" "+s.Scope] {
			t.Errorf("%s of scope %s twice", s.Name, s.Scope)
		}
		seen[s.Name+" "+s.Scope] = true
		if s.Absent == "" && (s.Event == "" || s.PMU == "" || s.Config == "") || strings.Contains(s.Absent, "\n") {
			t.Errorf("source %+v", s)
		}
	}
	for _, name := range []string{"instructions node", "cycles node", "context_switches node", "code job", "code task",
		"task_clock task", "mem_used node"} {
		if !seen[name] {
			t.Errorf("nothing of %s", name)
		}
	}
	code, table, complaint := say("probe")
	if lines := strings.Count(table, "\n"); code != 0 || complaint != "" || lines < len(p.Sources)+2 ||
		lines > len(p.Sources)+3 {
		t.Errorf("exit %d, %d lines for %d sources: %s", code, lines, len(p.Sources), complaint)
	}
}
