package qemu

import (
	"slices"
	"strings"
	"testing"
)

// work is what a process did by the counters and by its parent's account.
type work struct {
	Counts map[string]float64 `json:"counts"`
	UsedNS float64            `json:"used_ns"`
}

// judgeScope: exactly the job's processes are counted, from when the kernel can, and also in a cgroup that was
// recreated.
func judgeScope(t *testing.T, m machine, v struct {
	Refused       string
	Codes         []string
	First, Second work
	Epochs        []struct{ Kind, Text string }
	Notes         []struct{ Code string }
	Member        bool
	Stranger      bool
}) {
	// Linux 6.1 knows no cgroup before a controller is enabled above it.
	if v.Refused != "" && !slices.Contains(v.Codes, "no_job_cgroup") {
		t.Errorf("refused with %q, notes %v", v.Refused, v.Codes)
	}
	for i, w := range []work{v.First, v.Second} {
		// The neighbour takes as much as the job: had it been counted too,
		// this would be twice as much.
		near(t, "CPU time", w.Counts["task_clock"], w.UsedNS, 0.01)
		near(t, "IPC", w.Counts["instructions"]/w.Counts["cycles"], m.ipc(), 0.001)
		if w.Counts["context_switches"] < 1 || w.Counts["page_faults"] < 1 {
			t.Errorf("process %d: %v", i, w.Counts)
		}
	}
	if !v.Member || v.Stranger {
		t.Errorf("member %v, stranger %v", v.Member, v.Stranger)
	}
	if len(v.Epochs) != 2 {
		t.Fatalf("epochs %v", v.Epochs)
	}
	for i, word := range []string{"appeared", "made again"} {
		if e := v.Epochs[i]; e.Kind != "scope" || !strings.Contains(e.Text, word) {
			t.Errorf("epoch %d: %+v", i, e)
		}
	}
}
