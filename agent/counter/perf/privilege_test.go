package perf

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/job/jobtest"
	"jobgait/analysis/note"
)

// inChild runs the calling test once more in a process with other privileges or mounts, and reports whether
// this is that process.
func inChild(t *testing.T, attr *syscall.SysProcAttr) bool {
	t.Helper()
	const mark = "PERF_TEST_CHILD"
	if os.Getenv(mark) != "" {
		return true
	}
	if os.Getuid() != 0 {
		t.Skip("only root can take privileges away")
	}
	cmd := exec.Command(readable(t), "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mark+"=1", "TMPDIR="+filepath.Dir(cmd.Path))
	cmd.Dir, cmd.SysProcAttr = "/", attr
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("in the other process: %v", err)
	}
	return false
}

// readable copies the test's program to a place where every account may run it.
func readable(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "perf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	os.Chmod(dir, 0o777)
	program := filepath.Join(dir, "perf.test")
	if err := jobtest.CopyTestProgram(program); err != nil {
		t.Fatal(err)
	}
	return program
}

const accountUID = 65534

// CAP_PERFMON alone counts whole CPUs. It may not lock memory without limit: 30
// groups on one CPU are more than perf_event_mlock_kb allows for two, and get
// less each.
func TestOnlyCAPPERFMON(t *testing.T) {
	if !inChild(t, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: accountUID, Gid: accountUID},
		AmbientCaps: []uintptr{unix.CAP_PERFMON}}) {
		return
	}
	if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{}); err != nil {
		t.Fatal(err)
	}
	lanes := make([]int, 15*onlineCPUs(t))
	c, err := NewCounters(Open, host(), lanes, 5e6)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sink := start(t, c)
	keepBusy(t, func() bool {
		drain(t, c, sink)
		return sink.DrainedRecords > int64(len(lanes))
	})
	if c.EveryNS() == 0 || c.Notes()[len(c.Notes())-1].Code != note.SmallRings {
		t.Errorf("every %d ns, notes %v", c.EveryNS(), c.Notes())
	}
}

// Without any privilege the result depends on the sysctl, and the message says what is needed.
func TestUnprivilegedAccount(t *testing.T) {
	if !inChild(t, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: accountUID, Gid: accountUID}}) {
		return
	}
	c, err := NewCounters(Open, host(), nil, 5e6)
	if err == nil {
		t.Logf("permitted: %s", names(c))
		c.Close()
		return
	}
	if !IsForbidden(err) {
		t.Error(err)
	}
	for _, s := range Probe(Open, host(), nil) {
		if s.Absent == "" {
			t.Errorf("%s is there", s.Name)
		}
	}
	t.Log(Probe(Open, host(), nil)[0].Absent)
}

// Real tracepoints, with tracefs in a mount namespace that ends with the test's
// process: the machine's mounts are not touched.
func TestRealTracepoints(t *testing.T) {
	if !inChild(t, &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}) {
		return
	}
	sys := t.TempDir()
	tracing := filepath.Join(sys, "kernel/tracing")
	if err := os.MkdirAll(tracing, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tracefs", tracing, "tracefs", 0, ""); err != nil {
		t.Skipf("tracefs is not available: %v", err)
	}
	defer unix.Unmount(tracing, 0)
	// The counters are those of one CPU, and the calls are made there: on a machine of many CPUs this test would run
	// elsewhere.
	runtime.LockOSThread()
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		t.Fatal(err)
	}
	cpu := 0
	for !allowed.IsSet(cpu) {
		cpu++
	}
	allowed.Zero()
	allowed.Set(cpu)
	if err := unix.SchedSetaffinity(0, &allowed); err != nil {
		t.Fatal(err)
	}
	c, err := NewCounters(Open, kernel.Roots{Proc: "/proc", Sys: sys}, []int{cpu}, 5e6)
	if err != nil {
		t.Skip(err)
	}
	defer c.Close()
	paranoid, _ := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	t.Logf("CPU %d of %d, perf_event_paranoid %s, %v", cpu, onlineCPUs(t), bytes.TrimSpace(paranoid), names(c))
	calls := column(t, c, "syscalls")
	sink := start(t, c)
	var made, counted uint64
	defer func() { t.Logf("%d calls made, %d counted", made, counted) }()
	keepBusy(t, func() bool {
		for range 1000 {
			unix.Getppid()
		}
		made += 1000
		drain(t, c, sink)
		counted = 0
		for lane := range c.Lanes() {
			counted += last(t, sink, lane, calls)
		}
		return counted >= made && made >= 20_000 // others call as well
	})
	for _, e := range c.events[len(c.events)-4:] {
		if !e.tracepoint() {
			t.Errorf("%s stands among the tracepoints", e.Name)
		}
	}
}
