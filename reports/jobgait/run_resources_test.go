package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/analysis/summary"
)

// resources are those of the newest report.
func (b box) resources() summary.Resources {
	b.t.Helper()
	var r struct{ Resources summary.Resources }
	b.newest(&r)
	return r.Resources
}

// near wants a value within a share of what is true.
func near(t *testing.T, what string, got *float64, want, share float64) {
	t.Helper()
	t.Logf("%s: told %s, true %.4g", what, shown(got), want)
	if got == nil || math.Abs(*got/want-1) > share {
		t.Errorf("%s is %v, want %.4g", what, shown(got), want)
	}
}

func shown(v *float64) string {
	if v == nil {
		return "not measured"
	}
	return strconv.FormatFloat(*v, 'g', 4, 64)
}

// python runs a script under `jobgait run`, pinned to CPU 0 if requested. It names the interpreter itself, because the
// python3 of a version manager is a shell script whose processes would belong to the run.
func (b box) python(script string, before ...string) result {
	b.t.Helper()
	interpreter, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		b.t.Skipf("no python3: %v", err)
	}
	command := append(append([]string{"run", "--"}, before...), strings.TrimSpace(string(interpreter)), "-c", script)
	return end(b.t, b.command(command...))
}

// Commands last for a while, so that they are sampled on a loaded machine: memory is known only from samples.
func TestMemoryPeakIsReported(t *testing.T) {
	b := newBox(t)
	b.python("import time\nx = bytearray(900_000_000)\nfor i in range(0, len(x), 4096): x[i] = 1\ntime.sleep(6)")
	near(t, "peak", b.resources().Memory.PeakBytes, 9e8, 0.05)
}

func TestBytesWrittenAreReported(t *testing.T) {
	b := newBox(t)
	var st unix.Statfs_t
	if err := unix.Statfs(b.work, &st); err != nil || st.Type == unix.TMPFS_MAGIC {
		t.Skip("the box lies in memory: nothing reaches storage")
	}
	b.python("import os, time\nf = open('out', 'wb')\nfor i in range(300): f.write(bytes(1_000_000))\nf.flush(); " +
		"os.fsync(f.fileno())\ntime.sleep(6)")
	r := b.resources()
	near(t, "bytes written", r.IO.WrittenBytes, 3e8, 0.05)
	if peak := r.Memory.PeakBytes; peak == nil || *peak > 1e8 {
		t.Errorf("page cache counts as memory: %s", shown(peak))
	}
}

// Bytes written by a command are reported however short it was, even if the agent never read them.
func TestBytesOfShortCommandsAreReported(t *testing.T) {
	b := newBox(t)
	var st unix.Statfs_t
	if err := unix.Statfs(b.work, &st); err != nil || st.Type == unix.TMPFS_MAGIC {
		t.Skip("the box lies in memory: nothing reaches storage")
	}
	b.python("import os\nif os.fork() == 0:\n f = open('out', 'wb')\n f.write(bytes(40_000_000)); f.flush(); " +
		"os.fsync(f.fileno()); os._exit(0)\nos.wait()")
	near(t, "bytes written", b.resources().IO.WrittenBytes, 4e7, 0.05)
}

// A busy loop beside two others on one CPU waits as long as the kernel says.
func TestWaitingIsTheKernelsRunDelay(t *testing.T) {
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skipf("this kernel reports no run_delay: %v", err)
	}
	b := newBox(t)
	for range 2 {
		other := exec.Command("taskset", "-c", "0", "sh", "-c", "while :; do :; done")
		if err := other.Start(); err != nil {
			t.Skipf("no taskset: %v", err)
		}
		defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	}
	r := b.python("import time\nend = time.monotonic() + 12\nwhile time.monotonic() < end: "+
		"pass\nprint(open('/proc/self/schedstat').read().split()[1])", "taskset", "-c", "0")
	delay, err := strconv.ParseFloat(strings.TrimSpace(r.out), 64)
	if err != nil {
		t.Fatalf("%q %q", r.out, r.complaint)
	}
	got := b.resources()
	if got.CPU.Waiting == nil || got.Time.UsedS == nil {
		t.Fatalf("%+v", got)
	}
	waited := *got.CPU.Waiting * *got.Time.UsedS
	near(t, "seconds waited", &waited, delay/1e9, 0.10)
	out, err := exec.Command("sqlite3", filepath.Join(filepath.Dir(b.work), ".local/share/jobgait/history.db"),
		"SELECT JobID, PeakMemBytes > 0, ReadBytes >= 0, WrittenBytes >= 0, WaitingCPUs > 0.1, LimitS IS NULL FROM "+
			"job_resources").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "1|1|1|1|1|1" {
		t.Errorf("%v: %s", err, out)
	}
}
