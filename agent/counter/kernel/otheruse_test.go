package kernel

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// stat writes the busy and stolen time of two CPUs, in ticks.
func stat(t *testing.T, root string, busy0, busy1, steal1 int) {
	t.Helper()
	text := fmt.Sprintf("cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 %d 0 0 5 0 0 0 0 0 0\ncpu1 %d 0 0 5 0 0 0 %d 0 0\nintr 1 2\n",
		busy0, busy1, steal1)
	if err := os.WriteFile(filepath.Join(root, "stat"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestMeanwhile(t *testing.T) {
	const second = 1e9
	for name, c := range map[string]struct {
		cpus                string
		busy0, busy1, steal int // ticks in the second
		job, waited         float64
		others, stolen      float64 // seconds
	}{
		"a loop beside two others on one CPU": {"1", 0, 100, 0, 0.34, 0.66, 0.66, 0},
		"others on a CPU that is closed":      {"1", 100, 34, 0, 0.34, 0.66, 0, 0},
		"its own threads wait":                {"0-1", 100, 100, 0, 2, 4, 0, 0},
		"others while the job needs no CPU":   {"0-1", 100, 10, 0, 0.1, 0.01, 0, 0},
		"the host takes":                      {"0-1", 0, 50, 50, 0.5, 0, 0, 0.5},
		"the host takes, of others as well":   {"1", 0, 50, 50, 0.25, 0.5, 0.25, 0.25},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			m := newOtherUse(root)
			defer m.stat.close()
			may := []byte("Name:\tx\nCpus_allowed_list:\t" + c.cpus + "\n")
			stat(t, root, 1000, 1000, 1000)
			m.allowCPUs(may)
			m.update(7*second, 3*second, second)
			stat(t, root, 1000+c.busy0, 1000+c.busy1, 1000+c.steal)
			m.allowCPUs(may)
			m.update(uint64((7+c.job)*second), uint64((3+c.waited)*second), second)
			if d := m.others/second - c.others; d > 0.001 || d < -0.001 {
				t.Errorf("others %.4g s, want %.4g", m.others/second, c.others)
			}
			if d := m.stolen/second - c.stolen; d > 0.001 || d < -0.001 {
				t.Errorf("stolen %.4g s, want %.4g", m.stolen/second, c.stolen)
			}
		})
	}
}

// CPU time of a job that arrives late is subtracted from the CPU time of other jobs.
func TestMeanwhileOfAJobThatIsLate(t *testing.T) {
	root := t.TempDir()
	m := newOtherUse(root)
	defer m.stat.close()
	job := 0.0
	for i, told := range []float64{0, 1.9, 0.1, 1.9, 0.1, 1, 1, 1} { // of one second each
		stat(t, root, 100*i, 0, 0)
		m.allowCPUs([]byte("\nCpus_allowed_list:\t0\n"))
		job += told
		m.update(uint64(job*1e9), uint64(i)*1e9, 1e9)
	}
	if m.others > 1 {
		t.Errorf("others had %.3g s of a CPU that was the job's", m.others/1e9)
	}
}

// A job that ended between two readings may have waited for CPU time that others used.
func TestMeanwhileOfAJobThatEnded(t *testing.T) {
	root := t.TempDir()
	m := newOtherUse(root)
	defer m.stat.close()
	stat(t, root, 0, 0, 0)
	m.allowCPUs([]byte("\nCpus_allowed_list:\t0\n"))
	m.update(0, 0, 1e9)
	stat(t, root, 100, 100, 0)
	m.update(0.3e9, 0, 1e9)
	stat(t, root, 200, 200, 0)
	m.update(0.3e9, 0, 1e9)
	if m.others < 0.69e9 || m.others > 0.71e9 {
		t.Errorf("others had %.3g s of 0.7", m.others/1e9)
	}
}

func FuzzParseCPUTicks(f *testing.F) {
	f.Add([]byte("cpu  1 2 3 4 5 6 7 8 9 0\ncpu0 1 2 3 4 5 6 7 8 9 0\ncpu17 1 2 3 4 5 6 7 8\n"),
		[]byte("\nCpus_allowed_list:\t0-3,17\n"))
	f.Add([]byte("cpu99999 1 2 3 4 5 6 7 8\n"), []byte("\nCpus_allowed_list:\t0-999999\n"))
	f.Fuzz(func(t *testing.T, b, status []byte) {
		ticks, err := parseCPUTicks(bytes.Clone(b), nil)
		if len(ticks) > maxCPU {
			t.Errorf("%d CPUs", len(ticks))
		}
		var m otherUse
		m.allowCPUs(status)
		if len(m.allowed) > maxCPU {
			t.Errorf("may run on %d CPUs", len(m.allowed))
		}
		if busy, steal := cpuIncrease(ticks, ticks, m.allowed); err == nil && (busy != 0 || steal != 0) {
			t.Errorf("%g and %g in no time", busy, steal)
		}
	})
}
