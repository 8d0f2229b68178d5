package as

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job/jobtest"
)

// The test program is also the child: it takes the account from its arguments and executes its verb.
func TestMain(m *testing.M) {
	verbs := map[string]func(){"rights": rights, "files": files, "script": script, "hang": func() {
		jobtest.WorkloadPause(time.Hour)
	},
		"starter": starter, "bound": func() {}, "stopped": func() {
			_ = unix.Kill(os.Getpid(), unix.SIGSTOP) // a thread other than the first may stop first
			jobtest.WorkloadPause(time.Hour)
		},
		"echo": func() { _, _ = io.Copy(os.Stdout, os.Stdin) },
		"talk": func() { _, _ = os.Stdout.Write(make([]byte, 1<<20)) },
		"complain": func() {
			fmt.Fprint(os.Stderr, "a\033[31m\nb", strings.Repeat("x\n", 50000))
			os.Exit(3)
		}}
	if child, err := tableChildren().Serve(context.Background(), os.Args[1:], os.Stdin, os.Stdout); child {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) < 3 || verbs[os.Args[1]] == nil {
		os.Exit(m.Run())
	}
	take := map[string]func() error{
		"rights": func() error {
			return BecomeAccount(os.Args[2:], Limits{FileBytes: 1 << 20, CPUSeconds: 5, MemoryBytes: 512 << 20})
		},
		"starter": func() error { return nil },
		"bound":   bound,
		"stopped": bound,
		"files":   func() error { return BecomeForFiles(os.Args[2:]) },
		"script":  func() error { return BecomeAccount(os.Args[2:], Limits{FileBytes: 1 << 20, MayStart: true}) },
	}[os.Args[1]]
	if take == nil {
		take = func() error { return BecomeAccount(os.Args[2:], Limits{FileBytes: maxReportBytes}) }
	}
	if err := take(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	verbs[os.Args[1]]()
	os.Exit(0)
}

// script prints the identity of a shell that the child starts.
func script() {
	cmd := exec.Command("/bin/sh", "-c",
		`id -u; id -g; id -G; pwd; cat; echo; ls /proc/self/fd | wc -l; export -p | grep -v -e PWD -e OLDPWD -e SHLVL; `+
			`cat /etc/shadow >/dev/null 2>&1 && echo shadow; true`)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Println(err)
	}
}

// files prints whose files the child may read.
func files() {
	_, err := os.ReadFile("/etc/shadow")
	fsuid, _ := unix.SetfsuidRetUid(-1)
	fmt.Println("shadow:", err == nil, "ids", os.Getuid(), fsuid, "dumpable", dumpable())
}

func bound() error { return BecomeAccount(os.Args[2:], Limits{DieWithParent: true}) }

// starter starts a child of the account in its arguments, which stops itself.
func starter() {
	a, err := parseArgs(os.Args[2:])
	if err == nil {
		_, err = rawOutput(context.Background(), Child{Program: os.Args[0], Account: a}, "stopped", "", 1)
	}
	fmt.Println(err)
}

func dumpable() int {
	d, _ := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	return d
}

// rights prints what the child can still do.
func rights() {
	groups, _ := os.Getgroups()
	fmt.Println("ids", os.Getuid(), os.Geteuid(), os.Getgid(), groups, "dumpable", dumpable())
	fmt.Println("runs:", exec.Command("/bin/true").Run() == nil)
	_, err := os.ReadFile("/etc/shadow")
	fmt.Println("shadow:", err == nil)
	// kept is memory in use: the garbage collector would start threads for it where none can be started.
	var kept [][]byte
	for range 64 {
		kept = append(kept, make([]byte, 1<<20))
	}
	fmt.Println("memory:", len(kept))
	_, err = unix.Mmap(-1, 0, 1<<30, unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
	fmt.Println("a gigabyte:", err == nil)
	for _, size := range []int64{1 << 20, 1<<20 + 1} { // the second has a signal that Go ignores
		f, err := os.CreateTemp("/tmp", "jobgait-as-")
		if err == nil {
			_, err = f.WriteAt([]byte{1}, size-1)
			_ = os.Remove(f.Name())
		}
		fmt.Println("file of", size, err == nil)
	}
	tasks, _ := filepath.Glob("/proc/self/task/*/status")
	fmt.Println("back:", unix.Setresuid(0, 0, 0) == nil, len(tasks) >= spareThreads)
}

func TestTakeLeavesOnlyTheAccountsRights(t *testing.T) {
	a := unprivilegedAccount(t)
	want := "ids 65534 65534 65534 [65533 65534] dumpable 0\nruns: false\nshadow: false\nmemory: 64\na gigabyte: false\n" +
		"file of 1048576 true\nfile of 1048577 false\nback: false true"
	if got := output(t, a, "rights"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got, want := output(t, a, "files"), "shadow: false ids 0 65534 dumpable 0"; got != want {
		t.Errorf("rights to files: %s, want %s", got, want)
	}
}

// stateOf returns the state of a process as one letter and its parent, "" and 0 if it has ended.
func stateOf(pid int) (state string, parent int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	_, _ = fmt.Sscan(rest, &state, &parent)
	return state, parent
}

// A child that the account has stopped ends when its starter is killed, as an agent is that does not end in
// time.
func TestBoundChildEndsWithItsStarter(t *testing.T) {
	for name, a := range map[string]Account{"our own": Self(), "another's": unprivilegedAccount(t)} {
		cmd := exec.Command(self(t), append([]string{"starter"}, a.Args()...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		child := 0
		t.Cleanup(func() {
			if state, _ := stateOf(child); state == "T" {
				_ = unix.Kill(child, unix.SIGKILL)
			}
		})
		jobtest.Until(t, "a child that is stopped", func() bool {
			all, _ := filepath.Glob("/proc/[0-9]*")
			return slices.ContainsFunc(all, func(dir string) bool {
				pid, _ := strconv.Atoi(filepath.Base(dir))
				state, parent := stateOf(pid)
				if parent != cmd.Process.Pid || state != "T" {
					return false
				}
				child = pid
				return true
			})
		})
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		jobtest.Until(t, name+" child is gone", func() bool {
			state, _ := stateOf(child)
			return state == "" || state == "Z" || state == "X"
		})
	}
}

// A child whose starter is gone before it is bound ends by itself.
func TestBoundChildOfAnUnprivilegedAccount(t *testing.T) {
	for name, listens := range map[string]bool{"read": true, "not read": false} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if !listens {
			_ = r.Close()
		}
		cmd := exec.Command(self(t), append([]string{"bound"}, Self().Args()...)...)
		cmd.Stdout = w
		if err := cmd.Run(); (err == nil) != listens {
			t.Errorf("what it writes is %s: %v", name, err)
		}
		_, _ = w.Close(), r.Close()
	}
}

func TestAccountsAsArguments(t *testing.T) {
	a := Account{UID: 1000, GID: 100, Groups: []uint32{100, 4}}
	if b, err := parseArgs(a.Args()); err != nil || b.UID != a.UID || b.GID != a.GID || !slices.Equal(a.Groups, b.Groups) {
		t.Errorf("%+v, %v", b, err)
	}
	for _, args := range []string{"", "1", "1 -1", "1 x", "1 4294967296", "1 4294967295", "4294967295 1",
		"1 1 4294967295"} {
		if _, err := parseArgs(strings.Fields(args)); err == nil {
			t.Errorf("%q is no account", args)
		}
	}
}

// Ids that differ from the account's are an error, even if no system call has failed.
func TestIDsAreChecked(t *testing.T) {
	if err := checkIDs(Self()); err != nil {
		t.Error(err)
	}
	for _, a := range []Account{{Self().UID + 1, Self().GID, nil}, {Self().UID, Self().GID + 1, nil}} {
		if checkIDs(a) == nil {
			t.Errorf("the ids of %+v", a)
		}
	}
}
