package qemu

import (
	"slices"
	"testing"
)

// session is what the profile of one run of the agent says.
type session struct {
	Scope   string   `json:"scope"`
	Columns []column `json:"columns"`
	Sources []source `json:"sources"`
	Notes   []struct {
		Code, Text string
	} `json:"notes"`
	Totals []struct {
		Name, Scope string
		Total       float64
	} `json:"totals"`
	Reason string    `json:"reason"`
	IPC    []float64 `json:"ipc"`
	SpanS  float64   `json:"span_s"`
	UsedS  float64   `json:"used_s"`
	Log    string    `json:"log"`
}

type column struct{ Name, Scope string }

type source struct{ Name, Scope, Absent string }

func (s *session) has(name, scope string) bool {
	return slices.Contains(s.Columns, column{name, scope})
}

// total is what a column counted; 0 without one.
func (s *session) total(name, scope string) float64 {
	for _, c := range s.Totals {
		if c.Name == name && c.Scope == scope {
			return c.Total
		}
	}
	return 0
}

// text is that of a note, "" without it.
func (s *session) text(code string) string {
	for _, n := range s.Notes {
		if n.Code == code {
			return n.Text
		}
	}
	return ""
}

// judgeAgent checks a whole profile of a CPU that was always busy.
func judgeAgent(t *testing.T, m machine, s session) {
	if s.Reason != "stopped" || s.Log != "" {
		t.Errorf("ended %q, log %q", s.Reason, s.Log)
	}
	if s.Scope != "job" || !s.has("instructions", "node") || !s.has("cycles", "node") {
		t.Errorf("scope %q, columns %v", s.Scope, s.Columns)
	}
	for _, name := range []string{"ref_cycles", "l1d_refills", "branch_misses"} {
		if !s.explained(name, false) {
			t.Errorf("it is not said that there is no event %s: %+v", name, s.Sources)
		}
	}
	if len(s.IPC) < 100 {
		t.Fatalf("%d slots have an IPC", len(s.IPC))
	}
	slices.Sort(s.IPC)
	near(t, "median IPC", s.IPC[len(s.IPC)/2], m.ipc(), 0.001)
	// The first slots contain the idle time before the command was released.
	near(t, "IPC of the 10th percentile", s.IPC[len(s.IPC)/10], m.ipc(), 0.001)
	// The file keeps both counts to 1/256 of a slot's: 0.4 % of one ratio.
	if top := s.IPC[len(s.IPC)-1]; top > m.ipc()*1.005 {
		t.Errorf("IPC %g of a CPU that has %g at most", top, m.ipc())
	}
	// Counting begins some ms before the first slot at most: the sources are
	// started one after the other, and those that wait for a phase first.
	near(t, "cycles, 1 ns each", s.total("cycles", "node"), s.SpanS*1e9, 0.01/s.SpanS)
}

// explained reports whether an event that is not counted is listed with a reason.
func (s *session) explained(name string, counted bool) bool {
	for _, src := range s.Sources {
		if (src.Name == name || src.Name == "node counters") && src.Absent != "" {
			return true
		}
	}
	return counted
}

// judgeCommand checks the whole agent on an ordinary user's forking program, at Linux's default level.
func judgeCommand(t *testing.T, m machine, s session) {
	if s.Scope != "task" || s.Log != "" {
		t.Errorf("scope %q, log %q", s.Scope, s.Log)
	}
	s.judgeCounts(t, m)
	if s.has("context_switches", "job") || !s.explained("context_switches", false) {
		t.Errorf("context switches, which are not the user's to count: %v, %+v", s.Columns, s.Sources)
	}
	if s.text("user_only") == "" {
		t.Errorf("it is not said that user code alone was counted: %v", s.Notes)
	}
}

// judgeJob looks at the whole agent on a job that shares the node.
func judgeJob(t *testing.T, m machine, s session) {
	if s.Scope != "job" || s.Log != "" {
		t.Errorf("scope %q, log %q", s.Scope, s.Log)
	}
	s.judgeCounts(t, m)
	for _, c := range s.Columns {
		// The CPU time of others explains why the job waited: it is a sum, not a counter of theirs.
		if c.Scope == "node" && c.Name != "others_cpu" {
			t.Errorf("%s of the whole node, on a shared one", c.Name)
		}
	}
	if s.text("node_scope_withheld") == "" {
		t.Errorf("it is not said that the node's counters are withheld: %v", s.Notes)
	}
}

// judgeCounts holds the job's counts against its parent's account, in which is what
// a program takes before it is counted: 1.2 % on an emulated guest that starved.
func (s *session) judgeCounts(t *testing.T, m machine) {
	t.Helper()
	near(t, "CPU time", s.total("task_clock", "job")/1e9, s.UsedS, 0.02)
	near(t, "IPC", s.total("instructions", "job")/s.total("cycles", "job"), m.ipc(), 0.001)
}
