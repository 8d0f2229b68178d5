package finish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/summary"
)

// scontrolLimit bounds the one question to the scheduler.
const scontrolLimit = 2 * time.Second

// ask completes the summary with what only the scheduler knows: name, array,
// expanded output path, start time, and whether a signal ended the job. One
// call per job, made by the node that collects; without an answer the summary
// stays as it is.
func (f Finisher) ask(ctx context.Context, run job.Run, s summary.Summary) summary.Summary {
	d, err := f.scontrol(ctx, s.Key.JobID)
	if err != nil {
		f.Log("%v", err)
		return s
	}
	run.Job = s.Job
	s.Job = d.Complete(run).WithFields(map[string]string{summary.FieldSlurmVersion: f.slurmVersion(ctx)})
	if d.Exit != nil && *d.Exit != (summary.Exit{}) { // 0:0 is also said of a requeued run
		s.Exit = summary.WorseExit(s.Exit, d.Exit)
	}
	return s
}

// errUnknownJob is scontrol's answer for a job that it has forgotten.
var errUnknownJob = errors.New("the scheduler does not know the job")

// finalStates are those that no job leaves. COMPLETING is not among them: its
// Epilogs are running.
var finalStates = map[string]bool{
	"BOOT_FAIL": true, "CANCELLED": true, "COMPLETED": true, "DEADLINE": true, "FAILED": true,
	"NODE_FAIL": true, "OUT_OF_MEMORY": true, "PREEMPTED": true, "TIMEOUT": true,
}

// scontrol runs `scontrol show job`, by absolute path, with a limit. "" in the
// configuration switches it off and gives no details.
func (f Finisher) scontrol(ctx context.Context, id int64) (job.Details, error) {
	if f.Config.Slurm.Scontrol == "" {
		return job.Details{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, scontrolLimit)
	defer cancel()
	cmd := f.scontrolCommand(ctx, "show", "job", "-o", strconv.FormatInt(id, 10))
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if bytes.Contains(complaint.Bytes(), []byte("Invalid job id")) {
		return job.Details{}, errUnknownJob
	}
	if err != nil {
		return job.Details{}, fmt.Errorf("ask scontrol: %w: %.200s", err, bytes.TrimSpace(complaint.Bytes()))
	}
	return job.FromScontrol(out, id), nil
}

func (f Finisher) scontrolCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, f.Config.Slurm.Scontrol, args...)
	cmd.Env = []string{"LC_ALL=C"}
	if f.SlurmConf != "" {
		cmd.Env = append(cmd.Env, "SLURM_CONF="+f.SlurmConf)
	}
	// A site's wrapper has children: all of them go when the time is over.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = scontrolLimit / 4
	return cmd
}

// slurmVersion is what scontrol says of itself ("slurm-wlm 22.05.8"), which
// asks no daemon; "" where it says nothing.
func (f Finisher) slurmVersion(ctx context.Context) string {
	if f.Config.Slurm.Scontrol == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, scontrolLimit/4)
	defer cancel()
	out, err := f.scontrolCommand(ctx, "--version").Output()
	if err != nil {
		return ""
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return job.Clean(string(line), 64)
}
