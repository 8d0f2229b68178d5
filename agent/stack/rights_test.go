package stack

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek/peektest"
)

// otherAccount returns an account other than the test's, and skips the test if it may not take one.
func otherAccount(t testing.TB) as.Account {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another account")
	}
	return as.Account{UID: 65534, GID: 65534, Groups: []uint32{65534}}
}

// startAs runs a program as an account until the test ends.
func startAs(t testing.TB, a as.Account, path string) int {
	t.Helper()
	for dir := filepath.Dir(path); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: a.UID, Gid: a.GID, Groups: a.Groups}}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

// Root reads the stacks of a user's processes with the user's rights to files, and touches none of another user.
func TestOnlyProcessesOfTheAccount(t *testing.T) {
	a := otherAccount(t)
	path := build(t, "gcc", "pointers.c", "-O1", "-g")
	pid := startAs(t, a, path)
	c := collection(t, pid)
	c.Account = a
	untilSeen(t, c, "inner(pointers.c:4) < outer(pointers.c:7) < main(pointers.c:11)", "[whole]")
	c.PIDs = []int{start(t, path)}
	if got := read(t, c)[0].Listed[0]; got.Trouble != Foreign || len(got.Frames) > 0 || got.HeldNS > 0 {
		t.Errorf("a process of root for uid %d: %+v", a.UID, got)
	}
	c.Account, c.PIDs = as.Self(), []int{pid}
	if got := read(t, c)[0].Listed[0]; got.Trouble != Foreign {
		t.Errorf("a process of uid %d for root's account: %+v", a.UID, got)
	}
}

// The copier of root holds CAP_SYS_PTRACE and nothing else.
func TestCopierHasOneCapability(t *testing.T) {
	otherAccount(t)
	// The program without cgo, as it is installed: with cgo only the tracing thread gives them up.
	agent := filepath.Join(t.TempDir(), "jobgait-agent")
	jobtest.InstallProgram(t, agent, "jobgait/agent", "CGO_ENABLED=0")
	cmd := exec.Command(agent, append([]string{as.CopyStacks}, otherAccount(t).Args()...)...)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		_ = cmd.Wait()
	}()
	want := fmt.Sprintf("CapPrm:\t%016x\nCapEff:\t%016[1]x\n", 1<<unix.CAP_SYS_PTRACE)
	jobtest.Until(t, "all threads of the copier have given up their capabilities", func() bool {
		tids := threadsOf("/proc", cmd.Process.Pid)
		return len(tids) > 0 && !slices.ContainsFunc(tids, func(tid int) bool {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/status", cmd.Process.Pid, tid))
			return !strings.Contains(string(b), want)
		})
	})
}

// A stopped process stays stopped, and its stack is read.
func TestStoppedProcessStaysStopped(t *testing.T) {
	pid := start(t, build(t, "gcc", "pointers.c", "-O1", "-g"))
	c := collection(t, pid)
	untilSeen(t, c, "main(pointers.c:11)")
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	jobtest.Until(t, "the process has stopped", func() bool { return stateOf("/proc", pid) == "T" })
	if th := untilSeen(t, c, "inner(pointers.c:4) < outer(pointers.c:7)"); th.State != "T" {
		t.Errorf("state %s", th.State)
	}
	jobtest.Until(t, "the process is stopped again", func() bool { return stateOf("/proc", pid) == "T" })
	if err := unix.Kill(pid, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	jobtest.Until(t, "the process sleeps again", func() bool { return stateOf("/proc", pid) == "S" })
}

// A process that a debugger holds is left alone.
func TestTracedProcessIsLeftAlone(t *testing.T) {
	pid := start(t, build(t, "gcc", "pointers.c", "-O1", "-g"))
	done := make(chan error)
	go func() {
		// The tracer is this goroutine's thread until it ends.
		runtime.LockOSThread()
		done <- ptrace(unix.PTRACE_SEIZE, pid, 0, 0)
		<-done
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	got := read(t, collection(t, pid))[0].Listed[0]
	done <- nil
	if got.Trouble != Traced || got.HeldNS != 0 {
		t.Errorf("%+v", got)
	}
}

// If the memory lock of a process is held forever, only its own stack is lost: the copying process ends itself,
// and another one continues.
func TestLockedMemoryCostsOneProcess(t *testing.T) {
	locked := peektest.Start(t, uint32(os.Getuid()))
	other := start(t, build(t, "gcc", "pointers.c", "-O1", "-g"))
	untilSeen(t, collection(t, other), "main(pointers.c:11)")
	list := read(t, collection(t, locked.Cmd.Process.Pid, other))
	if len(list) != 2 || len(list[0].Listed[0].Frames) > 0 ||
		len(list[1].Listed) != 1 || len(list[1].Listed[0].Frames) < 3 {
		t.Errorf("%+v", list)
	}
}

// The copier is killed at any moment, JOBGAIT_KILLS times: no thread stays stopped or traced.
func TestKilledCopierLetsGo(t *testing.T) {
	rounds := 20
	if s := os.Getenv("JOBGAIT_KILLS"); s != "" {
		rounds, _ = strconv.Atoi(s)
	}
	path := build(t, "gcc", "deadlock.c", "-O2", "-pthread")
	pids := []int{start(t, path), start(t, path), start(t, path)}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copied, lastHeld := 0, 0
	for i := range rounds {
		for _, pid := range pids {
			jobtest.Until(t, "the process has three threads", func() bool { return len(threadsOf("/proc", pid)) == 3 })
		}
		cmd := exec.Command(self, append([]string{as.CopyStacks}, as.Self().Args()...)...)
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		many := slices.Repeat(pids, 200)
		fmt.Fprintf(in, `{"pids":%s,"uid":%d,"for_ms":60000}`+"\n", jsonList(many[:MaxProcesses]), os.Getuid())
		// Kill it while it traces: at a moment that moves on from round to round.
		jobtest.Until(t, "the copier traces", func() bool { return traced(pids) > 0 || ended(cmd.Process.Pid) })
		for wait := time.Now().Add(time.Duration(i%50) * 37 * time.Microsecond); time.Now().Before(wait); {
			lastHeld = traced(pids)
		}
		if traced(pids) > 0 || lastHeld > 0 {
			copied++
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = in.Close()
		jobtest.Until(t, "all threads go on", func() bool { return traced(pids) == 0 && !stoppedAny(pids) })
	}
	t.Logf("%d rounds, the copier traced a thread when it was killed or just before in %d", rounds, copied)
	if copied == 0 {
		t.Error("no round killed a copier that traced")
	}
}

func jsonList(pids []int) string {
	s := "["
	for i, p := range pids {
		if i > 0 {
			s += ","
		}
		s += strconv.Itoa(p)
	}
	return s + "]"
}

func ended(pid int) bool { s := stateOf("/proc", pid); return s == "" || s == "Z" }

// traced counts threads that have a tracer, stoppedAny finds one that is stopped.
func traced(pids []int) (n int) {
	for _, pid := range pids {
		for _, tid := range threadsOf("/proc", pid) {
			if _, tracer, ok := ownerAndTracer("/proc", tid); ok && tracer != 0 {
				n++
			}
		}
	}
	return n
}

func stoppedAny(pids []int) bool {
	for _, pid := range pids {
		for _, tid := range threadsOf("/proc", pid) {
			if s := stateOf("/proc", tid); s == "t" || s == "T" {
				return true
			}
		}
	}
	return false
}

// A setuid program keeps its user's real id; its memory is not that user's to read.
func TestStatusOfASetuidProgram(t *testing.T) {
	for text, want := range map[string]uint32{
		"Name:\ta\nUid:\t1000\t1000\t1000\t1000\nGid:\t100\t100\t100\t100\n": 1000,
		"Name:\tsudo\nUid:\t1000\t0\t0\t0\nGid:\t100\t100\t100\t100\n":       NoUser,
		"Name:\tb\nUid:\t1000\t1000\t0\t1000\nGid:\t100\t100\t100\t100\n":    NoUser,
	} {
		if s := parseStatus([]byte(text)); !s.ok || s.uid != want {
			t.Errorf("%q: uid %d, want %d", text, s.uid, want)
		}
	}
}

// How long threads are stopped on a machine whose CPUs are busy: of 8 processes that compute, and of 9 threads that
// sleep. By hand: JOBGAIT_STOPS is the number of stops.
func TestStopTime(t *testing.T) {
	stops, _ := strconv.Atoi(os.Getenv("JOBGAIT_STOPS"))
	if stops == 0 {
		t.Skip("by hand: JOBGAIT_STOPS=2000")
	}
	spin := filepath.Join(t.TempDir(), "spin.c")
	if err := os.WriteFile(spin, []byte("int main(void) { for (volatile int i = 0;; i++); }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := strings.TrimSuffix(spin, ".c")
	if out, err := exec.Command("gcc", "-o", program, spin).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sleeping := build(t, "gcc", "deadlock.c", "-O2", "-pthread")
	var pids []int
	for range 8 {
		pids = append(pids, start(t, program))
	}
	for range 3 {
		pids = append(pids, start(t, sleeping))
	}
	held := map[bool][]int64{}
	for c := collection(t, pids...); len(held[true])+len(held[false]) < stops; {
		for _, p := range read(t, c) {
			for _, th := range p.Listed {
				if computes := slices.Index(pids, p.PID) < 8; th.HeldNS > 0 {
					held[computes] = append(held[computes], th.HeldNS)
				}
			}
		}
	}
	for computes, list := range held {
		slices.Sort(list)
		ms := func(share float64) float64 { return float64(list[int(share*float64(len(list)-1))]) / 1e6 }
		t.Logf("computing %v: %d stops, median %.3f ms, 99 %% %.3f ms, longest %.3f ms", computes, len(list), ms(.5), ms(.99),
			ms(1))
	}
}
