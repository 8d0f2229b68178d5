package main

import (
	"fmt"
	"os"
	"os/signal"
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

// memoryBytes is when the collector works harder rather than let the heap grow:
// the agent needs 7 MB (measured), a node of 128 CPUs some 30.
const memoryBytes = 256 << 20

// frugal is how the agent uses Go: one thread of its code is enough, and disturbs the job
// least.
func frugal() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(memoryBytes)
}

// attend samples a run from its lock to its seal.
func attend(o options, getenv func(string) string, log func(error)) error {
	frugal()
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
		return err
	}
	defer lock.Close()
	return sample(o.dir, settings(getenv, log), stop, log)
}

// takeLock holds the run's lock for the life of the process: that of the
// Prolog, handed over as a descriptor, or our own.
func takeLock(o options) (*os.File, error) {
	if o.lockFD < 0 {
		return o.dir.TryLock()
	}
	if _, err := unix.FcntlInt(uintptr(o.lockFD), unix.F_SETFD, unix.FD_CLOEXEC); err != nil {
		return nil, fmt.Errorf("descriptor %d of the lock: %w", o.lockFD, err)
	}
	return os.NewFile(uintptr(o.lockFD), o.dir.Lock()), nil
}

// settings falls back to the defaults: a job that has begun is sampled even if
// somebody is just editing the file.
func settings(getenv func(string) string, log func(error)) configs.Config {
	exe, err := os.Executable()
	if err != nil {
		log(err)
	}
	c, err := configs.Load(getenv, exe)
	if err != nil {
		log(fmt.Errorf("%w; using the defaults", err))
		c = configs.Default()
	} else if c.Unknown != "" {
		log(fmt.Errorf("%s: the other settings hold", c.Unknown))
	}
	return c
}

// sample does the work between taking the lock and giving it back.
func sample(dir job.RunDir, c configs.Config, stop <-chan os.Signal, log func(error)) error {
	r, err := dir.ReadRun()
	if err != nil {
		return err
	}
	self, err := job.Self()
	if err != nil {
		return err
	}
	if err := self.WriteProcess(dir.PID()); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	h := host{proc: "/proc", sys: "/sys", dev: "/dev", program: program, open: perf.Open, systemd: unit.System()}
	if left, notes := leaveJob(h.proc, r, log); !left {
		return decline(dir, r, notes)
	}
	in, err := openInputs(h, r, c.Agent, nodePrices(h))
	if err != nil {
		return err
	}
	defer in.close()
	a := newAgent(r, in, log)
	a.dir, a.self = dir, self
	a.onStall = newOnStall(c.Live, r, program)
	a.nameCode(h.program, c.Agent)
	a.atStall.read = stacksReader(h.program, r, c.Agent)
	if err := a.begin(dir.Profile(), c.Agent); err != nil {
		return err
	}
	if err := os.WriteFile(dir.Ready(), nil, 0o600); err != nil {
		log(err) // callers continue without it
	}
	ownUnit(h.systemd, r, c.Agent, log)
	go func() { _ = dir.KeepRun() }() // a failing disk is reported when the profile is synced
	return a.live(stop, time.Duration(c.Agent.MaxHours)*time.Hour)
}

// decline leaves a profile that says why there are no samples.
func decline(dir job.RunDir, r job.Run, notes []note.Note) error {
	in := &inputs{stepNS: 5e6, notes: notes, cpus: runtime.NumCPU(), model: kernel.CPUModel("/proc")}
	a := newAgent(r, in, func(error) {})
	h := in.header(r)
	h.BaseNS, h.RunNS, h.RunReal = rawcall.Now(), int64(r.StartMono*1e9), r.StartReal
	w, err := profile.Create(dir.Profile(), h)
	if err != nil {
		return err
	}
	a.writer = w
	_ = os.WriteFile(dir.Ready(), nil, 0o600)
	return a.seal("declined")
}
