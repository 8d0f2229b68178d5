package stack

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jobgait/agent/as"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek"
	"jobgait/agent/peek/peektest"
)

// The test program is the children too.
func TestMain(m *testing.M) {
	peektest.Main()
	children := as.Handlers{as.CopyStacks: ServeCopyStacks, as.UnwindStacks: ServeUnwindStacks,
		as.Peek: peek.Serve("/proc")}
	if served, err := children.Serve(context.Background(), os.Args[1:], os.Stdin, os.Stdout); served {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// build compiles a source in testdata to a program and returns its path.
func build(t testing.TB, compiler, source string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%s is not installed", compiler)
	}
	path := filepath.Join(t.TempDir(), strings.TrimSuffix(source, filepath.Ext(source)))
	args := append([]string{"-o", path, filepath.Join("testdata", source)}, flags...)
	if compiler == "gfortran" {
		args = append(args, "-J", filepath.Dir(path)) // where it writes its modules
	}
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	return path
}

// start runs a program until the test ends.
func start(t testing.TB, path string, args ...string) int {
	t.Helper()
	cmd := exec.Command(path, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

func collection(t testing.TB, pids ...int) Collection {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Collection{Program: self, Account: as.Self(), PIDs: pids, Detail: Lines, For: 2 * time.Second}
}

func read(t testing.TB, c Collection) []ProcessStacks {
	t.Helper()
	list, err := c.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// chain returns the functions of a stack, innermost first, with lines where they are known.
func chain(t Thread) string {
	var parts []string
	for _, f := range t.Frames {
		s := f.Function
		if s == "" {
			s = fmt.Sprintf("%s+%#x", f.Library, f.Offset)
		}
		if f.Line > 0 {
			s += fmt.Sprintf("(%s:%d)", filepath.Base(f.File), f.Line)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " < ") + " [" + string(t.Ending) + "]"
}

// untilSeen reads stacks until one of them holds all texts, and returns it.
func untilSeen(t testing.TB, c Collection, texts ...string) (found Thread) {
	t.Helper()
	last := ""
	jobtest.Until(t, fmt.Sprint("a stack with ", texts), func() bool {
		for _, p := range read(t, c) {
			for _, th := range p.Listed {
				s := chain(th)
				if last != s {
					last = s
					t.Log(th.State, th.Trouble, th.WaitsIn, s)
				}
				if !slices.ContainsFunc(texts, func(x string) bool { return !strings.Contains(s, x) }) {
					found = th
					return true
				}
			}
		}
		return false
	})
	return found
}

func TestDeadlockOfTwoThreads(t *testing.T) {
	for _, flags := range [][]string{{"-O2", "-g"}, {"-O0", "-g"}} {
		c := collection(t, start(t, build(t, "gcc", "deadlock.c", append(flags, "-pthread")...)))
		untilSeen(t, c, "take_b(deadlock.c:6) < first(deadlock.c:17)", "[whole]")
		untilSeen(t, c, "take_a(deadlock.c:11) < second(deadlock.c:24)", "[whole]")
		untilSeen(t, c, "join", "main(deadlock.c:32)", "[whole]")
	}
}
