package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek/peektest"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

const workloadEnv = "JOBGAIT_TEST_WORKLOAD"

func TestMain(m *testing.M) {
	peektest.Main()
	switch {
	case os.Getenv(workloadEnv) != "":
		workload()
		return
	case os.Getenv(mountEnv) != "":
		os.Exit(small(os.Getenv(mountEnv)))
	case os.Getenv(agentEnv) != "", len(os.Args) > 3 && children()[os.Args[1]] != nil:
		main()
	}
	os.Exit(m.Run())
}

// workload hashes and sorts in turns of 0.06 s of CPU time, and prints when
// each turn began. It allocates nothing in a turn: the garbage collector would
// run in turns of both kinds.
func workload() {
	turns, err := strconv.Atoi(os.Getenv(workloadEnv))
	if err != nil {
		os.Exit(2)
	}
	numbers := make([]int, 4096)
	var text [8192 + sha256.Size]byte
	for turn := range turns {
		fmt.Println(turn%2, rawcall.Now())
		for began := rawcall.CPU(); rawcall.CPU()-began < 60e6; {
			if turn%2 == 0 {
				for range 20 {
					sum := sha256.Sum256(text[:])
					copy(text[:], sum[:])
				}
				continue
			}
			for i := range numbers {
				numbers[i] = i * 2654435761 % 4099
			}
			slices.Sort(numbers)
		}
	}
	fmt.Println(2, rawcall.Now())
}

// turn is a part of the workload's time, as the workload printed it.
type turn struct {
	kind     int
	from, to int64
}

// sampleWorkload runs the program on the workload and returns the profile.
func sampleWorkload(t *testing.T) (*profile.Profile, []turn) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Sampling begins before the exec, as with a command that is held: the
	// events of a task pass to the threads that it makes later only.
	cmd := exec.Command("/bin/sh", "-c", `read line && exec "$0"`, self)
	cmd.Env = append(os.Environ(), workloadEnv+"=10")
	start, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	told, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dir := runDir(t, cmd.Process.Pid)
	var log strings.Builder
	code := make(chan int)
	go func() {
		code <- runAgent([]string{"--run-dir", string(dir)}, oneMachine(t.TempDir()), io.Discard, &log)
	}()
	waitFor(t, dir.ReadyPath())
	if _, err := job.ReadProcess(dir.PIDPath()); err != nil {
		t.Error(err)
	}
	if _, err := dir.TryLock(); !errors.Is(err, job.ErrLocked) {
		t.Errorf("the lock is free: %v", err)
	}
	fmt.Fprintln(start)
	turns := readTurns(t, bufio.NewScanner(told))
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	unix.Kill(os.Getpid(), unix.SIGTERM)
	if c := <-code; c != 0 {
		t.Errorf("exit %d: %s", c, log.String())
	}
	p, err := profile.Read(dir.ProfilePath())
	if err != nil {
		t.Fatal(err)
	}
	return p, turns
}

// oneMachine is the environment of an agent under `jobgait run`.
func oneMachine(home string) func(name string) string {
	return func(name string) string {
		return map[string]string{"JOBGAIT_ONE_MACHINE": "1", "HOME": home}[name]
	}
}

func runDir(t *testing.T, pid int) job.RunDir {
	t.Helper()
	dir := job.RunDir(t.TempDir())
	real, mono := job.Clock()
	err := dir.WriteRun(job.Run{Key: run.Key{Cluster: "test", JobID: 1}, Node: "n1", Exclusive: true, StartReal: real,
		StartMono: mono, RootPID: pid, Job: run.Job{UID: os.Getuid()}})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func waitFor(t testing.TB, path string) {
	t.Helper()
	jobtest.Until(t, path+" is there", func() bool {
		_, err := os.Stat(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return err == nil
	})
}

func readTurns(t *testing.T, lines *bufio.Scanner) (turns []turn) {
	t.Helper()
	for lines.Scan() {
		var now turn
		if _, err := fmt.Sscan(lines.Text(), &now.kind, &now.from); err != nil {
			t.Fatal(err)
		}
		if n := len(turns); n > 0 {
			turns[n-1].to = now.from
		}
		turns = append(turns, now)
	}
	if len(turns) != 11 {
		t.Fatalf("%d turns", len(turns))
	}
	return turns[:10]
}

// byTurn counts the samples of each page in each kind of turn, slots on an edge
// left out.
func byTurn(p *profile.Profile, turns []turn) map[uint64][2]int {
	pages := map[uint64][2]int{}
	for _, b := range p.Blocks {
		for _, page := range b.Pages {
			for i, n := range page.Counts {
				from := p.Header.BaseNS + (b.First+int64(i))*p.Header.StepNS
				k := slices.IndexFunc(turns, func(u turn) bool { return u.from <= from && from+p.Header.StepNS <= u.to })
				if k >= 0 {
					counts := pages[page.Key]
					counts[turns[k].kind] += int(n)
					pages[page.Key] = counts
				}
			}
		}
	}
	return pages
}

func TestSamplesACommand(t *testing.T) {
	p, turns := sampleWorkload(t)
	if p.Footer == nil || p.Footer.Reason != "stopped" {
		t.Fatalf("footer %+v", p.Footer)
	}
	if p.Header.Scope == "proc" {
		if !slices.ContainsFunc(p.Header.Notes, func(n note.Note) bool { return n.Code == note.NoPerf }) {
			t.Errorf("nothing was sampled, and the notes do not say why: %v", p.Header.Notes)
		}
		t.Skipf("perf events are not available: %v", p.Header.Notes)
	}
	if want := os.Getenv("JOBGAIT_TEST_SCOPE"); want != "" && p.Header.Scope != want {
		t.Errorf("scope %q, want %q", p.Header.Scope, want)
	}
	var samples, cpuNS int64
	for _, b := range p.Blocks {
		for _, n := range b.Samples {
			samples += int64(n)
		}
		cpuNS = b.AgentCPUNS
	}
	// Turns are 0.6 s of CPU time together. A machine that takes CPUs away
	// takes samples too.
	seconds := float64(samples) / p.Header.AddressHz
	if seconds < 0.3 || seconds > 1.2 || cpuNS <= 0 {
		t.Errorf("%.2f s of CPU time in %d samples, agent %d ns", seconds, samples, cpuNS)
	}
	pages := byTurn(p, turns)
	var hash, sort [2]int
	for _, n := range pages {
		if n[0] > hash[0] {
			hash = n
		}
		if n[1] > sort[1] {
			sort = n
		}
	}
	if hash[0] < 40 || sort[1] < 40 || hash[0] < 10*hash[1] || sort[1] < 10*sort[0] {
		t.Errorf("hottest pages: %v in turns of hashing, %v in turns of sorting", hash, sort)
	}
	if name := p.Footer.Executable; !strings.HasSuffix(name, ".test") {
		t.Errorf("executable %q", name)
	}
}

// An ordinary user gets the same from the scope of his own tasks.
func TestSamplesACommandOfAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can become somebody else")
	}
	if level, ok := kernel.Paranoid("/proc"); !ok || level > 2 || level < 1 {
		t.Skipf("kernel.perf_event_paranoid is %d: there is no scope of own tasks only", level)
	}
	dir, err := os.MkdirTemp("", "ordinary")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	exe := filepath.Join(dir, "ordinary.test")
	if err := jobtest.CopyTestProgram(exe); err != nil {
		t.Fatal(err)
	}
	tmp := filepath.Join(dir, "tmp")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(tmp, 0o777), os.Chmod(tmp, 0o777)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestSamplesACommand$", "-test.v")
	cmd.Dir = tmp
	cmd.Env = []string{"TMPDIR=" + tmp, "JOBGAIT_TEST_SCOPE=task"}
	const accountUID = 65534
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: accountUID, Gid: accountUID}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}
