package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/agent/unit"
	"jobgait/analysis/note"
	"jobgait/configs"
)

// memoryBytes is the soft memory limit of the Go runtime, above which it collects more often. The agent needs 7
// MB (measured), on a node of 128 CPUs some 30 MB.
const memoryBytes = 256 << 20

// limitRuntime limits the Go runtime to one running thread, which disturbs the job least, and to memoryBytes.
func limitRuntime() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(memoryBytes)
}

// runSampling samples a run: it takes the run's lock, loads the settings and samples until a signal or the end.
func runSampling(o options, getenv func(string) string, log func(error)) error {
	limitRuntime()
	// A descriptor for each event of each CPU is needed.
	if err := perf.RaiseFileLimit(1 << 14); err != nil {
		log(err)
	}
	if err := as.CloseOnExec(); err != nil { // descriptors that the parent left open
		log(err)
	}
	stop := make(chan os.Signal, 4)
	signal.Notify(stop, unix.SIGTERM, unix.SIGINT)
	defer signal.Stop(stop)
	lock, err := takeLock(o)
	if err != nil {
		return notSampled(err)
	}
	defer lock.Close()
	return sampleRun(o.dir, loadSettings(getenv, log), stop, log)
}

// notSampled adds to an error before the first sample what follows from it.
func notSampled(err error) error { return fmt.Errorf("the run is not sampled: %w", err) }

// takeLock returns the run's lock, held as long as the file is open: the Prolog's, passed as a descriptor, or
// one taken here.
func takeLock(o options) (*os.File, error) {
	if o.lockFD < 0 {
		return o.dir.TryLock()
	}
	if _, err := unix.FcntlInt(uintptr(o.lockFD), unix.F_SETFD, unix.FD_CLOEXEC); err != nil {
		return nil, fmt.Errorf("use file descriptor %d of --lock-fd, the run's lock: %w", o.lockFD, err)
	}
	return os.NewFile(uintptr(o.lockFD), o.dir.LockPath()), nil
}

// loadSettings loads the settings file. It logs errors and then uses the defaults, because a job that has begun
// is sampled even while the file is being edited.
func loadSettings(getenv func(string) string, log func(error)) configs.Config {
	exe, err := os.Executable()
	if err != nil {
		log(fmt.Errorf("find the path of this program: %w: it may miss the settings file of its installation", err))
	}
	c, err := configs.Load(getenv, exe)
	if err != nil {
		log(fmt.Errorf("%w: this run is sampled with the default settings", err))
		c = configs.Default()
	} else if c.Unknown != "" {
		log(fmt.Errorf("%s: ignored, all other settings apply: correct the file", c.Unknown))
	}
	return c
}

// sampleRun samples the run of a directory whose lock is held: it opens the inputs, creates the profile,
// reports that it is ready, asks systemd for a scope of its own if the settings want that, and runs the loop.
// If this process cannot leave the job's cgroup, it only writes a profile without samples.
func sampleRun(dir job.RunDir, c configs.Config, stop <-chan os.Signal, log func(error)) error {
	r, err := dir.ReadRun()
	if err != nil {
		return notSampled(err)
	}
	self, err := job.Self()
	if err != nil {
		return notSampled(err)
	}
	if err := self.WriteProcess(dir.PIDPath()); err != nil {
		return notSampled(err)
	}
	program, err := os.Executable()
	if err != nil {
		return notSampled(fmt.Errorf("find the path of this program: %w", err))
	}
	h := host{proc: "/proc", sys: "/sys", dev: "/dev", program: program, open: perf.Open, systemd: unit.SystemManager()}
	if left, notes := leaveJobCgroup(h.proc, r, log); !left {
		return writeDeclined(dir, r, notes)
	}
	in, err := openInputs(h, r, c.Agent, assumedPrices(h))
	if err != nil {
		return notSampled(err)
	}
	defer in.close()
	a := newAgent(r, in, log)
	a.dir, a.self = dir, self
	a.onStall = newOnStall(c.Live, r, program)
	a.enableNaming(h.program, c.Agent)
	a.atStall.read, a.atStall.afterS = stacksReader(h.program, r, c.Agent), stallConfirmation(r.Job.NNodes, c.Agent)
	a.atStall.otherNodes = r.Job.NNodes > 1
	if err := a.begin(dir.ProfilePath(), c.Agent); err != nil {
		return notSampled(err)
	}
	if err := dir.Mark(filepath.Base(dir.ReadyPath())); err != nil {
		log(fmt.Errorf("create the file that reports the start of sampling: %w: sampling goes on", err))
	}
	requestScope(h.systemd, r, c.Agent, log)
	go func() { _ = dir.SyncRun() }() // a failing disk is reported when the profile is synced
	return a.runLoop(stop, time.Duration(c.Agent.MaxHours)*time.Hour)
}

// writeDeclined writes a profile without samples whose notes say why the agent did not sample.
func writeDeclined(dir job.RunDir, r job.Run, notes []note.Note) error {
	in := &inputs{stepNS: 5e6, absentSources: absentSources{notes: notes}, cpus: runtime.NumCPU(),
		model: kernel.CPUModel("/proc")}
	a := newAgent(r, in, func(error) {})
	h := in.header(r)
	h.BaseNS, h.RunNS, h.RunReal = rawcall.Now(), int64(r.StartMono*1e9), r.StartReal
	w, err := profile.Create(dir.ProfilePath(), h)
	if err != nil {
		return notSampled(err)
	}
	a.writer = w
	_ = dir.Mark(filepath.Base(dir.ReadyPath()))
	return a.seal("declined")
}
