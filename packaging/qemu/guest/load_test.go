package guest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job/jobtest"
)

// load is what the program does as any other process than the first: what is
// to be counted, or a process that may do less than the first.
func load(args []string) int {
	var err error
	switch role := append(args, "")[0]; role {
	case "held":
		err = held(args[1:])
	case "spin":
		for {
			spin(turns / 10)
		}
	case "doze":
		for {
			spin(turns / 50)
			jobtest.WorkloadPause(40 * time.Millisecond)
		}
	case "worker":
		spin(turns)
	case "child":
		spin(2 * turns)
	case "parent":
		err = exec.Command(self, "child").Run()
		spin(2 * turns)
	case "family":
		err = family()
	case "try":
		err = try()
	default:
		err = fmt.Errorf("%q is no role", role)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "guest: %v\n", err)
		return 1
	}
	return 0
}

// self is this program.
const self = "/init"

// held waits for a byte before it becomes what args say, as a command of `jobgait run` does, so that counters
// can be attached before.
func held(args []string) error {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		return errors.New("not on the first thread: its events would not pass to the exec")
	}
	if n, err := unix.Read(0, make([]byte, 1)); n != 1 {
		return fmt.Errorf("wait to be let go: %w", err)
	}
	return unix.Exec(self, append([]string{self}, args...), nil)
}

// family starts children, one of them with a child of its own, and works
// itself on threads of its own. Each process works for 0.2 s: what the kernel
// does with one after its events were added to its parent's, a quarter of a
// million instructions (twice as much for one that has replaced its program),
// is in no count of perf events.
func family() error {
	for _, role := range []string{"child", "parent"} {
		if err := exec.Command(self, role).Run(); err != nil {
			return err
		}
	}
	done := make(chan bool)
	for range 3 {
		go func() {
			runtime.LockOSThread()
			spin(turns / 5)
			done <- true
		}()
	}
	for range 3 {
		<-done
	}
	return nil
}

// started is a process that waits until it is released.
type started struct {
	*exec.Cmd
	hold io.WriteCloser
	// before is the CPU time that it had used until then.
	before int64
}

// startHeld starts a role as somebody; nil is ourselves.
func startHeld(as *syscall.SysProcAttr, role ...string) (*started, error) {
	cmd := exec.Command(self, append([]string{"held"}, role...)...)
	cmd.SysProcAttr, cmd.Stdout, cmd.Stderr = as, os.Stdout, os.Stderr
	hold, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return &started{Cmd: cmd, hold: hold}, cmd.Start()
}

// release lets the command run.
func (s *started) release() error {
	// clock_getcpuclockid(3): the CPU time of all threads of a process.
	const sched = 2
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^s.Process.Pid<<3|sched), &ts); err != nil {
		return fmt.Errorf("read CPU time of process %d: %w", s.Process.Pid, err)
	}
	s.before = ts.Nano()
	_, err := s.hold.Write([]byte{1})
	return err
}

// usedNS is the CPU time of the process and its children since its release, as the kernel reported it to their
// parents.
func (s *started) usedNS() int64 {
	return int64(s.ProcessState.UserTime()+s.ProcessState.SystemTime()) - s.before
}

// end kills it.
func (s *started) end() {
	_ = s.Process.Kill()
	_ = s.Wait()
}
