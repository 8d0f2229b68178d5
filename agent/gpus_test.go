package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/configs"
)

// oneAMD is twoCPUs with an AMD GPU that has memory.
func oneAMD(t *testing.T) host {
	h := twoCPUs(t, kernelThat(t, func(*unix.PerfEventAttr, int) error { return nil }))
	dir := filepath.Join(h.sys, "devices/pci0000:00/0000:03:00.0")
	for name, text := range map[string]string{"vendor": "0x1002", "mem_info_vram_total": "100", "mem_info_vram_used": "7",
		"gpu_busy_percent": "50"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	node := filepath.Join(h.sys, "class/drm/renderD128")
	if err := os.MkdirAll(node, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(node, "device")); err != nil {
		t.Fatal(err)
	}
	return h
}

// A GPU has columns only if the scheduler names it and the settings allow it. The set in which periods are
// searched contains none of them.
func TestGPUsOfARun(t *testing.T) {
	off := configs.Default().Agent
	off.GPU = false
	for name, c := range map[string]struct {
		gpus     *job.GPUs
		settings configs.Agent
		columns  string
		notes    string
	}{
		"named": {&job.GPUs{Numbers: []int{0}}, configs.Default().Agent, "gpu0_kernel gpu0_memory",
			string(note.GPUUnproven)},
		"not named": {nil, configs.Default().Agent, "", ""},
		"off":       {&job.GPUs{Numbers: []int{0}}, off, "", ""},
		"withheld":  {&job.GPUs{Numbers: []int{0}, Parted: "MPS"}, configs.Default().Agent, "", string(note.GPUsWithheld)},
	} {
		r := job.Run{Key: run.Key{JobID: 7}, GPUs: c.gpus}
		host, in := oneAMD(t), (*inputs)(nil)
		jobtest.Until(t, "its files have answered", func() bool { // they are waited for 2 s
			if in != nil {
				_ = in.close()
			}
			var err error
			if in, err = openInputs(host, r, c.settings, prices{interruptNS: 3e3}); err != nil {
				t.Fatal(err)
			}
			return !slices.ContainsFunc(in.absent, func(s run.CounterSource) bool {
				return strings.Contains(s.Absent, "no answer")
			})
		})
		h := in.header(r)
		h.StepNS = 100e6 // the coarsest grid
		var columns, notes []string
		for _, col := range h.Columns {
			if strings.HasPrefix(col.Name, "gpu") {
				columns = append(columns, col.Name)
				if !h.ReadSeldom(col.Name) || col.Scope != "job" {
					t.Errorf("%s: %+v", name, col)
				}
			}
		}
		for _, n := range h.Notes {
			if strings.HasPrefix(string(n.Code), "gpu") {
				notes = append(notes, string(n.Code))
			}
		}
		if strings.Join(columns, " ") != c.columns || strings.Join(notes, " ") != c.notes {
			t.Errorf("%s: columns %q, notes %q", name, columns, notes)
		}
		if err := in.close(); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkWithoutGPUs opens the inputs of a run without GPUs with and without a search for GPUs, in turn, and
// reports the ratios of CPU time and of memory.
func BenchmarkWithoutGPUs(b *testing.B) {
	h := twoCPUs(b, kernelThat(b, func(*unix.PerfEventAttr, int) error { return nil }))
	r := job.Run{Key: run.Key{Cluster: "test", JobID: 7}}
	var cpu, bytes, sources [2]float64
	for b.Loop() {
		for i, look := range []bool{true, false} {
			c := configs.Default().Agent
			c.GPU = look
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := rawcall.CPU()
			in, err := openInputs(h, r, c, prices{interruptNS: 3e3})
			if err != nil {
				b.Fatal(err)
			}
			cpu[i] += float64(rawcall.CPU() - began)
			runtime.ReadMemStats(&after)
			bytes[i] += float64(after.TotalAlloc - before.TotalAlloc)
			sources[i] = float64(len(in.sources))
			if err := in.close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	if sources[0] != sources[1] {
		b.Errorf("%g sources, and %g where GPUs are not looked for", sources[0], sources[1])
	}
	b.ReportMetric(cpu[0]/cpu[1], "CPU-ratio")
	b.ReportMetric(bytes[0]/bytes[1], "memory-ratio")
	b.ReportMetric(0, "ns/op")
}
