package qemu

import (
	"strings"
	"testing"
)

// hotplug is what lane 1 counted while its CPU was there, gone, and back.
type hotplug struct {
	Before, Gone, After span
	Epochs              []struct {
		Kind, Text string
		Time       float64 `json:"time_ns"`
	}
	Lanes  int
	Drains []string
}

// judgeHotplug: the counts of a CPU that goes offline are kept and its column continues, a CPU that comes back
// is counted again, and both are reported.
func judgeHotplug(t *testing.T, m machine, v hotplug) {
	if v.Lanes != m.cpus {
		t.Errorf("%d lanes", v.Lanes)
	}
	near(t, "IPC before", v.Before.Instructions/v.Before.Cycles, m.ipc(), 0.001)
	near(t, "IPC after", v.After.Instructions/v.After.Cycles, m.ipc(), 0.001)
	near(t, "cycles after", v.After.Cycles, v.After.NS, 0.001)
	if v.Gone.NS < 50e6 || v.Gone.Instructions != 0 || v.Gone.Cycles != 0 {
		t.Errorf("while it was gone: %+v", v.Gone)
	}
	if len(v.Epochs) != 2 {
		t.Fatalf("epochs %+v", v.Epochs)
	}
	for i, word := range []string{"CPU 1 went offline", "CPU 1 came online"} {
		if e := v.Epochs[i]; e.Kind != "hotplug" || !strings.Contains(e.Text, word) {
			t.Errorf("epoch %d: %+v", i, e)
		}
	}
	if v.Epochs[0].Time >= v.Epochs[1].Time {
		t.Errorf("epochs not in the order of time: %+v", v.Epochs)
	}
	if len(v.Drains) > 0 {
		t.Errorf("errors of drains: %v", v.Drains)
	}
}

// judgeUnplugged checks the whole agent while a CPU goes offline and comes back: the profile continues, with a
// note.
func judgeUnplugged(t *testing.T, m machine, s session) {
	if s.Reason != "stopped" || s.Log != "" {
		t.Errorf("ended %q, log %q", s.Reason, s.Log)
	}
	if text := s.text("cpus_changed"); !strings.Contains(text, "CPU 1") {
		t.Errorf("cpus_changed: %q", text)
	}
	near(t, "time with an IPC", float64(len(s.IPC))*stepNS/1e9, s.SpanS, 0.05)
	// Of two CPUs the whole time, without 0.6 s and until the agent has
	// seen that it is back.
	if cycles := s.total("cycles", "node") / 1e9; cycles < 1.1*s.SpanS || cycles > 2*s.SpanS-0.5 {
		t.Errorf("%g s of cycles in %g s", cycles, s.SpanS)
	}
}
