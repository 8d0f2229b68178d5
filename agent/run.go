package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/configs"
)

// options are the command line.
type options struct {
	dir    job.RunDir
	lockFD int
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	f := flag.NewFlagSet("jobgait-agent", flag.ContinueOnError)
	f.SetOutput(stderr)
	dir := f.String("run-dir", "", "run `directory` made by the Prolog")
	lock := f.Int("lock-fd", -1, "descriptor that holds the run's lock; without it the lock is taken here")
	if err := f.Parse(args); err != nil {
		return options{}, err
	}
	if *dir == "" || f.NArg() > 0 {
		f.Usage()
		return options{}, errors.New("--run-dir is needed, and nothing else")
	}
	return options{job.RunDir(*dir), *lock}, nil
}

// run is the program: 0 when the profile was sealed in order, 1 when not, 2 for
// a wrong command line.
func run(args []string, getenv func(string) string, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	if err != nil {
		return 2
	}
	log := func(err error) { fmt.Fprintf(stderr, "jobgait-agent: %v\n", err) }
	// One thread of Go code is enough, and disturbs the job least. A
	// descriptor for each event of each CPU is needed.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(200)
	if err := perf.RaiseFileLimit(1 << 14); err != nil {
		log(err)
	}
	stop := make(chan os.Signal, 4)
	signal.Notify(stop, unix.SIGTERM, unix.SIGINT)
	defer signal.Stop(stop)
	lock, err := takeLock(o)
	if err != nil {
		log(err)
		return 1
	}
	defer lock.Close()
	if err := sample(o.dir, settings(getenv, log), stop, log); err != nil {
		log(err)
		return 1
	}
	return 0
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
func settings(getenv func(string) string, log func(error)) configs.Agent {
	exe, err := os.Executable()
	if err != nil {
		log(err)
	}
	c, err := configs.Load(getenv, exe)
	if err != nil {
		log(fmt.Errorf("%w; using the defaults", err))
		c = configs.Default()
	}
	return c.Agent
}

// sample does the work between taking the lock and giving it back.
func sample(dir job.RunDir, c configs.Agent, stop <-chan os.Signal, log func(error)) error {
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
	in, err := openInputs(host{proc: "/proc", sys: "/sys", open: perf.Open}, r, c)
	if err != nil {
		return err
	}
	defer in.close()
	a := newAgent(r, in, log)
	a.dir = dir
	if err := a.begin(dir.Profile()); err != nil {
		return err
	}
	if err := os.WriteFile(dir.Ready(), nil, 0o600); err != nil {
		log(err) // whoever waits for it will go on without
	}
	return a.live(stop, time.Duration(c.MaxHours)*time.Hour)
}
