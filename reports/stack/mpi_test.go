package stack

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/as"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek"
	"jobgait/agent/peek/peektest"
	"jobgait/agent/stack"
	"jobgait/analysis/note"
	"jobgait/analysis/stacks"
)

// The test program is the children too.
func TestMain(m *testing.M) {
	children := as.Handlers{as.CopyStacks: stack.ServeCopyStacks, as.UnwindStacks: stack.ServeUnwindStacks,
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

// launchers are the MPI implementations of the distribution.
var launchers = map[string]struct {
	compiler, fortran string
	run               []string
}{
	"Open MPI": {"mpicc.openmpi", "mpif90.openmpi",
		[]string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n"}},
	"MPICH": {"mpicc.mpich", "mpif90.mpich", []string{"mpirun.mpich", "-n"}},
}

func compile(t *testing.T, compiler, source string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%s is not installed", compiler)
	}
	path := filepath.Join(t.TempDir(), "hang")
	args := append([]string{"-g", "-o", path, filepath.Join("testdata", source), "-pthread"}, flags...)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	return path
}

// lineOf returns the line of a source that has a comment.
func lineOf(t *testing.T, source, comment string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", source))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(b), "\n") {
		if strings.Contains(line, comment) {
			return i + 1
		}
	}
	t.Fatalf("%s has no %q", source, comment)
	return 0
}

// launch starts ranks in a session of their own, as jobs have, and returns the launcher's process.
func launch(t *testing.T, args []string) (pid int, end func()) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = append(os.Environ(), "OMPI_MCA_btl=self,vader", "OMPI_MCA_mpi_yield_when_idle=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid, func() {
		for _, p := range stack.Descendants("/proc", cmd.Process.Pid) {
			_ = syscall.Kill(p, syscall.SIGKILL)
		}
		_ = cmd.Wait()
	}
}

// snapshot reads and merges the stacks of what descends from a process.
func snapshot(t *testing.T, root int) (m MergedStacks, held []int64) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	reader := peek.NewChild(self, as.Self())
	defer reader.Close()
	tasks := stack.ChooseTasks(reader, "/proc", "n1", stack.Descendants("/proc", root)).Tasks
	var pids []int
	for _, task := range tasks {
		pids = append(pids, task.Stacks.PID)
	}
	c := stack.Collection{Program: self, Account: as.Self(), PIDs: pids, Detail: stack.Lines, For: 2 * time.Second}
	list, err := c.Read(t.Context())
	if err != nil {
		t.Log(err)
		return MergedStacks{}, nil
	}
	for i := range tasks {
		for _, p := range list {
			if p.PID == tasks[i].Stacks.PID {
				tasks[i].Stacks = p
				for _, th := range p.Listed {
					held = append(held, th.HeldNS)
				}
			}
		}
	}
	return Merge(nil, time.Now(), tasks, []note.Note{}), held
}

// hang is a way in which a rank leaves the loop, and the function in which it is then.
type hang struct{ kind, function string }

var hangs = []hang{{"stop", "halt"}, {"loop", "spin"}, {"collective", "synchronize"}, {"fuse", "read_input"},
	{"deadlock", "take_b"}, {"sleep", "doze"}}

// right reports whether exactly one group is odd and consists of the rank alone, in the expected function and
// line, and whether the others wait in the collective, called from the line of the exchange.
func (h hang) right(m MergedStacks, rank, line, exchange int) bool {
	odd, others := 0, 0
	for _, g := range m.Groups {
		at := stacks.PlacesOf(g.Frames)
		switch {
		case g.Others:
		case g.Odd:
			f := stacks.GroupFrame{}
			if at.Own >= 0 {
				f = g.Frames[at.Own]
			}
			if !slices.Equal(g.Ranks, []int{rank}) || f.Function != h.function || f.Line == nil || *f.Line != line {
				return false
			}
			odd++
		case at.Own >= 0 && at.Waits:
			f := g.Frames[at.Own]
			if f.Function == "exchange" && f.Line != nil && *f.Line == exchange {
				others += g.Tasks
			}
		}
	}
	return odd == 1 && others == m.Tasks-1
}

// One rank of an MPI program is elsewhere than the others: it is found, with its function and line.
// JOBGAIT_STACK_ROUNDS is the number of rounds of each kind, 1 without.
func TestOddRank(t *testing.T) {
	rounds := 1
	if s := os.Getenv("JOBGAIT_STACK_ROUNDS"); s != "" {
		rounds, _ = strconv.Atoi(s)
	}
	for name, l := range launchers {
		t.Run(name, func(t *testing.T) {
			path := compile(t, l.compiler, "hang.c", "-O2")
			for _, h := range hangs {
				h.rounds(t, name, append(slices.Clone(l.run), "RANKS", path), rounds)
			}
		})
	}
}

// rounds plays rounds of a kind, and fails if one is wrong.
func (h hang) rounds(t *testing.T, name string, command []string, rounds int) {
	right, line, exchange := 0, lineOf(t, "hang.c", "/* line "+h.kind+" "), lineOf(t, "hang.c", "/* line exchange ")
	var held []int64
	for i := range rounds {
		ranks := 3 + i%6
		if h.kind != "collective" {
			ranks = 2 + i%7
		}
		odd := (i*5 + 1) % ranks
		file := "none"
		if h.kind == "fuse" {
			if os.Geteuid() != 0 {
				return
			}
			file = peektest.MountHangingReads(t, t.TempDir())
		}
		args := slices.Clone(command)
		args[slices.Index(args, "RANKS")] = strconv.Itoa(ranks)
		pid, end := launch(t, append(args, h.kind, strconv.Itoa(odd), file))
		ok, last := false, ""
		jobtest.Poll(60*time.Second, func() bool {
			m, ns := snapshot(t, pid)
			held = append(held, ns...)
			last = Text(m)
			ok = m.Tasks == ranks && h.right(m, odd, line, exchange)
			return ok
		})
		if ok { // and so it stays
			m, ns := snapshot(t, pid)
			held, last = append(held, ns...), Text(m)
			ok = h.right(m, odd, line, exchange)
		}
		if end(); ok {
			right++
		} else {
			t.Errorf("%s, %s, rank %d of %d in line %d:\n%s", name, h.kind, odd, ranks, line, last)
		}
	}
	slices.Sort(held)
	t.Logf("%s, %s: right in %d of %d rounds; %d threads were stopped, median %.2f ms, p99 %.2f ms", name, h.kind,
		right, rounds, len(held), float64(held[len(held)/2])/1e6, float64(held[len(held)*99/100])/1e6)
}

func TestFortranRanks(t *testing.T) {
	l := launchers["Open MPI"]
	pid, end := launch(t, append(slices.Clone(l.run), "3", compile(t, l.fortran, "hang.f90", "-O0", "-J", t.TempDir())))
	t.Cleanup(end)
	want := []string{"2 of 3 tasks wait in MPI_Allreduce, called from work::exchange (hang.f90:9).",
		"Rank 2 on n1 is in work::write_checkpoint (hang.f90:13)"}
	jobtest.Until(t, fmt.Sprint(want), func() bool {
		m, _ := snapshot(t, pid)
		s := Text(m)
		return !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(s, w) })
	})
}

func TestPythonRanks(t *testing.T) {
	out, err := exec.Command("python3.13", "-c", "import sys; print(sys.executable)").Output()
	if _, missing := exec.LookPath("mpirun.openmpi"); err != nil || missing != nil {
		t.Skip("CPython 3.13 or Open MPI is not installed")
	}
	pid, end := launch(t, append(slices.Clone(launchers["Open MPI"].run), "3", strings.TrimSpace(string(out)),
		filepath.Join("testdata", "hang.py")))
	t.Cleanup(end)
	want := []string{
		fmt.Sprintf("2 of 3 tasks wait in MPI_Barrier, called from exchange (hang.py:%d).",
			lineOf(t, "hang.py", "# line exchange")),
		fmt.Sprintf("Rank 2 on n1 is in write_checkpoint (hang.py:%d), asleep in clock_nanosleep: all others wait for it.",
			lineOf(t, "hang.py", "# line sleep"))}
	last := ""
	jobtest.Until(t, fmt.Sprint(want), func() bool {
		m, _ := snapshot(t, pid)
		if s := Text(m); s != last {
			last = s
			t.Log(s)
		}
		return !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(last, w) })
	})
}
