package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/job/slurm"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/agent/sampler"
	"jobgait/analysis/note"
)

func TestMainProgram(t *testing.T) {
	for _, c := range []struct {
		samples map[string]int64
		want    string
	}{
		{nil, ""},
		{map[string]int64{"?": 9}, ""},
		{map[string]int64{"lmp": 5, "bash": 90, "mpirun": 50, "?": 100}, "lmp"},
		{map[string]int64{"lmp": 5, "cp": 3}, "lmp"},
		{map[string]int64{"bash": 2, "sleep": 1}, "bash"},
		{map[string]int64{"python3.11": 5, "srun": 9}, "python3.11"},
		{map[string]int64{"b": 5, "a": 5}, "a"},
		{map[string]int64{"lmp": 5, "slurmstepd-wlm": 90, "mpirun.openmpi": 50, "mpiexec.hydra": 20, "prterun": 9,
			"ksh93": 8}, "lmp"},
		{map[string]int64{"slurmstepd-wlm": 90, "slurmstepd": 3, "bash": 1}, "bash"},
		{map[string]int64{"slurmstepd-wlm": 90}, ""},
		{map[string]int64{"time-step": 2, "env.x": 1, "mpirun-mpich-mp": 9}, "time-step"},
	} {
		if got := mainProgram(c.samples, slurm.Scheduler{}.IsSchedulerProgram); got != c.want {
			t.Errorf("%v: %q, want %q", c.samples, got, c.want)
		}
	}
}

// Where a distribution has several versions of a program, its name is a link to a link; the running program has
// the name of the last link's target.
func TestMainProgramBehindLinks(t *testing.T) {
	shell, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	samples := map[string]int64{}
	for i, name := range []string{"lmp", "mpirun.openmpi", "slurmstepd-wlm"} {
		link, _, _ := strings.Cut(name, ".")
		link = filepath.Join(dir, "bin-"+strings.TrimSuffix(link, "-wlm"))
		if err := errors.Join(jobtest.WriteProgram(filepath.Join(dir, name), shell),
			os.Symlink(filepath.Join(dir, name), link+".alternative"), os.Symlink(link+".alternative", link)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(link, "-c", "read word")
		held, err := cmd.StdinPipe() // the shell reads until it is closed
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		samples[peek.ProgramOf(peek.Direct{Proc: "/proc"}, cmd.Process.Pid)] = int64(i + 1)
		held.Close()
		_ = cmd.Wait()
	}
	if got := mainProgram(samples, slurm.Scheduler{}.IsSchedulerProgram); got != "lmp" || len(samples) != 3 {
		t.Errorf("%q of %v", got, samples)
	}
}

func TestNoRunIsAnError(t *testing.T) {
	var log strings.Builder
	if code := runAgent([]string{"--run-dir", t.TempDir()}, os.Getenv, io.Discard, &log); code != 1 ||
		strings.Count(log.String(), "\n") != 1 {
		t.Errorf("exit %d, log %q", code, log.String())
	}
}

func TestLockedRunIsAnError(t *testing.T) {
	dir := job.RunDir(t.TempDir())
	lock, err := dir.TryLock()
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	var log strings.Builder
	if code := runAgent([]string{"--run-dir", string(dir)}, os.Getenv, io.Discard, &log); code != 1 ||
		!strings.Contains(log.String(), job.ErrLocked.Error()) {
		t.Errorf("exit %d, log %q", code, log.String())
	}
}

// The Prolog's lock stays held when the Prolog has closed its descriptor.
func TestLockIsHandedOver(t *testing.T) {
	dir := job.RunDir(t.TempDir())
	prolog, err := dir.TryLock()
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Dup(int(prolog.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	lock, err := takeLock(options{dir: dir, lockFD: fd})
	if err != nil {
		t.Fatal(err)
	}
	prolog.Close()
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags %#x, %v: children would get it", flags, err)
	}
	if _, err := dir.TryLock(); !errors.Is(err, job.ErrLocked) {
		t.Errorf("the lock is free: %v", err)
	}
	lock.Close()
	if again, err := dir.TryLock(); err != nil {
		t.Errorf("the lock stays: %v", err)
	} else {
		again.Close()
	}
	if _, err := takeLock(options{dir: dir, lockFD: 1 << 20}); err == nil {
		t.Error("a descriptor that is none")
	}
}

func TestAgentIsNotCountedForTheJob(t *testing.T) {
	o := membersExceptSelf{&fixedMembers{pids: []int{1, os.Getpid(), 1 << 30}}}
	if l := o.List(); len(l) != 2 || slices.Contains(l, os.Getpid()) || o.Has(os.Getpid()) {
		t.Errorf("processes %v", l)
	}
}

// kernelThat returns a perf_event_open whose events count nothing, or that fails with the error of refuse.
func kernelThat(t testing.TB, refuse func(a *unix.PerfEventAttr, pid int) error) perf.Opener {
	return func(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
		if err := refuse(a, pid); err != nil {
			return -1, err
		}
		fd, err := unix.MemfdCreate("event", unix.MFD_CLOEXEC)
		if err != nil {
			t.Fatal(err)
		}
		return fd, unix.Ftruncate(fd, 4<<20)
	}
}

func TestPermissionNamesTheWayOut(t *testing.T) {
	for level, want := range map[string]string{"4": "to 2 or lower, or run as root or with CAP_SYS_ADMIN",
		"2": "to 0 or lower, or run as root or with CAP_PERFMON", "-1": "blocked"} {
		proc := t.TempDir()
		os.MkdirAll(proc+"/sys/kernel", 0o755)
		os.WriteFile(proc+"/sys/kernel/perf_event_paranoid", []byte(level+"\n"), 0o644)
		if got := refusalText(host{proc: proc}, unix.EACCES); !strings.Contains(got, want) {
			t.Errorf("level %s: %q", level, got)
		}
	}
}

// fixedMembers is a membership that lists fixed processes.
type fixedMembers struct{ pids []int }

func (n *fixedMembers) Has(int) bool { return false }
func (n *fixedMembers) List() []int  { return n.pids }

// counting is a source whose state can be seen.
type counting struct {
	*kernel.JobCPU
	running, drained int
}

func (c *counting) Start() error                { c.running++; return nil }
func (c *counting) Stop() error                 { c.running--; return nil }
func (c *counting) Drain(to counter.Sink) error { c.drained++; return c.JobCPU.Drain(to) }

// disk is a profile file that fails on request.
type disk struct {
	blocks int
	epochs []profile.Epoch
	footer *profile.Footer
	fail   func() error
	slots  int64
	empty  int // values that are missing
	ran    []uint16
	last   []int64 // values of the last slot
}

func (d *disk) Append(b profile.Block) error {
	d.blocks++
	d.slots += int64(b.N)
	d.last = d.last[:0]
	for _, c := range b.Columns {
		d.last = append(d.last, c[b.N-1])
		for _, v := range c {
			if v == profile.NoValue {
				d.empty++
			}
		}
	}
	d.ran = b.CountedShare
	if d.fail != nil {
		return d.fail()
	}
	return nil
}
func (d *disk) WriteEpoch(e profile.Epoch) error { d.epochs = append(d.epochs, e); return nil }
func (d *disk) WritePlaces(profile.Places)       {}
func (d *disk) WriteWindows([]profile.GPUWindows) error {
	return nil
}
func (d *disk) Seal(f profile.Footer) error { d.footer = &f; return nil }
func (d *disk) Close() error                { return nil }

func testAgent(d *disk, n *fixedMembers) (*agent, *counting) {
	cpu := kernel.NewJobCPU("/proc", peek.Direct{Proc: "/proc"}, n, rawcall.Now, 1e9)
	source := &counting{JobCPU: cpu, running: 1}
	in := &inputs{sources: []counter.Source{source}, cpu: cpu, members: n, stepNS: 5e6, cpus: 2, usesRings: true}
	a := newAgent(job.Run{}, in, func(error) {})
	a.writer = d
	a.initSampling(sampler.NewGrid(in.stepNS, rawcall.Now()-1e9))
	return a, source
}

func has(notes []note.Note, code note.Code) bool {
	for _, n := range notes {
		if n.Code == code {
			return true
		}
	}
	return false
}

func TestEndsAndSeals(t *testing.T) {
	for name, c := range map[string]struct {
		limit  time.Duration
		reason string
	}{"told to": {time.Hour, "stopped"}, "after its time": {0, "max_hours"}} {
		d := &disk{}
		a, source := testAgent(d, &fixedMembers{})
		stop := make(chan os.Signal, 1)
		if c.limit > 0 {
			stop <- unix.SIGTERM
		}
		if err := a.runLoop(stop, c.limit); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d.footer == nil || d.footer.Reason != c.reason || d.blocks == 0 || source.running != 0 {
			t.Errorf("%s: footer %+v, %d blocks", name, d.footer, d.blocks)
		}
	}
}

func TestFullSpoolStopsWritingOnly(t *testing.T) {
	d := &disk{fail: func() error { return unix.ENOSPC }}
	a, source := testAgent(d, &fixedMembers{})
	a.flush()
	if !a.writeFailed() || source.running != 0 || d.blocks != 1 {
		t.Errorf("full %v, running %d, %d blocks", a.writeFailed(), source.running, d.blocks)
	}
	a.flush()
	stop := make(chan os.Signal, 1)
	stop <- unix.SIGTERM
	if err := a.runLoop(stop, time.Hour); err != nil || d.blocks != 1 {
		t.Errorf("%v, %d blocks", err, d.blocks)
	}
	if d.footer.Reason != "spool_full" || !has(d.footer.Notes, note.SpoolFull) {
		t.Errorf("footer %+v", d.footer)
	}
}

func TestPanicIsSealed(t *testing.T) {
	d := &disk{fail: func() error { panic("broken") }}
	a, _ := testAgent(d, &fixedMembers{})
	stop := make(chan os.Signal, 1)
	stop <- unix.SIGTERM
	if err := a.runLoop(stop, time.Hour); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("error %v", err)
	}
	if d.footer == nil || d.footer.Reason != "failed" {
		t.Errorf("footer %+v", d.footer)
	}
}

// The counters stop when the job has had no process for a minute, and start again when it has one.
func TestIdleNode(t *testing.T) {
	n := &fixedMembers{}
	d := &disk{}
	a, source := testAgent(d, n)
	a.flush()
	if a.idle.active || a.idle.since == 0 {
		t.Fatalf("after one look: %+v", a.idle)
	}
	a.idle.since -= idleNS
	a.flush()
	if !a.idle.active || source.running != 0 {
		t.Fatalf("after a minute: %+v, running %d", a.idle, source.running)
	}
	drained := source.drained
	a.runDueTasks()
	if !a.idle.active || source.drained != drained {
		t.Errorf("asleep: %+v, drained %d times", a.idle, source.drained-drained)
	}
	if p := a.timeToNextTask(); p < 500*time.Millisecond {
		t.Errorf("asleep for %v", p)
	}
	n.pids = []int{os.Getpid()}
	a.runDueTasks()
	if a.idle.active || source.running != 1 || source.drained != drained+1 {
		t.Errorf("awake: %+v, running %d", a.idle, source.running)
	}
}

func TestACommandIsNeverIdle(t *testing.T) {
	a, _ := testAgent(&disk{}, &fixedMembers{})
	a.run.RootPID = 7
	a.flush()
	a.idle.since = 1
	a.flush()
	if a.idle.active {
		t.Error("asleep")
	}
}

var errSource = errors.New("no reading")

type broken struct{ *kernel.JobCPU }

func (broken) Drain(counter.Sink) error { return errSource }

func TestSameErrorIsLoggedOnce(t *testing.T) {
	a, _ := testAgent(&disk{}, &fixedMembers{})
	logged := 0
	a.log = func(error) { logged++ }
	a.in.sources = []counter.Source{broken{a.in.cpu}}
	for range 5 {
		a.drain()
	}
	if logged != 1 {
		t.Errorf("logged %d times", logged)
	}
}
