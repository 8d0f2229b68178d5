package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/agent/job/local"
	"jobgait/agent/job/scheduler"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/configs"
)

// hooks calls Prolog and Epilog as a scheduler does, with an environment of their own.
type hooks struct {
	bin       string // directory of the programs
	getenv    func(string) string
	complain  io.Writer // nil until somebody listens: complaints wait in lines
	lines     []string
	said      map[string]bool // each complaint is passed on once
	started   time.Time
	reportDir string
	key       run.Key
	node      string
	spool     string
	env       []string
}

func newHooks(bin string, getenv func(string) string) *hooks {
	return &hooks{bin: bin, getenv: getenv, said: map[string]bool{}, started: time.Now()}
}

// complainTo passes on what was complained of so far and will be.
func (h *hooks) complainTo(w io.Writer) {
	h.complain = w
	for _, line := range h.lines {
		fmt.Fprintf(w, "jobgait: %s\n", line)
	}
	h.lines = nil
}

// prepare counts the run and makes the hooks' environment. An error says why
// the run cannot be watched.
func (h *hooks) prepare(o runOptions, args []string, pid int) error {
	h.getenv = configs.OneMachine(h.getenv)
	cfg, err := configs.Load(h.getenv, filepath.Join(h.bin, "jobgait"))
	if err != nil {
		return err
	}
	if cfg.Unknown != "" {
		h.say(cfg.Unknown + ": the other settings hold")
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	h.reportDir = dir
	if o.dir != "" {
		if h.reportDir, err = filepath.Abs(o.dir); err != nil {
			return fmt.Errorf("directory for the report: %w", err)
		}
		if err := unix.Access(filepath.Join(h.reportDir, "."), unix.W_OK|unix.X_OK); err != nil {
			h.say(fmt.Sprintf("-o %s: %v: the report will be kept in the spool, `jobgait show --last` prints it", h.reportDir,
				err))
		}
	}
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("name of this machine: %w", err)
	}
	h.node, h.spool = host, cfg.Spool.Dir
	if err := job.MakeNodeDir(h.spool, host); err != nil {
		return err
	}
	if h.key, err = h.identify(host); err != nil {
		return err
	}
	for _, label := range o.labels {
		if !usable(label) {
			h.say(fmt.Sprintf("--label %s is not recorded: NAME=VALUE is wanted, without a comma", label))
		}
	}
	return h.tell(o, args, dir, pid)
}

// usable is whether a label is NAME=VALUE, as --jobgait of a scheduler takes it: there
// several stand with commas in between.
func usable(label string) bool {
	return strings.Index(label, "=") > 0 && !strings.Contains(label, ",")
}

// identify gives the run its key: inside a batch job that job's id and the
// number of this run in it, else the next number of this machine.
func (h *hooks) identify(host string) (run.Key, error) {
	if key, inside := scheduler.Within(h.getenv); inside {
		n, err := next(filepath.Join(h.spool, "sub-"+key.String()))
		key.Sub = int(n)
		return key, err
	}
	n, err := next(filepath.Join(h.spool, "next-"+host))
	return run.Key{Cluster: run.LocalCluster + host, JobID: run.JobID(n)}, err
}

// next counts runs in a file, from 1; runs that start at once get different
// numbers.
func next(path string) (int64, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return 0, fmt.Errorf("count runs: %w", err)
	}
	defer func() { _ = f.Close() }()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil { // its holder counts and lets go
		return 0, fmt.Errorf("count runs: lock %s: %w", path, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, 64))
	if err != nil {
		return 0, fmt.Errorf("count runs: %w", err)
	}
	n := int64(0)
	if s := strings.TrimSpace(string(text)); s != "" {
		if n, err = strconv.ParseInt(s, 10, 64); err != nil {
			return 0, fmt.Errorf("count runs: %s holds %.20q, not a number: remove it to start again", path, s)
		}
	}
	n++
	if _, err := f.WriteAt([]byte(strconv.FormatInt(n, 10)+"\n"), 0); err != nil {
		return 0, fmt.Errorf("count runs: %w", err)
	}
	return n, nil
}

// tell makes all that the hooks' environment holds.
func (h *hooks) tell(o runOptions, args []string, dir string, pid int) error {
	cpus := runtime.NumCPU()
	name, interpreted := job.Started(args)
	script := ""
	if interpreted {
		script = name
	}
	env, err := local.Environ(job.Run{
		Key: h.key, Node: h.node, RootPID: pid, ReportDir: h.reportDir, Names: run.DisclosureLevel(o.names),
		Job: run.Job{
			Name: cmp.Or(o.name, name, filepath.Base(args[0])), Script: script, User: userName(), UID: os.Getuid(),
			GID:    os.Getgid(),
			NNodes: 1, NodeList: h.node, NCPUs: &cpus, WorkDir: dir, App: o.app, Size: o.size,
			AddressBytes: addressLimit(),
			Fields: job.Fields(o.commit, h.getenv("LOADEDMODULES"),
				slices.DeleteFunc(slices.Clone(o.labels), func(l string) bool { return !usable(l) })),
		}.WithFields(map[string]string{run.FieldThreads: job.Threads(h.getenv(job.ThreadsVariable)),
			run.FieldArguments: job.ArgumentsFingerprint(args, job.ArgumentsContext{Cluster: h.key.Cluster, UID: os.Getuid(),
				JobID: h.key.JobID.String(), Node: h.node, WorkDir: dir, PID: os.Getppid()})}),
	})
	h.env = append(env, configs.Environment(h.getenv)...)
	return err
}

// addressLimit is how many bytes COMMAND may map, nil for no limit.
func addressLimit() *float64 {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &l); err != nil || l.Cur == 0 || l.Cur >= 1<<60 {
		return nil
	}
	bytes := float64(l.Cur)
	return &bytes
}

// userName is the user's name, or the number where the name service is silent.
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
}

// prolog calls the Prolog, and says whether it may have started an agent.
func (h *hooks) prolog(ctx context.Context) bool {
	return h.call(ctx, "jobgait-prolog", hookLimit, nil)
}

// epilog calls the Epilog, and returns whether it ended; a signal makes us stop
// waiting, not it.
func (h *hooks) epilog(ctx context.Context, ended syscall.WaitStatus, signals <-chan os.Signal) bool {
	h.env = append(h.env, local.Ended(ended))
	return h.call(ctx, "jobgait-epilog", epilogLimit, signals)
}

// The hooks bound themselves; these hold if even that fails.
const (
	hookLimit   = 3 * time.Second
	epilogLimit = time.Minute
)

// call runs a hook in a session of its own, so that a terminal's signals do not
// end it, and passes its complaints on, one line each, once.
func (h *hooks) call(ctx context.Context, program string, limit time.Duration, signals <-chan os.Signal) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.Command(filepath.Join(h.bin, program), scheduler.Local)
	cmd.Env, cmd.Dir = h.env, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	cmd.WaitDelay = 100 * time.Millisecond
	if err := cmd.Start(); err != nil {
		h.say(fmt.Sprintf("cannot start %s: %v", cmd.Path, job.Cause(err)))
		return false
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		h.sayAll(complaint.String())
		return err == nil
	case <-ctx.Done():
		h.say(program + " did not end in time")
	case <-signals:
	}
	return false
}

func (h *hooks) sayAll(text string) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if line != "" {
			h.say(line)
		}
	}
}

// say passes a complaint on, once: Prolog and Epilog stumble over the same
// stone.
func (h *hooks) say(line string) {
	_, text, ok := strings.Cut(line, ": ")
	if !ok || !strings.HasPrefix(line, "jobgait-") {
		text = line
	}
	if h.said[text] {
		return
	}
	h.said[text] = true
	if h.complain == nil {
		h.lines = append(h.lines, text)
		return
	}
	fmt.Fprintf(h.complain, "jobgait: %s\n", text)
}

// awaitReady waits until the agent samples or ctx ends, and not at all once the
// agent is gone.
func (h *hooks) awaitReady(ctx context.Context) {
	dir := job.Dir(h.spool, h.node, h.key)
	for {
		if _, err := os.Stat(dir.Ready()); err == nil {
			return
		}
		if p, err := job.ReadProcess(dir.PID()); err != nil || !p.Alive() {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// summary is the little of a summary that names its report.
func (h *hooks) summary() summary.Summary { return summary.Summary{Key: h.key} }
