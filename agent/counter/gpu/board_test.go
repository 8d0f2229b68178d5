package gpu

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/countertest"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
)

// amdNode is plantNode with files of an MI300 on its first card, and of a board that
// counts no energy on its second.
func amdNode(t *testing.T) (sys string, first, second string) {
	t.Helper()
	sys = plantNode(t)
	first, second = filepath.Join(sys, "devices/pci0000:00/0000:c3:00.0"),
		filepath.Join(sys, "devices/pci0000:00/0000:03:00.0")
	for _, dir := range []string{first, second} {
		put(t, filepath.Join(dir, "power/runtime_status"), []byte("active\n"))
		put(t, filepath.Join(dir, "mem_info_vram_used"), []byte("1000000\n"))
		put(t, filepath.Join(dir, "gpu_busy_percent"), []byte("100\n"))
	}
	setMI300(t, first, 10)
	put(t, filepath.Join(second, "gpu_metrics"),
		blob(1, 3, 120, [3]uint64{24, 8, 0}, [3]uint64{54, 2, 2400}, [3]uint64{22, 2, 55}))
	return sys, first, second
}

func setMI300(t *testing.T, dir string, joules uint64) {
	t.Helper()
	put(t, filepath.Join(dir, "gpu_metrics"),
		blob(1, 6, 1664, [3]uint64{16, 8, joules << 16}, [3]uint64{264, 2, 1700}, [3]uint64{10, 2, 300},
			[3]uint64{12, 2, 42}))
}

// params are those of a job of which process 7 holds these files.
func params(t *testing.T, sys string, g job.GPUs, files ...string) ReadingParams {
	t.Helper()
	proc := t.TempDir()
	opened(t, proc, 7, files...)
	return ReadingParams{GPUs: g, Sys: sys, Holders: Holders{Proc: proc, Members: func() []int { return []int{7} },
		Sharing: func(int) job.Sharing { return job.WholeGPUs }, Now: rawcall.Now}}
}

// source returns the source with a column, and the column's index.
func source(t *testing.T, o Opened, column string) (counter.Source, int) {
	t.Helper()
	for _, s := range o.Sources {
		for i, c := range s.Columns() {
			if c.Name == column {
				if c.Scope != "job" || c.Unit == "" || c.Hz <= 0 || c.Hz > 10 {
					t.Errorf("%+v", c)
				}
				return s, i
			}
		}
	}
	t.Fatalf("no column %s; absent %+v, notes %v", column, o.Absent, o.Notes)
	return nil, 0
}

// openAll opens until every device has answered: it is waited for 2 s, which a machine
// that others use may take.
func openAll(t *testing.T, p ReadingParams) (o Opened) {
	t.Helper()
	jobtest.Until(t, "every device has answered", func() bool {
		o = Open(p)
		for _, s := range o.Absent {
			if strings.Contains(s.Absent, "no answer") {
				closeAll(t, o)
				return false
			}
		}
		return true
	})
	return o
}

func closeAll(t *testing.T, o Opened) {
	t.Helper()
	for _, s := range o.Sources {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// reach drains a source until a column has a value.
func reach(t *testing.T, o Opened, column string, want uint64) {
	t.Helper()
	s, i := source(t, o, column)
	var to countertest.Sink
	jobtest.Until(t, fmt.Sprintf("%s is %d", column, want), func() bool {
		_ = s.Drain(&to)
		r, ok := to.Last(0)
		return ok && r.Counts[i] == want
	})
}

func TestAMD(t *testing.T) {
	sys, first, second := amdNode(t)
	o := openAll(t, params(t, sys, job.GPUs{Numbers: []int{0, 1}}, "/dev/kfd", "/dev/dri/renderD129"))
	defer closeAll(t, o)
	if len(o.Sources) != 4 || len(o.Absent) != 0 || len(o.Notes) != 1 || o.Notes[0].Code != note.GPUUnproven {
		t.Fatalf("%d sources, absent %+v, notes %v", len(o.Sources), o.Absent, o.Notes)
	}
	reach(t, o, "gpu0_energy", 0)
	setMI300(t, first, 35)
	reach(t, o, "gpu0_energy", 25e6)
	reach(t, o, "gpu0_memory", 1000000)
	reach(t, o, "gpu0_clock", 1700)
	reach(t, o, "gpu1_clock", 2400)
	reach(t, o, "gpu1_power", 55000) // its energy stays 0
	put(t, filepath.Join(second, "mem_info_vram_used"), []byte("900\n"))
	reach(t, o, "gpu1_memory", 900)
	for _, s := range o.Sources {
		for _, c := range s.Columns() {
			if c.Name == "gpu1_energy" || c.Name == "gpu0_power" {
				t.Errorf("column %+v", c)
			}
		}
	}
}

// Between two readings the utilization gives the active part of the time.
func TestKernelTime(t *testing.T) {
	b := board{metrics: metrics{hasBusy: true, busyPct: 40}}
	for _, c := range []struct {
		atNS int64
		pct  uint64
		want uint64
	}{
		{5e9, 40, 0}, {52e8, 40, 8e7}, {54e8, 0, 8e7}, {56e8, 100, 28e7},
		{100e9, 100, 128e7}, // nothing was seen of most of it
		{99e9, 100, 128e7},  // not backwards
	} {
		b.metrics.busyPct = c.pct
		if got, err := b.kernelTime(c.atNS); err != nil || got != c.want {
			t.Errorf("at %d with %d %%: %d, %v, want %d", c.atNS, c.pct, got, err, c.want)
		}
	}
}

// A missing value is a gap with a note and never 0.
func TestAMDThatGoesAway(t *testing.T) {
	sys, first, _ := amdNode(t)
	o := openAll(t, params(t, sys, job.GPUs{Numbers: []int{0, 1}}, "/dev/dri/renderD130"))
	defer closeAll(t, o)
	reach(t, o, "gpu0_memory", 1000000)
	put(t, filepath.Join(first, "power/runtime_status"), []byte("suspended\n"))
	s, i := source(t, o, "gpu0_memory")
	var to countertest.Sink
	jobtest.Until(t, "its sleep is told", func() bool {
		err := s.Drain(&to)
		return err != nil && strings.Contains(err.Error(), errSleeps.Error())
	})
	for _, r := range to.Readings {
		if r.Counts[i] != 1000000 {
			t.Errorf("reading %v", r)
		}
	}
	if n := s.Notes(); len(n) != 1 || n[0].Code != note.ReadFailed {
		t.Errorf("notes %v", n)
	}
	reach(t, o, "gpu1_memory", 1000000) // the other GPU is still read
}

func TestMissingGPUIsReported(t *testing.T) {
	sys, first, _ := amdNode(t)
	put(t, filepath.Join(first, "power/runtime_status"), []byte("suspended\n"))
	for name, c := range map[string]struct {
		sys  string
		told job.GPUs
		says string
	}{
		"instances":  {sys, job.GPUs{UUIDs: []string{"MIG-x"}, Parted: "MIG"}, "parts of them by MIG"},
		"MPS":        {sys, job.GPUs{Numbers: []int{0}, Parted: "MPS"}, "parts of them by MPS"},
		"one of two": {sys, job.GPUs{Numbers: []int{0}}, "numbers, which are not those of AMD's device files"},
		"too many":   {sys, job.GPUs{Numbers: make([]int, maxGPUs+1)}, "more than the 16"},
		"two lists": {sys, job.GPUs{UUIDs: []string{"GPU-4a1b2c3d4e5f6071"}, Numbers: []int{0, 1}},
			"1 names and 2 numbers"},
		"no GPU here":     {t.TempDir(), job.GPUs{Numbers: []int{0}}, "none that can be read"},
		"not on the node": {sys, job.GPUs{UUIDs: []string{"GPU-0"}}, "not on this node"},
	} {
		o := Open(params(t, c.sys, c.told))
		if len(o.Sources) != 0 || len(o.Notes) != 1 || o.Notes[0].Code != note.GPUsWithheld ||
			!strings.Contains(o.Notes[0].Text, c.says) || len(o.Absent) != 1 {
			t.Errorf("%s: %d sources, absent %+v, notes %v", name, len(o.Sources), o.Absent, o.Notes)
		}
	}
	// A suspended GPU is not woken by reading.
	o := openAll(t, params(t, sys, job.GPUs{UUIDs: []string{"GPU-4a1b2c3d4e5f6072"}}))
	if len(o.Sources) != 0 || len(o.Absent) != 2 || !strings.Contains(o.Absent[0].Absent, "suspended") ||
		o.Absent[0].Name != "gpu0_energy" {
		t.Errorf("%d sources, absent %+v", len(o.Sources), o.Absent)
	}
}

// hangingCards makes a node of n AMD GPUs whose firmware does not answer: their table is a pipe without a
// writer. Their readers end with the test.
func hangingCards(t *testing.T, n int) (sys string) {
	t.Helper()
	sys = t.TempDir()
	for i := range n {
		dir := plantCard(t, sys, fmt.Sprintf("renderD%d", 128+i), fmt.Sprintf("0000:%02x:00.0", i+1), amdVendor,
			fmt.Sprintf("4a1b2c3d4e5f60%02x", i))
		put(t, filepath.Join(dir, "mem_info_vram_total"), []byte("68702699520\n"))
		pipe := filepath.Join(dir, "gpu_metrics")
		if err := unix.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if f, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil {
				_ = f.Close()
			}
		})
	}
	return sys
}

// Eight GPUs that hang delay the agent no longer than one does, and each is reported as absent.
func TestHangingAMDsAreOpenedTogether(t *testing.T) {
	open := func(n int) time.Duration {
		g := job.GPUs{}
		for i := range n {
			g.Numbers = append(g.Numbers, i)
		}
		p := params(t, hangingCards(t, n), g)
		began := time.Now()
		o := Open(p)
		took := time.Since(began)
		closeAll(t, o)
		if len(o.Sources) != 0 || len(o.Absent) != 2*n || !strings.Contains(o.Absent[0].Absent, "does not respond") {
			t.Errorf("of %d GPUs: %d sources, absent %+v", n, len(o.Sources), o.Absent)
		}
		return took
	}
	if one, eight := open(1), open(8); eight > 4*one {
		t.Errorf("one GPU that hangs takes %v, eight take %v", one, eight)
	}
}
