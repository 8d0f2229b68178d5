package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"jobgait/agent/job"
)

const (
	// systemdLimit bounds systemd-run, which asks the manager over D-Bus: a
	// busy manager must not hold jobs.
	systemdLimit = 500 * time.Millisecond
	// systemdStart is how long the unit has to come up. An Epilog that came
	// before the agent wrote its pid would leave it running.
	systemdStart = 300 * time.Millisecond
)

// errLate is returned for a unit that was accepted and has not come up.
var errLate = errors.New("unit did not start in time")

// Systemd starts the program as a transient unit, so that it is accounted apart
// from slurmd and survives its restarts under any KillMode. No descriptor can
// be handed to a unit: the agent takes the lock itself and writes dir.PID(),
// which is waited for. On an error the caller may start it another way: of two
// agents the lock lets one run.
func Systemd(ctx context.Context, systemdRun, unit string, s Spec, dir job.RunDir) (job.Process, error) {
	ctx, cancel := context.WithTimeout(ctx, systemdLimit+systemdStart)
	defer cancel()
	args := []string{"--no-block", "--quiet", "--collect", "--unit=" + unit, "--description=jobgait agent",
		"--property=WorkingDirectory=/", "--property=KillMode=mixed"}
	for _, v := range s.Env {
		args = append(args, "--setenv="+v)
	}
	args = append(append(args, "--", s.Program), s.Args...)
	if err := call(ctx, systemdRun, args); err != nil {
		return job.Process{}, fmt.Errorf("start agent by systemd: %w", err)
	}
	for {
		if p, err := job.ReadProcess(dir.PID()); err == nil {
			return p, nil
		}
		select {
		case <-ctx.Done():
			return job.Process{}, fmt.Errorf("start agent by systemd: %w", errLate)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// call runs a command with no environment and its output kept for the error.
func call(ctx context.Context, program string, args []string) error {
	ctx, cancel := context.WithTimeout(ctx, systemdLimit)
	defer cancel()
	if err := job.CloseOnExec(); err != nil {
		return err
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Dir = []string{}, "/"
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 10 * time.Millisecond
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s took more than %v: %w", program, systemdLimit, os.ErrDeadlineExceeded)
	}
	return fmt.Errorf("%s: %w: %s", program, err, job.Clean(out.String(), 200))
}
