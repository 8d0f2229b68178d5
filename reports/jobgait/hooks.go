package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
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

// hooks calls the Prolog and the Epilog as a scheduler does, with an environment made for them.
type hooks struct {
	bin       string // directory of the programs
	getenv    func(string) string
	complain  io.Writer // nil until complainTo: complaints wait in lines
	lines     []string
	said      map[string]bool // complaints already printed: each is printed once
	started   time.Time
	reportDir string
	key       run.Key
	node      string
	spool     string
	env       []string
}

// newHooks returns the hooks of the installation in directory bin.
func newHooks(bin string, getenv func(string) string) *hooks {
	return &hooks{bin: bin, getenv: getenv, said: map[string]bool{}, started: time.Now()}
}

// complainTo prints the complaints so far to w, and all later ones.
func (h *hooks) complainTo(w io.Writer) {
	h.complain = w
	for _, line := range h.lines {
		fmt.Fprintf(w, "jobgait: %s\n", line)
	}
	h.lines = nil
}

// prepare gives the run its number and makes the hooks' environment. The error says why the run cannot be
// watched.
func (h *hooks) prepare(o runOptions, args []string, pid int) error {
	h.getenv = configs.WithOneMachine(h.getenv)
	cfg, err := configs.Load(h.getenv, filepath.Join(h.bin, "jobgait"))
	if err != nil {
		return err
	}
	if cfg.Unknown != "" {
		h.say(cfg.Unknown + ": ignored, all other settings apply: correct the file")
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	h.reportDir = dir
	if o.dir != "" {
		if h.reportDir, err = filepath.Abs(o.dir); err != nil {
			return fmt.Errorf("find the directory %s for the report: %w", o.dir, err)
		}
		if err := unix.Access(filepath.Join(h.reportDir, "."), unix.W_OK|unix.X_OK); err != nil {
			h.say(fmt.Sprintf("-o %s: %v: the report will be kept in the spool, `jobgait show --last` prints it", h.reportDir,
				err))
		}
	}
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("find the name of this machine: %w", err)
	}
	h.node, h.spool = host, cfg.Spool.Dir
	if err := job.MakeNodeDir(h.spool, host); err != nil {
		return err
	}
	if h.key, err = h.identify(host); err != nil {
		return err
	}
	for _, label := range o.labels {
		if !isUsableLabel(label) {
			h.say(fmt.Sprintf("--label %s is not recorded: NAME=VALUE is wanted, without a comma", label))
		}
	}
	return h.setEnvironment(o, args, dir, pid)
}

// isUsableLabel reports whether a label has the form NAME=VALUE and no comma: schedulers' --jobgait takes
// several labels separated by commas.
func isUsableLabel(label string) bool {
	return strings.Index(label, "=") > 0 && !strings.Contains(label, ",")
}

// identify returns the run's key: inside a batch job the job's id and the number of this run in it, else the
// next number of this machine.
func (h *hooks) identify(host string) (run.Key, error) {
	if key, inside := scheduler.CurrentJob(h.getenv); inside {
		n, err := nextRunNumber(filepath.Join(h.spool, "sub-"+key.String()))
		key.Sub = int(n)
		return key, err
	}
	n, err := nextRunNumber(filepath.Join(h.spool, "next-"+host))
	return run.Key{Cluster: run.LocalCluster + host, JobID: run.JobID(n)}, err
}

// nextRunNumber increments the number in a file and returns it, from 1; runs that start at the same time get
// different numbers. It returns an error if the result is not positive, because it may become a job id.
func nextRunNumber(path string) (int64, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return 0, fmt.Errorf("number this run: %w", err)
	}
	defer func() { _ = f.Close() }()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil { // its holder counts and lets go
		return 0, fmt.Errorf("number this run: lock %s: %w", path, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, 64))
	if err != nil {
		return 0, fmt.Errorf("number this run: %w", err)
	}
	n := int64(0)
	if s := strings.TrimSpace(string(text)); s != "" {
		if n, err = strconv.ParseInt(s, 10, 64); err != nil {
			return 0, fmt.Errorf("number this run: %s holds %.20q, not a number: remove it to start again", path, s)
		}
	}
	if n < 0 || n == math.MaxInt64 {
		return 0, fmt.Errorf("number this run: no run can follow number %d in %s: remove it to start again", n, path)
	}
	n++
	if _, err := f.WriteAt([]byte(strconv.FormatInt(n, 10)+"\n"), 0); err != nil {
		return 0, fmt.Errorf("number this run: %w", err)
	}
	return n, nil
}

// setEnvironment makes the hooks' environment from the flags o, the command args, its directory dir and the id pid of
// its process.
func (h *hooks) setEnvironment(o runOptions, args []string, dir string, pid int) error {
	cpus := runtime.NumCPU()
	name, interpreted := job.StartedProgram(args)
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
			Fields: job.RecordedFields(o.commit, h.getenv("LOADEDMODULES"),
				slices.DeleteFunc(slices.Clone(o.labels), func(l string) bool { return !isUsableLabel(l) })),
		}.WithFields(map[string]string{run.FieldThreads: job.ParseThreads(h.getenv(job.ThreadsVariable)),
			run.FieldArguments: job.ArgumentsFingerprint(args, job.ArgumentsContext{Cluster: h.key.Cluster, UID: os.Getuid(),
				JobID: h.key.JobID.String(), Node: h.node, WorkDir: dir, PID: os.Getppid()})}),
	})
	h.env = append(env, configs.Environment(h.getenv)...)
	return err
}

// addressLimit returns how many bytes COMMAND may map, nil for no limit.
func addressLimit() *float64 {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &l); err != nil || l.Cur == 0 || l.Cur >= 1<<60 {
		return nil
	}
	bytes := float64(l.Cur)
	return &bytes
}

// userName returns the user's name, or the user's number where the name service does not answer.
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
}

// prolog calls the Prolog, and reports whether it may have started an agent.
func (h *hooks) prolog(ctx context.Context) bool {
	return h.call(ctx, "jobgait-prolog", hookLimit, nil)
}

// epilog calls the Epilog, and reports whether it succeeded; a signal ends the waiting, not the Epilog.
func (h *hooks) epilog(ctx context.Context, ended syscall.WaitStatus, signals <-chan os.Signal) bool {
	h.env = append(h.env, local.WaitStatusVariable(ended))
	return h.call(ctx, "jobgait-epilog", epilogLimit, signals)
}

// Time limits for the hooks. The hooks limit themselves; these apply if that fails.
const (
	hookLimit   = 3 * time.Second
	epilogLimit = time.Minute
)

// call runs a hook in a new session, so that a terminal's signals do not end it, and prints its complaints, one
// line each. It reports whether the hook ended without an error within limit and before a signal.
func (h *hooks) call(ctx context.Context, program string, limit time.Duration, signals <-chan os.Signal) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.Command(filepath.Join(h.bin, program), scheduler.Local)
	cmd.Env, cmd.Dir = h.env, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	cmd.WaitDelay = 100 * time.Millisecond
	began := time.Now()
	if err := cmd.Start(); err != nil {
		h.say(fmt.Sprintf("cannot start %s: %v: the report will be missing or incomplete: install jobgait again", cmd.Path,
			job.Cause(err)))
		return false
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		h.sayAll(complaint.String())
		return err == nil
	case <-ctx.Done():
		// say removes a name that begins the line, with all before the first colon.
		h.say(fmt.Sprintf("the report may be missing or late, because %s did not end within %v: `jobgait show --last` "+
			"prints it once it is stored", program, time.Since(began).Round(time.Second/10)))
	case <-signals:
	}
	return false
}

// sayAll prints each line of a hook's output.
func (h *hooks) sayAll(text string) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if line != "" {
			h.say(line)
		}
	}
}

// say prints a complaint once, without the name of the hook that begins it: Prolog and Epilog often have the same one.
// Until complainTo is called it keeps the complaints.
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

// awaitReady waits until the agent samples, the agent has ended or ctx ends.
func (h *hooks) awaitReady(ctx context.Context) {
	dir := job.Dir(h.spool, h.node, h.key)
	for {
		if _, err := os.Stat(dir.ReadyPath()); err == nil {
			return
		}
		if p, err := job.ReadProcess(dir.PIDPath()); err != nil || !p.Alive() {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// summary returns a summary with only the fields that name its report.
func (h *hooks) summary() summary.Summary { return summary.Summary{Key: h.key} }
