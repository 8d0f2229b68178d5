package names

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/peek/peektest"
)

// The test program is the child too.
func TestMain(m *testing.M) {
	if child, err := (as.Handlers{as.Names: Serve}).Serve(context.Background(), os.Args[1:], os.Stdin, os.Stdout); child {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func unprivilegedAccount(t *testing.T) as.Account {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another account")
	}
	return as.Account{UID: 65534, GID: 65534, Groups: []uint32{65534}}
}

// open makes a directory of the test and its parents accessible to other accounts.
func open(t *testing.T, dir string) {
	for ; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
	}
}

// question looks up all places of the functions of a program.
func question(t *testing.T, path string, places []truth) Lookup {
	t.Helper()
	r, err := os.Open(path)
	must(t, err)
	defer r.Close()
	var st unix.Stat_t
	must(t, unix.Stat(path, &st))
	q := Lookup{Build: buildOf(r), Inode: st.Ino, PID: os.Getpid(), Path: path}
	for _, p := range places {
		q.Offsets = append(q.Offsets, p.offset)
	}
	return q
}

func askFor(t *testing.T, a as.Account, q ...Lookup) []Answer {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	for end := time.Now().Add(time.Minute); ; { // 5 s are little on a machine that is full
		got, err := Ask(t.Context(), self, a, q)
		if err == nil {
			return got
		}
		if !errors.Is(err, context.DeadlineExceeded) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// TestNicedChild looks up names while the agent has a higher nice value than the child would have. A child with
// a user's rights may not lower it; no function of such a run had a name.
func TestNicedChild(t *testing.T) {
	unprivilegedAccount(t)
	self, err := os.Executable()
	must(t, err)
	out, err := exec.Command("nice", "-n", "10", self, "-test.run=^TestChildNamesWhatTheUserMayRead$").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestChildNamesWhatTheUserMayRead(t *testing.T) {
	a := unprivilegedAccount(t)
	path := build(t, "gcc", "program.c", threeParts, "-Wl,--build-id")
	open(t, filepath.Dir(path))
	places := truthOf(t, path, "work_a", "work_b")
	q := question(t, path, places)

	named := func(who as.Account, q Lookup) Reason {
		t.Helper()
		got := askFor(t, who, q)[0]
		for i, k := range got.Of {
			if got.Why == "" && (k < 0 || got.Functions[k].Name != places[i].symbol) {
				t.Errorf("place %d: %+v", i, got)
			}
		}
		return got.Why
	}
	must(t, os.Chmod(path, 0o755))
	if why := named(a, q); why != "" {
		t.Errorf("a program that all may read: %s", why)
	}
	must(t, os.Chmod(path, 0o711))
	if why := named(a, q); why != NoFile {
		t.Errorf("a program that the user may only execute: %q", why)
	}
	if why := named(as.Self(), q); why != "" {
		t.Errorf("and its owner: %s", why)
	}
	must(t, os.Chmod(path, os.ModeSetuid|0o755))
	if why := named(a, q); why != "" {
		t.Errorf("a setuid program that all may read: %s", why)
	}
	must(t, os.Chmod(path, os.ModeSetuid|0o711))
	if why := named(a, q); why != NoFile {
		t.Errorf("a setuid program that the user may only execute: %q", why)
	}
	must(t, os.Chmod(path, 0o755))
	grows := growing(t, path)
	if why := named(a, q); why != "" {
		t.Errorf("a file that grows while it is read: %s", why)
	}
	grows()
	other := q
	other.Build = strings.Repeat("00", 20)
	if why := named(a, other); why != OtherBuild {
		t.Errorf("another build: %q", why)
	}
	other = q
	other.Inode++
	if why := named(a, other); why != NoFile {
		t.Errorf("another file: %q", why)
	}
	other = q
	if other.Inode = 0; named(a, other) != "" {
		t.Error("the build id alone was told, and agrees")
	}
	if other.Build = ""; named(a, other) != NoFile {
		t.Error("nothing was told of which file it is")
	}
	other = q
	other.Path = "program"
	if why := named(a, other); why != NoFile {
		t.Errorf("a path that begins nowhere: %q", why)
	}
	must(t, os.Remove(path))
	must(t, unix.Mkfifo(path, 0o644))
	var st unix.Stat_t
	must(t, unix.Stat(path, &st))
	other = q
	other.Inode = st.Ino
	if why := named(a, other); why != NoFile {
		t.Errorf("a pipe in its place: %q", why)
	}
	must(t, os.Remove(path))
	if err := unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))); err != nil {
		t.Skipf("no devices can be made here: %v", err)
	}
	must(t, os.Chmod(path, 0o666))
	must(t, unix.Stat(path, &st))
	if other.Inode = st.Ino; named(a, other) != NoFile {
		t.Error("a device that has zeros without end in its place was read")
	}
}

// growing appends to a file until stop is called, and has begun when it returns.
func growing(t *testing.T, path string) (stop func()) {
	t.Helper()
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	block := make([]byte, 1<<16)
	_, err = w.Write(block)
	must(t, err)
	over, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-over:
				ended <- w.Close()
				return
			case <-time.After(time.Millisecond):
				if n < 1<<12 { // 256 MB
					if _, err := w.Write(block); err != nil {
						ended <- errors.Join(err, w.Close())
						return
					}
				}
			}
		}
	}()
	return func() {
		close(over)
		must(t, <-ended)
	}
}

// A process in a container may see other files than the agent. Its own files are read while it lives.
func TestChildAsksInTheNamespaceOfTheProcess(t *testing.T) {
	a := unprivilegedAccount(t)
	for _, tool := range []string{"unshare", "setpriv", "mount"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s here", tool)
		}
	}
	path := build(t, "gcc", "program.c", "#include <unistd.h>"+
		strings.Replace(threeParts, "return 0", "pause(); return 0", 1))
	places := truthOf(t, path, "work_a", "work_b")
	dir := t.TempDir()
	inside := filepath.Join(dir, "program")
	open(t, dir)
	cmd := exec.Command("unshare", "-m", "sh", "-c",
		fmt.Sprintf("mount -t tmpfs none %s && cp %s %s && chmod 755 %s %s && exec setpriv --reuid 65534 --regid 65534 "+
			"--clear-groups %s", dir, path, inside, dir, inside, inside))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	proc := filepath.Join("/proc", fmt.Sprint(cmd.Process.Pid))
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if exe, _ := os.Readlink(proc + "/exe"); exe == inside {
			break
		}
		if time.Now().After(end) {
			t.Skip("no mount namespaces here")
		}
	}
	q := question(t, proc+"/exe", places)
	q.PID, q.Path = cmd.Process.Pid, inside
	got := askFor(t, a, q)[0]
	if got.Why != "" || got.Of[0] < 0 || got.Functions[got.Of[0]].Name != places[0].symbol {
		t.Errorf("%+v", got)
	}
}

// A hanging file system costs the child only.
func TestChildThatHangsIsGivenUp(t *testing.T) {
	self, err := os.Executable()
	must(t, err)
	dir := t.TempDir()
	peektest.MountHanging(t, dir)
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	q := Lookup{Build: "00", Inode: 1, PID: os.Getpid(), Path: filepath.Join(dir, "program"), Offsets: []uint64{0}}
	if _, err := Ask(ctx, self, as.Self(), []Lookup{q}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// The distribution's debug file of the same build is read first, but only if only root can write it.
func TestDebugFileOfTheSystem(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root's debug files are believed")
	}
	path := build(t, "gcc", "program.c", threeParts, "-Wl,--build-id")
	places := truthOf(t, path, "work_b")
	q := question(t, path, places)
	run(t, filepath.Dir(path), "objcopy", "--only-keep-debug", "program", "debug")
	run(t, "", "strip", "-o", path+".stripped", path)
	must(t, os.Rename(path+".stripped", path))
	q.Inode = question(t, path, places).Inode
	s := roots{"/proc", t.TempDir()}
	file := filepath.Join(s.debug, q.Build[:2], q.Build[2:]+".debug")
	must(t, os.Mkdir(filepath.Dir(file), 0o755))
	must(t, os.Rename(filepath.Join(filepath.Dir(path), "debug"), file))
	for mode, source := range map[os.FileMode]string{0o644: DebugFile, 0o666: Frames} {
		must(t, os.Chmod(file, mode))
		if got := s.lookUp(t.Context(), q, MaxSteps); len(got.Functions) == 0 || got.Functions[0].Source != source {
			t.Errorf("mode %o: %+v", mode, got)
		}
	}
}

func TestAnswersAreShortenedAndChecked(t *testing.T) {
	long := Answer{Functions: []Function{}}
	q := Lookup{}
	for i := range uint64(2000) {
		long.Functions = append(long.Functions,
			Function{Start: 16 * i, End: 16*i + 16, Name: strings.Repeat("x", MaxName), Source: Symtab})
		long.Of, q.Offsets = append(long.Of, int(i)), append(q.Offsets, 16*i)
	}
	short := Answer{Functions: long.Functions[:1], Of: []int{0}}
	b, err := encodeWithinLimit([]Answer{short, long})
	must(t, err)
	got, err := parseAnswers(b, []Lookup{{Offsets: q.Offsets[:1]}, q})
	if err != nil || !reflect.DeepEqual(got, []Answer{short, emptyAnswer(2000, TooMuch)}) {
		t.Errorf("%v", err)
	}
	one := Lookup{Offsets: []uint64{32}}
	for what, text := range map[string]string{
		"no JSON": "x", "none": "[]", "two": `[{"of":[-1]},{"of":[-1]}]`, "no places": `[{"of":[]}]`,
		"an index": `[{"of":[0]}]`, "a negative one": `[{"of":[-2]}]`,
		"a function elsewhere": `[{"functions":[{"start":64,"end":128,"source":"symtab"}],"of":[0]}]`,
		"an end":               `[{"functions":[{"start":32,"end":32,"source":"symtab"}],"of":[0]}]`,
		"an escape":            `[{"functions":[{"start":32,"end":64,"name":"\u001b[31m","source":"symtab"}],"of":[0]}]`,
		"a source":             `[{"functions":[{"start":32,"end":64,"source":"me"}],"of":[0]}]`,
		"a reason":             `[{"of":[-1],"why":"because"}]`,
		"a length": `[{"functions":[{"start":32,"end":64,"name":"` + strings.Repeat("x", MaxName+1) +
			`","source":"symtab"}],"of":[0]}]`,
	} {
		if _, err := parseAnswers([]byte(text), []Lookup{one}); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := parseAnswers([]byte(`[{"functions":[{"start":32,"end":64,"name":"f","source":"symtab"}],"of":[0]}]`),
		[]Lookup{one}); err != nil {
		t.Error(err)
	}
}

func FuzzParseAnswers(f *testing.F) {
	f.Add([]byte(`[{"functions":[{"start":32,"end":64,"name":"f","source":"symtab"}],"of":[0]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		answers, err := parseAnswers(b, []Lookup{{Offsets: []uint64{32}}})
		if err != nil {
			return
		}
		if again, err := json.Marshal(answers); err != nil || len(answers[0].Of) != 1 {
			t.Errorf("%s: %v", again, err)
		}
	})
}
