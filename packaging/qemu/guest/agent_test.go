package guest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// session is what the profile of one run of the agent says.
type session struct {
	Scope   string              `json:"scope"`
	Columns []profile.Column    `json:"columns"`
	Sources []run.CounterSource `json:"sources"`
	Notes   []note.Note         `json:"notes"`
	Totals  []run.Counter       `json:"totals"`
	Reason  string              `json:"reason"` // why it ended
	// IPC has the node's, slot by slot.
	IPC []float64 `json:"ipc,omitempty"`
	// SpanS is how long it sampled, UsedS the CPU time of the command by
	// its parent's account.
	SpanS float64 `json:"span_s"`
	UsedS float64 `json:"used_s"`
	Log   string  `json:"log"`
}

// runLimit is how long agent and command may take to start, and to end.
const runLimit = 20 * time.Second

// sampleTime is how long a command that does not end by itself is sampled.
const sampleTime = 600 * time.Millisecond

// setting is whose run is sampled, and how.
type setting struct {
	as   func() *syscall.SysProcAttr
	role string
	// ends is true for a command that ends by itself, which is waited for.
	ends bool
	// cgroup is the cgroup into which the command is put, as Slurm would on a shared node; "" is a command of
	// `jobgait run` on an exclusive node.
	cgroup string
	// during is what is done while a command that does not end by itself is
	// sampled; nil is nothing, for sampleTime.
	during func() error
}

func ourselves() *syscall.SysProcAttr { return nil }

// measureAgent runs the program on a CPU that is always busy.
func measureAgent() (any, error) { return sample(setting{as: ourselves, role: "spin"}) }

// measureUnplugged samples while a CPU goes and comes back.
func measureUnplugged() (any, error) {
	return sample(setting{as: ourselves, role: "doze", during: func() error {
		for _, to := range []string{"0", "1"} {
			jobtest.WorkloadPause(sampleTime)
			if err := os.WriteFile(cpuSwitch, []byte(to), 0); err != nil {
				return err
			}
		}
		jobtest.WorkloadPause(2 * sampleTime)
		return nil
	}})
}

// measureCommand samples a forking program of an ordinary user at Linux's
// default level, where only a user's own code is counted.
func measureCommand() (any, error) {
	restore, err := setParanoid(2)
	if err != nil {
		return nil, err
	}
	defer restore()
	s, err := sample(setting{as: ordinary, role: "family", ends: true})
	s.IPC = nil
	return s, err
}

// measureJob samples a job that shares the node with another process.
func measureJob() (any, error) {
	if err := errors.Join(enableCgroups(), os.MkdirAll(taskDir, 0o755)); err != nil {
		return nil, err
	}
	neighbour, err := startHeld(nil, "spin")
	if err != nil {
		return nil, err
	}
	defer neighbour.end()
	if err := neighbour.release(); err != nil {
		return nil, err
	}
	s, err := sample(setting{as: ourselves, role: "worker", ends: true, cgroup: taskDir})
	return s, errors.Join(err, removeJob())
}

// sample runs jobgait-agent on a command of the same user.
func sample(o setting) (*session, error) {
	s := &session{}
	command, err := startHeld(o.as(), o.role)
	if err != nil {
		return s, err
	}
	defer command.end()
	if o.cgroup != "" {
		if err := moveTo(o.cgroup, command.Process.Pid); err != nil {
			return s, err
		}
	}
	dir, err := runDirectory(command.Process.Pid, o)
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(string(dir))
	agent := exec.Command("/jobgait-agent", "--run-dir", string(dir))
	agent.SysProcAttr, agent.Env = o.as(), []string{}
	log, err := os.Create(dir.AgentLogPath())
	if err != nil {
		return s, err
	}
	defer log.Close()
	agent.Stdout, agent.Stderr = log, log
	if err := agent.Start(); err != nil {
		return s, err
	}
	err = s.follow(agent, command, dir, o)
	if text, lerr := os.ReadFile(dir.AgentLogPath()); lerr == nil {
		s.Log = string(text)
	}
	if err != nil {
		return s, fmt.Errorf("%w: %s", err, s.Log)
	}
	return s, s.read(dir)
}

// follow releases the command when the agent is ready, and ends the agent afterwards.
func (s *session) follow(agent *exec.Cmd, command *started, dir job.RunDir, o setting) error {
	defer agent.Process.Kill()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(dir.ReadyPath()); err == nil {
			break
		}
		if time.Since(began) > runLimit {
			return fmt.Errorf("the agent was not ready in %v", runLimit)
		}
	}
	if err := command.release(); err != nil {
		return err
	}
	switch {
	case o.ends:
		if err := command.Wait(); err != nil {
			return err
		}
		s.UsedS = float64(command.usedNS()) / 1e9
	case o.during != nil:
		if err := o.during(); err != nil {
			return err
		}
	default:
		jobtest.WorkloadPause(sampleTime)
	}
	if err := agent.Process.Signal(unix.SIGTERM); err != nil {
		return err
	}
	return agent.Wait()
}

// runDirectory is what the Prolog would have made.
func runDirectory(pid int, o setting) (job.RunDir, error) {
	path, err := os.MkdirTemp("", "run")
	if err != nil {
		return "", err
	}
	dir := job.RunDir(path)
	uid := 0
	if as := o.as(); as != nil {
		uid = int(as.Credential.Uid)
	}
	r := job.Run{Key: run.Key{Cluster: "local:guest", JobID: 1}, Node: "guest", Exclusive: true, RootPID: pid,
		Job: run.Job{UID: uid}}
	if o.cgroup != "" {
		r.Key.JobID, r.Exclusive, r.RootPID = jobID, false, 0
	}
	r.StartReal, r.StartMono = job.Clock()
	if err := dir.WriteRun(r); err != nil {
		return dir, err
	}
	return dir, errors.Join(os.Chown(path, uid, uid), os.Chown(dir.EnvPath(), uid, uid))
}

// read reads the checked values from the profile.
func (s *session) read(dir job.RunDir) error {
	l, err := profile.Load(dir.ProfilePath())
	if err != nil {
		return err
	}
	s.Scope, s.Columns, s.Sources, s.Totals = l.Header.Scope, l.Header.Columns, l.Header.Sources, l.Totals
	s.Notes, s.SpanS = l.Header.Notes, l.EndS()-l.Set.StartS
	if l.Footer != nil {
		s.Reason = l.Footer.Reason
		s.Notes = append(s.Notes, l.Footer.Notes...)
	}
	for _, c := range l.Set.Columns {
		if c.Name != "ipc" || c.Scope != series.NodeScope {
			continue
		}
		for _, v := range c.Values {
			if v == v { // not missing
				s.IPC = append(s.IPC, float64(v))
			}
		}
	}
	return nil
}
