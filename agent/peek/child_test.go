package peek

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job/jobtest"
)

// The test program is the child too: below a tree of the test's, which follows the
// verb. If the tree has a pipe with the name gateName, the next reply waits until the pipe is opened for writing.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], as.Peek+"/") {
		if as.BecomeForFiles(os.Args[2:]) != nil ||
			serveBehindGate(strings.TrimPrefix(os.Args[1], as.Peek)) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const gateName = "gate"

func serveBehindGate(proc string) error {
	return serve(proc, os.Stdin, gatedWriter{filepath.Join(proc, gateName)})
}

// gatedWriter writes to standard output. If gate exists, it waits until that is opened for writing, and removes it.
type gatedWriter struct{ gate string }

func (g gatedWriter) Write(b []byte) (int, error) {
	if f, err := os.Open(g.gate); err == nil {
		_ = f.Close()
		_ = os.Remove(g.gate)
	}
	return os.Stdout.Write(b)
}

// asker is a child that reads below proc.
func asker(t *testing.T, proc string, uid int) *Child {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	c := NewChild(self, account(uid))
	c.verb += proc
	t.Cleanup(func() { must(t, c.Close()) })
	return c
}

// account returns the account of a uid, the test's own for -1.
func account(uid int) as.Account {
	if uid < 0 {
		return as.Self()
	}
	return as.Account{UID: uint32(uid), GID: uint32(uid)}
}

// patiently repeats a request while a loaded machine makes the child answer late.
func patiently(t *testing.T, c *Child, q ProcRequest) ([]byte, error) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); ; {
		text, err := c.Ask(q)
		if !errors.Is(err, ErrTimeout) && !errors.Is(err, ErrBusy) || time.Now().After(end) {
			return text, err
		}
	}
}

func TestChildAnswersAsWeWould(t *testing.T) {
	c := asker(t, "/proc", -1)
	for _, file := range []ProcFile{Cmdline, Environ, Program, ProgramBuild} {
		q := ProcRequest{File: file, PID: os.Getpid(), Max: 1 << 20}
		want, werr := Direct{"/proc"}.Ask(q)
		got, err := patiently(t, c, q)
		if !bytes.Equal(got, want) || (err == nil) != (werr == nil) {
			t.Errorf("file %d: %d bytes, %v; want %d, %v", file, len(got), err, len(want), werr)
		}
	}
	if _, err := patiently(t, c, ProcRequest{File: Cmdline, PID: math.MaxInt32}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such process: %v", err)
	}
	if maps, err := patiently(t, c, ProcRequest{File: Maps, PID: os.Getpid(), Max: maxAnswer}); err != nil ||
		!bytes.Contains(maps, []byte("[stack]")) {
		t.Errorf("maps: %d bytes, %v", len(maps), err)
	}
	if c.CPU() <= 0 || c.WasAbandoned() {
		t.Errorf("CPU %d ns, lost %v", c.CPU(), c.WasAbandoned())
	}
}

// hanging makes a /proc tree in which a reader of process 10 hangs and a reader of process 11 does not. Writing
// to the returned pipe ends the hang.
func hanging(t *testing.T) (proc, pipe string) {
	t.Helper()
	proc = t.TempDir()
	for _, pid := range []string{"10", "11"} {
		must(t, os.Mkdir(filepath.Join(proc, pid), 0o755))
	}
	pipe = filepath.Join(proc, "10", "cmdline")
	must(t, unix.Mkfifo(pipe, 0o600))
	must(t, os.WriteFile(filepath.Join(proc, "11", "cmdline"), []byte("sleep\x001000\x00"), 0o600))
	return proc, pipe
}

// A process that hangs its reader costs one wait. While it hangs no other request is sent; after the time limit
// the child is abandoned for good.
func TestProcessThatHangsItsReader(t *testing.T) {
	proc, _ := hanging(t)
	c := asker(t, proc, -1)
	ahead := int64(0)
	real := c.now
	c.now = func() int64 { return real() + ahead }
	other := ProcRequest{File: Cmdline, PID: 11, Max: 100}
	if text, err := patiently(t, c, other); string(text) != "sleep\x001000\x00" {
		t.Fatalf("%q, %v", text, err)
	}
	ahead = 1e9 // a slow start may have used up the allowance for waiting
	hung := ProcRequest{File: Cmdline, PID: 10, Max: 100}
	if _, err := c.Ask(hung); !errors.Is(err, ErrTimeout) {
		t.Fatalf("the process that hangs: %v", err)
	}
	began, asked := real(), c.seq
	for range 1000 {
		if _, err := c.Ask(other); !errors.Is(err, ErrBusy) {
			t.Fatalf("another, meanwhile: %v", err)
		}
	}
	if _, err := c.Ask(hung); !errors.Is(err, ErrTimeout) {
		t.Fatalf("the process that hangs, again: %v", err)
	}
	if c.seq != asked {
		t.Errorf("%d questions were put to who hangs", c.seq-asked)
	}
	if waited := real() - began; waited > 20*maxWaitNS { // as 20 waits in full
		t.Errorf("1000 questions meanwhile were waited for, %d ms", waited/1e6)
	}
	pid := c.process.Pid
	ahead += abandonNS
	if _, err := c.Ask(other); !errors.Is(err, errAbandoned) || !c.WasAbandoned() {
		t.Fatalf("after so long: %v", err)
	}
	if _, err := c.Ask(other); !errors.Is(err, errAbandoned) || c.process.Pid != pid {
		t.Errorf("a second child was started: %v", err)
	}
}

// lateReplyOf makes a child that has read "first" from a file and answered late: the reply was received
// while another request was answered. Meanwhile the file has become "second". The child's clock stands still at *now,
// since a loaded machine may suspend the test for any time.
func lateReplyOf(t *testing.T) (c *Child, late ProcRequest, now *int64) {
	t.Helper()
	proc, _ := hanging(t)
	path, gate := filepath.Join(proc, "11", "cmdline"), filepath.Join(proc, gateName)
	must(t, os.WriteFile(path, []byte("first"), 0o600))
	must(t, unix.Mkfifo(gate, 0o600))
	c = asker(t, proc, -1)
	now = new(int64)
	*now = c.now()
	c.now = func() int64 { return *now }
	late = ProcRequest{File: Cmdline, PID: 11, Max: 100}
	if _, err := c.Ask(late); !errors.Is(err, ErrTimeout) {
		t.Fatalf("the request that is answered late: %v", err)
	}
	w, err := os.OpenFile(gate, os.O_WRONLY, 0)
	must(t, err)
	must(t, w.Close())
	must(t, os.WriteFile(path, []byte("second"), 0o600))
	if _, err := patiently(t, c, ProcRequest{File: Environ, PID: 11, Max: 100}); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a request for a file that is missing: %v", err)
	}
	if len(c.late) != 1 {
		t.Fatalf("%d late replies are kept", len(c.late))
	}
	return c, late, now
}

// A reply that arrives late is returned, once, when its request is repeated. Meanwhile the child answers others.
func TestLateReplyIsReturned(t *testing.T) {
	c, late, _ := lateReplyOf(t)
	if text, err := c.Ask(late); string(text) != "first" {
		t.Errorf("the late reply: %q, %v", text, err)
	}
	if text, err := patiently(t, c, late); string(text) != "second" {
		t.Errorf("the next reply: %q, %v", text, err)
	}
}

// What was read too long ago is read again.
func TestOldLateReplyIsDropped(t *testing.T) {
	c, late, now := lateReplyOf(t)
	*now = c.late[0].readNS + maxLateNS + 1
	if text, err := patiently(t, c, late); string(text) != "second" {
		t.Errorf("%q, %v", text, err)
	}
}

// Late replies take little memory, whatever a process lets the child read.
func TestLateRepliesAreBounded(t *testing.T) {
	c := Child{now: func() int64 { return 1 }}
	for i := range 10 {
		c.open.PID = i
		c.keepLate(reply{ok: true, text: make([]byte, maxLateBytes/4)})
	}
	for pid, want := range map[int]bool{6: false, 7: true, 8: true, 9: true} {
		if _, ok := c.takeLate(ProcRequest{PID: pid}); ok != want {
			t.Errorf("reply about process %d is kept: %v", pid, ok)
		}
	}
}

// A child that dies is not restarted, because its request may have killed it.
func TestChildThatDies(t *testing.T) {
	c := asker(t, "/proc", -1)
	_, err := patiently(t, c, ProcRequest{File: Cmdline, PID: os.Getpid(), Max: 100})
	must(t, err)
	must(t, c.process.Kill())
	for end := time.Now().Add(30 * time.Second); !c.WasAbandoned() && time.Now().Before(end); {
		_, _ = c.Ask(ProcRequest{File: Cmdline, PID: os.Getpid(), Max: 100})
	}
	if !c.WasAbandoned() {
		t.Error("the end of the child was not noticed")
	}
	if none := NewChild("", as.Self()); none.Close() != nil {
		t.Error("a child that never was cannot be closed")
	}
	missing := NewChild("/no/such/program", as.Self())
	if _, err := missing.Ask(ProcRequest{}); err == nil || !missing.WasAbandoned() {
		t.Errorf("a program that is missing: %v", err)
	}
}

// isGone reports whether no process has this number, not even as a zombie.
func isGone(pid int) bool { return errors.Is(unix.Kill(pid, 0), unix.ESRCH) }

// Close leaves no process behind: neither a child that hangs nor the zombie of one that ended.
func TestCloseLeavesNoProcess(t *testing.T) {
	proc, _ := hanging(t)
	for name, pid := range map[string]int{"a child that hangs": 10, "a child that has answered": 11} {
		c := asker(t, proc, -1)
		q := ProcRequest{File: Cmdline, PID: pid, Max: 100}
		if pid == 10 {
			if _, err := c.Ask(q); !errors.Is(err, ErrTimeout) {
				t.Fatalf("the process that hangs: %v", err)
			}
		} else if _, err := patiently(t, c, q); err != nil {
			t.Fatal(err)
		}
		child := c.process.Pid
		must(t, c.Close())
		jobtest.Until(t, name+" is gone", func() bool { return isGone(child) })
	}
}

// Started by root, the child opens files with the rights of the job's user only.
func TestChildHasTheUsersRightsToFiles(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root has rights to give up")
	}
	root := t.TempDir()
	must(t, os.Chmod(root, 0o755))
	must(t, os.Mkdir(filepath.Join(root, "10"), 0o755))
	name := filepath.Join(root, "10", "cmdline")
	must(t, os.WriteFile(name, []byte("secret"), 0o600))
	must(t, os.Chmod(filepath.Dir(root), 0o755))
	q := ProcRequest{File: Cmdline, PID: 10, Max: 100}
	if text, err := patiently(t, asker(t, root, -1), q); string(text) != "secret" {
		t.Fatalf("as root: %q, %v", text, err)
	}
	if text, err := patiently(t, asker(t, root, 65534), q); err == nil {
		t.Errorf("as nobody: %q", text)
	}
}

// A caller that sends requests all the time is refused, and served again later.
func TestWaitingIsBounded(t *testing.T) {
	a := Allowance{PerS: waitNSPerS, Most: maxWaitNS}
	waited := int64(0)
	for wait := a.Remaining(1); wait > 0 && waited < 1000*maxWaitNS; wait = a.Remaining(1) {
		wait = min(wait, 3e7) // an answer that comes is not waited for in full
		waited += wait
		a.Spend(wait)
	}
	if waited != maxWaitNS {
		t.Errorf("late answers in a row were waited for %d ns", waited)
	}
	if a.Allows(2); !a.Allows(2e9) {
		t.Error("refused for ever")
	}
}

func TestQuestionsAndAnswersComeBack(t *testing.T) {
	q := ProcRequest{File: MappedBuild, PID: 4711, Max: 99, Area: Area{1 << 60, 2, 3}}
	if got, seq := decodeRequest(q.encode(7)); got != q || seq != 7 || len(q.encode(7)) != requestBytes {
		t.Errorf("%+v, %d", got, seq)
	}
	a := reply{seq: 7, ok: true, cpuNS: 5, text: []byte("text")}
	got, rest, ok, err := cutReply(append(a.encode(), 'x'))
	if !reflect.DeepEqual(got, a) || string(rest) != "x" || !ok || err != nil {
		t.Errorf("%+v, %q, %v, %v", got, rest, ok, err)
	}
}

func FuzzCutAnswer(f *testing.F) {
	f.Add(reply{seq: 1, ok: true, text: []byte("text")}.encode())
	f.Add([]byte(strings.Repeat("\xff", replyHeadBytes)))
	f.Fuzz(func(t *testing.T, b []byte) {
		for {
			_, rest, ok, err := cutReply(b)
			if !ok || err != nil {
				return
			}
			if len(rest) >= len(b) {
				t.Fatal("nothing was cut off")
			}
			b = rest
		}
	})
}

// FuzzServe sends arbitrary requests to the child.
func FuzzServe(f *testing.F) {
	f.Add(ProcRequest{File: Maps, PID: 1, Max: 100}.encode(1))
	f.Fuzz(func(t *testing.T, b []byte) {
		proc := t.TempDir()
		for len(b) >= requestBytes {
			q, _ := decodeRequest(b)
			_, _ = answerSafely(Direct{proc}, q)
			b = b[requestBytes:]
		}
	})
}

// A request allocates no buffer of its own: with a new one for each reply, 500 processes cost 33 MB a reading.
func TestRequestsShareABuffer(t *testing.T) {
	proc := t.TempDir()
	must(t, os.Mkdir(filepath.Join(proc, "7"), 0o755))
	must(t, os.WriteFile(filepath.Join(proc, "7", "cmdline"), []byte("a\x00b\x00"), 0o644))
	c := asker(t, proc, -1)
	var before, after runtime.MemStats
	const requests = 100
	for n := range requests + 1 {
		if n == 1 { // the first one starts the child
			runtime.ReadMemStats(&before)
		}
		jobtest.Until(t, "the child answers", func() bool {
			b, err := c.Ask(ProcRequest{File: Cmdline, PID: 7, Max: 100})
			return err == nil && string(b) == "a\x00b\x00"
		})
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / requests; each > 16<<10 {
		t.Errorf("%d bytes are allocated for each request", each)
	}
}
