package gpu

import (
	"path/filepath"
	"strings"
	"testing"
)

// The output that the first owner of a kind of GPU sends contains everything that no document specifies.
func TestProbe(t *testing.T) {
	program, env := build(t)
	t.Parallel()
	dev := t.TempDir()
	for _, name := range []string{"nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm"} {
		put(t, filepath.Join(dev, name), nil)
	}
	sys, _, _ := amdNode(t)
	var out strings.Builder
	if err := Probe(&out, ReadingParams{Sys: sys, Dev: dev, Helper: program,
		Env: append(env, "FAKE_DENY=197")}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"AMD: according to the documentation, not yet checked on a GPU",
		"energy (field 83)", "GPM true",
		"windows of utilization, every 200.0 ms", "NVIDIA driver 999.01", "kB resident", " calls for energy and power",
		"/dev/nvidia0: GPU-00000000-0000-0000-0000-000000000001", "/dev/nvidia1: GPU-00000000-0000-0000-0000-000000000000",
		"of the wall clock",
		"PCIe sent                    permission denied", "PCIe received                the board does not support it",
		"energy                       read",
		"AMD 0000:c3:00.0, /dev/dri/renderD129, GPU-4a1b2c3d4e5f6072",
		"gpu_metrics 1.6: energy 10000000 uJ (true), clock 1700 MHz", "mem_info_vram_used 1000000"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing says %q", want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

func TestProbeOfNothing(t *testing.T) {
	var out strings.Builder
	if err := Probe(&out, ReadingParams{Sys: t.TempDir(), Dev: t.TempDir()}); err != nil ||
		!strings.Contains(out.String(), "shows no GPU") {
		t.Errorf("%q, %v", out.String(), err)
	}
}
