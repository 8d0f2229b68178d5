package jobevent

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The test program is also the workload: with this variable set it waits for a line and then works.
const roleVar = "JOBGAIT_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		play(role)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play executes a workload.
func play(role string) {
	switch role {
	case "forks": // becomes a program of children, grandchildren and threads, most of them ended
		await()
		_ = syscall.Exec("/proc/self/exe", []string{"forks"}, []string{roleVar + "=forking"})
	case "forking":
		burn(60 * time.Millisecond)
		child("threads")
		for range 3 {
			child("grandchildren")
		}
	case "grandchildren":
		burn(40 * time.Millisecond)
		child("leaf")
	case "leaf":
		burn(60 * time.Millisecond)
	case "threads":
		done := make(chan bool)
		for range 3 {
			go func() { burn(80 * time.Millisecond); done <- true }()
		}
		for range 3 {
			<-done
		}
	case "shell": // becomes a shell that starts many short programs
		await()
		_ = syscall.Exec("/bin/sh", []string{"sh", "-c", "i=0; while [ $i -lt 500 ]; do /bin/true; i=$((i+1)); done"},
			os.Environ())
	case "waits": // until it is killed
		await()
		select {}
	case "work":
		await()
		burn(100 * time.Millisecond)
	case "switches": // in threads that begin when it is counted
		await()
		_ = syscall.Exec("/proc/self/exe", []string{"switches"}, []string{roleVar + "=switching"})
	case "switching":
		fmt.Println(switches())
	case "loop":
		await()
		for {
			burn(time.Second)
		}
	}
}

// await prints that it waits, and reads a line, on the thread to which counters are attached.
func await() {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		_ = syscall.Exec("/proc/self/exe", os.Args, os.Environ())
	}
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// switches makes two threads on one CPU pass a byte to each other, and returns the CPU time of the process per
// switch, in ns.
func switches() int64 {
	const rounds = 10_000
	var ping, pong [2]int
	_ = unix.Pipe(ping[:])
	_ = unix.Pipe(pong[:])
	one := unix.CPUSet{}
	one.Set(0)
	side := func(in, out int, first bool) {
		runtime.LockOSThread()
		_ = unix.SchedSetaffinity(0, &one)
		b := []byte{1}
		for i := range rounds {
			if i > 0 || !first {
				_, _ = unix.Read(in, b)
			}
			_, _ = unix.Write(out, b)
		}
	}
	before := processTime()
	done := make(chan bool)
	go func() { side(ping[0], pong[1], false); done <- true }()
	side(pong[0], ping[1], true)
	<-done
	return (processTime() - before).Nanoseconds() / (2 * rounds)
}

func processTime() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts)
	return time.Duration(ts.Nano())
}

// child runs another copy of the test program and waits for it.
func child(role string) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{roleVar + "=" + role}
	if err := cmd.Run(); err != nil {
		panic(err)
	}
}

// burn uses the given CPU time on one thread.
func burn(d time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for end := threadTime() + d; threadTime() < end; {
	}
}

func threadTime() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts)
	return time.Duration(ts.Nano())
}

// workload is a copy of the test program that waits for its line.
type workload struct {
	cmd  *exec.Cmd
	gate *os.File
	out  *bufio.Reader
	pid  int
}

// begin starts one, as another user if cred is given.
func begin(t testing.TB, role string, cred *syscall.Credential) *workload {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	in, gate, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, ready, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir = in, ready, os.Stderr, "/"
	cmd.Env = []string{roleVar + "=" + role}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	err = cmd.Start()
	in.Close()
	ready.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gate.Close(); out.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	w := &workload{cmd, gate, bufio.NewReader(out), cmd.Process.Pid}
	if line, err := w.out.ReadString('\n'); err != nil {
		t.Fatalf("workload said %q: %v", line, err)
	}
	return w
}

func (w *workload) release() { fmt.Fprintln(w.gate) }

// end releases it and returns what it used, as reported to its parent.
func (w *workload) end(t testing.TB) time.Duration {
	t.Helper()
	w.release()
	if err := w.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return w.cmd.ProcessState.UserTime() + w.cmd.ProcessState.SystemTime()
}
