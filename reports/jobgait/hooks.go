package main

import (
	"bytes"
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
	"jobgait/analysis/summary"
	"jobgait/configs"
)

// hooks calls Prolog and Epilog as Slurm does, with an environment of their own
// that says what Slurm would say.
type hooks struct {
	bin       string // directory of the programs
	getenv    func(string) string
	complain  io.Writer // nil until somebody listens: complaints wait in lines
	lines     []string
	said      map[string]bool // each complaint is passed on once
	started   time.Time
	reportDir string
	key       summary.RunKey
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
	h.getenv = oneMachine(h.getenv)
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
			h.say(fmt.Sprintf("-o %s: %v: the report will be kept in the spool, `jobgait show` prints it", h.reportDir, err))
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
	h.env = h.hookEnv(o, args, dir, pid)
	return nil
}

// usable is whether a label is NAME=VALUE; several are passed on with commas in
// between.
func usable(label string) bool {
	return strings.Index(label, "=") > 0 && !strings.Contains(label, ",")
}

// oneMachine is the environment with the switch that tells every program of
// ours to use the user's own directories.
func oneMachine(getenv func(string) string) func(string) string {
	return func(name string) string {
		if name == "JOBGAIT_ONE_MACHINE" {
			return "1"
		}
		return getenv(name)
	}
}

// identify gives the run its key: inside a batch job that job's id and the
// number of this run in it, else the next number of this machine.
func (h *hooks) identify(host string) (summary.RunKey, error) {
	if id, err := summary.ParseJobID(h.getenv("SLURM_JOB_ID")); err == nil {
		restart, _ := strconv.Atoi(h.getenv("SLURM_RESTART_COUNT"))
		key := summary.RunKey{Cluster: h.getenv("SLURM_CLUSTER_NAME"), JobID: id, Restart: restart}
		n, err := next(filepath.Join(h.spool, "sub-"+key.String()))
		key.Sub = int(n)
		return key, err
	}
	n, err := next(filepath.Join(h.spool, "next-"+host))
	return summary.RunKey{Cluster: "local:" + host, JobID: summary.JobID(n)}, err
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

// hookEnv is all that the hooks' environment holds.
func (h *hooks) hookEnv(o runOptions, args []string, dir string, pid int) []string {
	name := o.name
	if name == "" {
		name = filepath.Base(args[0])
	}
	env := []string{
		"SLURM_JOB_ID=" + h.key.JobID.String(),
		"SLURM_CLUSTER_NAME=" + h.key.Cluster,
		"SLURM_JOB_RESTART_COUNT=" + strconv.Itoa(h.key.Restart),
		"SLURM_JOB_UID=" + strconv.Itoa(os.Getuid()),
		"SLURM_JOB_GID=" + strconv.Itoa(os.Getgid()),
		"SLURM_JOB_USER=" + userName(),
		"SLURM_NODELIST=" + h.node,
		"SLURMD_NODENAME=" + h.node,
		"SLURM_JOB_NUM_NODES=1",
		"SLURM_JOB_CPUS_PER_NODE=" + strconv.Itoa(runtime.NumCPU()),
		"SLURM_JOB_WORK_DIR=" + dir,
		"JOBGAIT_ROOT_PID=" + strconv.Itoa(pid),
		"JOBGAIT_REPORT_DIR=" + h.reportDir,
		"JOBGAIT_JOB_NAME=" + name,
		"JOBGAIT_APP=" + o.app,
		"JOBGAIT_SIZE=" + o.size,
		"JOBGAIT_COMMIT=" + o.commit,
		"JOBGAIT_LABELS=" + strings.Join(slices.DeleteFunc(slices.Clone(o.labels), func(l string) bool { return !usable(l) }), ","),
		"JOBGAIT_MODULES=" + h.getenv("LOADEDMODULES"),
		"JOBGAIT_SUB=" + strconv.Itoa(h.key.Sub),
	}
	return append(env, configs.Environment(h.getenv)...)
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
	h.env = append(h.env, "SLURM_JOB_EXIT_CODE="+strconv.FormatUint(uint64(ended), 10))
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
	cmd := exec.Command(filepath.Join(h.bin, program))
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
