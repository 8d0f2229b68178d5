package job

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek/peektest"
)

// hangVar makes the test program a process with a thread that opens a file in the directory named by the
// variable.
const hangVar = "JOBGAIT_TEST_HANG"

func TestMain(m *testing.M) {
	dir := os.Getenv(hangVar)
	if dir == "" {
		os.Exit(m.Run())
	}
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		_ = unix.Exec("/proc/self/exe", os.Args, os.Environ()) // on the first thread then
	}
	go func() { _, _ = os.Stat(filepath.Join(dir, "x")) }()
	select {}
}

// A killed process of which a thread still waits for a file system that hangs is alive until the thread ends,
// although its first thread is a zombie.
func TestKilledProcessWithAStuckThread(t *testing.T) {
	dir := t.TempDir()
	free, asked := peektest.MountHangingAndNotify(t, dir)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{hangVar + "=" + dir}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	defer free()
	<-asked
	p, err := ProcessOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	jobtest.Until(t, "the first thread ends", func() bool {
		st, err := readStat("/proc", p.PID)
		return err == nil && st.state == 'Z'
	})
	if !p.Alive() {
		t.Error("a process with a stuck thread counts as ended")
	}
	free()
	jobtest.Until(t, "the process ends", func() bool { return !p.Alive() })
}

// start runs a shell script and waits for its first line, so that its traps are
// set.
func start(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestStop(t *testing.T) {
	for _, c := range []struct {
		name, script string
		grace        time.Duration
		killed       bool
	}{
		{"ends on SIGTERM", `trap 'exit 0' TERM; echo; while :; do sleep 0.01; done`, 20 * time.Second, false},
		{"ignores SIGTERM", `trap '' TERM; echo; while :; do sleep 0.01; done`, 20 * time.Millisecond, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := start(t, c.script)
			p, err := ProcessOf(cmd.Process.Pid)
			if err != nil || !p.Alive() {
				t.Fatalf("Of = %+v, %v", p, err)
			}
			killed, err := p.Stop(c.grace)
			if err != nil || killed != c.killed {
				t.Errorf("Stop = %v, %v; want %v", killed, err, c.killed)
			}
			if p.Alive() { // a zombie until Wait
				t.Error("alive after Stop")
			}
			cmd.Wait()
			if killed, err := p.Stop(c.grace); killed || err != nil {
				t.Errorf("Stop of a process that is gone = %v, %v", killed, err)
			}
		})
	}
}

func TestStopSparesAnother(t *testing.T) {
	cmd := start(t, `echo; sleep 100`)
	p, err := ProcessOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	reused := Process{PID: p.PID, StartTicks: p.StartTicks + 1}
	if killed, err := reused.Stop(time.Second); killed || err != nil {
		t.Errorf("Stop = %v, %v", killed, err)
	}
	if !p.Alive() {
		t.Error("a process with a reused pid was stopped")
	}
	for _, pid := range []int{0, -1} {
		if _, err := (Process{PID: pid}).Stop(0); err == nil {
			t.Errorf("Stop of pid %d is no error", pid)
		}
	}
}

// Kernels before 5.3 have no pidfd: pid and start ticks do.
func TestStopWithoutPidfd(t *testing.T) {
	cmd := start(t, `trap '' TERM; echo; while :; do sleep 0.01; done`)
	p, err := ProcessOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	h := &handle{p, -1}
	if err := h.signal(unix.SIGTERM); err != nil || h.wait(20*time.Millisecond) {
		t.Errorf("after a SIGTERM that it ignores: %v, or ended", err)
	}
	if err := h.signal(unix.SIGKILL); err != nil || !h.wait(20*time.Second) {
		t.Errorf("after SIGKILL: %v, or still there", err)
	}
	if err := h.signal(unix.SIGTERM); !errors.Is(err, unix.ESRCH) {
		t.Errorf("signal to a zombie: %v", err)
	}
}

func TestProcessFile(t *testing.T) {
	self, err := Self()
	if err != nil || self.PID != os.Getpid() || self.StartTicks == 0 || !self.Alive() {
		t.Fatalf("Self = %+v, %v", self, err)
	}
	path := filepath.Join(t.TempDir(), "agent.pid")
	if err := self.WriteProcess(path); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadProcess(path); err != nil || got != self {
		t.Errorf("ReadProcess = %+v, %v; want %+v", got, err, self)
	}
	for _, text := range []string{"", "{}", `{"pid":-1}`, "17"} {
		os.WriteFile(path, []byte(text), 0o600)
		if p, err := ReadProcess(path); err == nil {
			t.Errorf("%q read as %+v", text, p)
		}
	}
}

func TestParseStat(t *testing.T) {
	st, err := parseStat([]byte("42 (a) b (c) S 7 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 99881 0 0\n"))
	if want := (stat{'S', 7, 1, 99881, [16]byte{'a', ')', ' ', 'b', ' ', '(', 'c'}}); err != nil || st != want {
		t.Errorf("parseStat = %+v, %v; want %+v", st, err, want)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("42 (x) S 7 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 99881 0 0\n"))
	f.Add([]byte(") S"))
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = parseStat(b) })
}
