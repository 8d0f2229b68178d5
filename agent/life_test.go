package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// seconds returns the CPU time of a profile according to its address samples.
func seconds(p *profile.Profile) float64 {
	n := 0.0
	for _, b := range p.Blocks {
		for _, s := range b.Samples {
			n += float64(s)
		}
	}
	return n / max(p.Header.AddressHz, 1)
}

// needPerf skips the test where code addresses are not available.
func needPerf(t testing.TB) {
	t.Helper()
	if more := missingPrivilege(host{proc: "/proc", sys: "/sys", open: perf.Open}); more != "" {
		t.Skip(more)
	}
}

// An administrator empties the spool: the agent must not stay on the node for the
// eight days that agent.max_hours allows.
func TestRunDirectoryRemoved(t *testing.T) {
	t.Parallel()
	a := startAgent(t, runDirOf(t,
		job.Run{Key: run.Key{Cluster: "test", JobID: run.JobID(os.Getpid())*10 + 3}, Job: jobOfUser(os.Getuid())}))
	if err := os.RemoveAll(string(a.dir)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- a.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(60 * time.Second):
		t.Fatal("still there after 60 s")
	}
}

// Two jobs run on one node. Each agent sees only its own job, both sample without a gap, and the end of one does
// not affect the other.
func TestTwoJobsOnOneNode(t *testing.T) {
	needPerf(t)
	t.Parallel()
	busyID, idleID := run.JobID(os.Getpid())*10+1, run.JobID(os.Getpid())*10+2
	one := startAgent(t, runDirOf(t, job.Run{Key: run.Key{Cluster: "test", JobID: busyID}, Job: jobOfUser(os.Getuid())}))
	other := startAgent(t, runDirOf(t, job.Run{Key: run.Key{Cluster: "test", JobID: idleID}, Job: jobOfUser(os.Getuid())}))
	if _, err := one.dir.TryLock(); !errors.Is(err, job.ErrLocked) {
		t.Errorf("lock: %v", err)
	}
	closesOnExec(t, one.Process.Pid)
	worker := busy(t, busyID.String(), "while :; do :; done")
	jobtest.Until(t, "the job has used 0.4 s", func() bool { return cpuSeconds(worker.Process.Pid) > 0.4 })
	jobtest.Until(t, "its agent saw 0.15 s", func() bool {
		p, err := profile.Read(one.dir.ProfilePath())
		return err == nil && seconds(p) >= 0.15
	})
	first := one.end(t)
	used := cpuSeconds(worker.Process.Pid)
	second := other.end(t)
	if got := seconds(first); got > 1.3*used {
		t.Errorf("the busy job used %.2f s, its agent saw %.2f s", used, got)
	}
	if got := seconds(second); got > 0.05 {
		t.Errorf("the idle job's agent saw %.2f s", got)
	}
	for name, p := range map[string]*profile.Profile{"busy": first, "idle": second} {
		if p.Footer == nil || p.Footer.Reason != "stopped" {
			t.Errorf("%s: footer %+v", name, p.Footer)
		}
		for i := range p.Blocks[1:] {
			if before := p.Blocks[i]; before.First+int64(before.N) != p.Blocks[i+1].First {
				t.Errorf("%s: a gap before block %d", name, i+1)
			}
		}
	}
}

// closesOnExec fails for a descriptor of a process, above the standard three,
// that a program which it starts would get.
func closesOnExec(t *testing.T, pid int) {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fdinfo", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		fd, _ := strconv.Atoi(e.Name())
		if err != nil || fd < 3 {
			continue
		}
		_, rest, _ := strings.Cut(string(text), "flags:")
		line, _, _ := strings.Cut(rest, "\n")
		flags, err := strconv.ParseUint(strings.TrimSpace(line), 8, 64)
		if err != nil || flags&unix.O_CLOEXEC == 0 {
			link, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
			t.Errorf("descriptor %d, %s: flags %#o, %v", fd, link, flags, err)
		}
		seen++
	}
	if seen < 4 {
		t.Errorf("%d descriptors beside the standard ones", seen)
	}
}

// cpuSeconds is what a process has used.
func cpuSeconds(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	utime, _ := strconv.Atoi(f[11])
	stime, _ := strconv.Atoi(f[12])
	return float64(utime+stime) / 100
}

// lossAtKill kills a new agent after so long and returns how many seconds before
// the kill its profile ends. 0 is an agent that had not begun to sample.
func lossAtKill(t testing.TB, after time.Duration) float64 {
	t.Helper()
	a := startAgent(t, runDirOf(t, job.Run{Job: jobOfUser(os.Getuid())}))
	jobtest.WorkloadPause(after) // the moment is the experiment's, not a wait for anything
	killed := rawcall.Now()
	if err := a.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = a.Wait()
	p := readProfile(t, a.dir)
	end := p.Header.BaseNS
	for _, b := range p.Blocks {
		end = p.Header.BaseNS + (b.First+int64(b.N))*p.Header.StepNS
	}
	if p.Footer != nil {
		t.Error("sealed by a kill")
	}
	return float64(killed-end) / 1e9
}

// A kill -9 at any moment loses a second at most, as long as the machine runs the
// agent when it is due; how long it does not is the machine's, and is allowed for
// generously: without blocks being written in time all of the run would be lost.
func TestKillNineLosesASecond(t *testing.T) {
	t.Parallel()
	losses := make(chan float64)
	const kills = 5
	for i := range kills {
		go func() {
			losses <- lossAtKill(t, time.Duration(i)*300*time.Millisecond+
				time.Duration(rand.Int64N(int64(300*time.Millisecond))))
		}()
	}
	for range kills {
		if loss := <-losses; loss > 3 {
			t.Errorf("lost %.2f s", loss)
		} else {
			t.Logf("lost %.3f s", loss)
		}
	}
}

// mountEnv is a run directory in a small file system that is to be full.
const mountEnv = "JOBGAIT_TEST_MOUNT"

// small mounts a small file system on a directory, in a mount namespace that
// ends with this process, and becomes an agent there. The profile is copied out
// by the one who waits for it.
func small(dir string) int {
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	run, err := job.RunDir(dir).ReadRun()
	if err == nil {
		err = unix.Mount("jobgait-test", dir, "tmpfs", 0, "size=32k")
	}
	if err == nil {
		err = job.RunDir(dir).WriteRun(run)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	os.Args = []string{os.Args[0], "--run-dir", dir}
	main()
	return 0
}

// A disk that gets full mid-run keeps what was written, and neither the agent
// nor the job ends of it. With room again, the footer says what happened.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	// With counters of the node blocks are large, and its last page soon full.
	dir := runDirOf(t, job.Run{Exclusive: true, Job: jobOfUser(os.Getuid())})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = []string{mountEnv + "=" + string(dir), "PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Skipf("no mount namespace: %v", err)
	}
	defer cmd.Process.Kill()
	inside := job.RunDir(filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "root", string(dir)))
	jobtest.Until(t, "the agent is ready", func() bool { _, err := os.Stat(inside.ReadyPath()); return err == nil })
	worker := busy(t, strconv.Itoa(os.Getpid()), "while :; do sleep 0.01; done")
	// Another file takes the rest of the space.
	fill := inside.Path("other")
	jobtest.Until(t, "two blocks are written", func() bool {
		p, err := profile.Read(inside.ProfilePath())
		return err == nil && len(p.Blocks) >= 2
	})
	fillUp(t, fill)
	before, err := profile.Read(inside.ProfilePath())
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Until(t, "the agent has noticed", stopsGrowing(t, inside.ProfilePath()))
	if worker.ProcessState != nil || syscall.Kill(worker.Process.Pid, 0) != nil {
		t.Error("the job is gone")
	}
	after, err := profile.Read(inside.ProfilePath())
	if err != nil || len(after.Blocks) < len(before.Blocks) {
		t.Errorf("%d blocks, were %d: %v", len(after.Blocks), len(before.Blocks), err)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	endFull(t, cmd, inside, len(after.Blocks))
	if n := strings.Count(said.String(), "\n"); n != 1 || !strings.Contains(said.String(), "no space left") {
		t.Errorf("the agent said: %s", said.String())
	}
}

// fillUp writes a file until the disk is full.
func fillUp(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for buf := make([]byte, 256); err == nil; {
		_, err = f.Write(buf)
	}
	f.Close()
}

// stopsGrowing is true once a file has had one size for longer than passes
// between two blocks.
func stopsGrowing(t *testing.T, path string) func() bool {
	t.Helper()
	size, since := int64(-1), time.Now()
	return func() bool {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if st.Size() != size {
			size, since = st.Size(), time.Now()
		}
		return time.Since(since) > 1200*time.Millisecond
	}
}

// endFull stops the agent and inspects the profile while its file system exists: a directory descriptor keeps
// it open.
func endFull(t *testing.T, cmd *exec.Cmd, inside job.RunDir, blocks int) {
	t.Helper()
	held, err := os.Open(string(inside))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := errors.Join(cmd.Process.Signal(unix.SIGTERM), cmd.Wait()); err != nil {
		t.Errorf("agent: %v", err)
	}
	p, err := profile.Read(fmt.Sprintf("/proc/self/fd/%d/profile.jgp", held.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if p.Footer == nil || p.Footer.Reason != "spool_full" || !has(p.Footer.Notes, note.SpoolFull) ||
		len(p.Blocks) < blocks || p.Damage.BytesLost > 0 {
		t.Errorf("footer %+v, %d of %d blocks, damage %+v", p.Footer, len(p.Blocks), blocks, p.Damage)
	}
}

// What the job ran is known of an agent that was killed, too.
func TestKilledAgentHasNamedTheProgram(t *testing.T) {
	needPerf(t)
	t.Parallel()
	id := run.JobID(os.Getpid())*10 + 7
	agent := startAgent(t, runDirOf(t, job.Run{Key: run.Key{Cluster: "test", JobID: id}, Job: jobOfUser(os.Getuid())}))
	busy(t, id.String(), "while :; do :; done")
	program := func() string {
		l, err := profile.Load(agent.dir.ProfilePath())
		if err != nil {
			return ""
		}
		return l.Program()
	}
	jobtest.Until(t, "the profile names the program", func() bool { return program() != "" })
	if err := agent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = agent.Wait()
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil || program() != filepath.Base(shell) {
		t.Errorf("%q, not %q, %v", program(), shell, err)
	}
}
