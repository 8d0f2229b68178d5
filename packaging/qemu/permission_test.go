package qemu

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// permission describes what a user is permitted at one level of perf_event_paranoid.
type permission struct {
	Level          int
	Perfmon        bool
	Allowed, Admin allowed
	Probe          probe
	Agent          *session // nil where it was not run
}

// probe is what `jobgait-agent probe` said.
type probe struct {
	Sources []source
	More    string
}

// reads reports whether an event is counted in a scope.
func (p probe) reads(name, scope string) bool {
	return slices.Contains(p.Sources, source{Name: name, Scope: scope})
}

// allowed is what the kernel let a process count: by its error, "" if it did.
type allowed struct {
	Node       string `json:"node"`
	TaskKernel string `json:"task_kernel"`
	TaskUser   string `json:"task_user"`
}

// judgePermissions compares the kernel and the agent with one matrix.
func judgePermissions(t *testing.T, m machine, all []permission) {
	if len(all) != 12 {
		t.Fatalf("%d of 12 levels and users", len(all))
	}
	for _, p := range all {
		name := fmt.Sprintf("level %d", p.Level)
		if p.Perfmon {
			name += ", CAP_PERFMON"
		}
		t.Run(name, func(t *testing.T) { p.judge(t) })
	}
}

// perfmonLevel is the highest level at which CAP_PERFMON lifts all limits. Levels above are specific to Debian:
// its Linux 6.1 then requires CAP_SYS_ADMIN to open an event. Other kernels may accept CAP_PERFMON.
const perfmonLevel = 2

func (p permission) judge(t *testing.T) {
	privileged := p.Perfmon && (p.Level <= perfmonLevel || p.Allowed.Node == "")
	all, tasks, own := privileged || p.Level <= 0, privileged || p.Level <= 1, privileged || p.Level <= 2
	for _, c := range []struct {
		what, got string
		want      bool
	}{{"a CPU", p.Allowed.Node, all}, {"its own tasks with the kernel", p.Allowed.TaskKernel, tasks},
		{"its own code", p.Allowed.TaskUser, own}} {
		if (c.got == "") != c.want {
			t.Errorf("counting %s: %q, want it allowed %v", c.what, c.got, c.want)
		}
	}
	if p.Agent == nil && p.Perfmon && p.Level != 2 && p.Level != 3 {
		return // as at one of these
	}
	if p.Admin != (allowed{}) {
		t.Errorf("refused to CAP_SYS_ADMIN: %+v", p.Admin)
	}
	if (p.Probe.More == "") != all {
		t.Errorf("probe says %q would give more", p.Probe.More)
	} else if !all {
		p.judgeAdvice(t, "probe", p.Probe.More)
	}
	if node, task := p.Probe.reads("instructions", "node"), p.Probe.reads("instructions", "task"); node != all ||
		task != own {
		t.Errorf("probe reads instructions of the node %v, of a task %v", node, task)
	}
	s := p.Agent
	if s.Reason != "stopped" {
		t.Errorf("ended %q: %s", s.Reason, s.Log)
	}
	if s.has("instructions", "node") != all || s.has("cycles", "node") != all {
		t.Errorf("columns of the node: %v", s.Columns)
	}
	// Context switches of a user's own tasks happen in the kernel: if the kernel may not be counted, the counter is
	// absent, which differs from 0.
	if got := s.has("context_switches", "node") || s.has("context_switches", "job"); got != tasks {
		t.Errorf("context switches are there: %v, want %v: %v", got, tasks, s.Columns)
	}
	if !all && !s.explained("context_switches", tasks) {
		t.Errorf("it is not said why context switches are missing: %+v", s.Sources)
	}
	p.judgeScope(t, all, own)
	text := s.text("no_perf")
	if (text == "") != (all || own) {
		t.Errorf("no_perf: %q", text)
	} else if text != "" {
		p.judgeAdvice(t, "no_perf", text)
	}
}

// judgeScope: whose samples they are, by the best that the level allows.
func (p permission) judgeScope(t *testing.T, all, own bool) {
	want := "proc"
	switch {
	case all:
		want = "job"
	case own:
		want = "task"
	}
	s := p.Agent
	if s.Scope != want {
		t.Errorf("scope %q, want %q", s.Scope, want)
	}
	if want == "task" && !(s.total("instructions", "job") > 0 && s.total("task_clock", "job") > 0) {
		t.Errorf("nothing was counted of the command: %+v", s.Totals)
	}
	if s.total("proc_cpu", "job") <= 0 {
		t.Errorf("no CPU time from /proc: %+v", s.Totals)
	}
}

// judgeAdvice: one line says which sysctl, or which privilege, would give more.
func (p permission) judgeAdvice(t *testing.T, where, text string) {
	lower, privilege := "0 or lower", "CAP_PERFMON"
	if p.Level > 2 {
		lower, privilege = "2 or lower", "CAP_SYS_ADMIN"
	}
	for _, word := range []string{fmt.Sprintf("perf_event_paranoid is %d", p.Level), lower, "root", privilege} {
		if !strings.Contains(text, word) || strings.Contains(text, "\n") {
			t.Errorf("%s: %q does not say %q in one line", where, text, word)
		}
	}
}
