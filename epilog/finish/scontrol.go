package finish

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// scontrolLimit bounds a question to the scheduler, patientLimit the one after it: a
// controller that starts a thousand jobs at once answers late, and the worker has
// the time. What it did not say then is asked once more when the job is over.
const (
	scontrolLimit = 2 * time.Second
	patientLimit  = 8 * time.Second
)

// ask completes the summary with what only the scheduler knows: name, array,
// expanded output path, start time, and how the job ended. It is asked once per
// job, by the node that collects. Without an answer an exit code 0 of the hook's
// is no success: it is the same for a job that was cancelled.
func (f Finisher) ask(ctx context.Context, run job.Run, s summary.Summary) summary.Summary {
	if run.RootPID != 0 { // `jobgait run` saw the end of its command itself
		return s
	}
	d, err := f.scontrol(ctx, s.Key.JobID, scontrolLimit)
	if err != nil && !errors.Is(err, errUnknownJob) {
		f.Log("%v", err)
		d, err = f.scontrol(ctx, s.Key.JobID, patientLimit)
	}
	if err == nil && d.UID != nil && *d.UID != run.Job.UID {
		err = errUnknownJob // a late sweep: the id is another job's by now
	}
	if err != nil || d == (job.Details{}) {
		return f.unanswered(s, err)
	}
	if ofLaterRun(d, run, s) {
		d.Start, d.State, d.Exit = nil, "", nil
		if s.Exit != nil { // no Epilog was told of a requeue
			s = unknownEnd(s, "the scheduler knows only a later run of the job")
		}
	}
	run.Job = s.Job
	s.Job = d.Complete(run).WithFields(map[string]string{summary.FieldSlurmVersion: f.slurmVersion(ctx)})
	s.State = cmp.Or(d.Final(), s.State)
	if d.Exit != nil && *d.Exit != (summary.Exit{}) { // 0:0 is also said of a requeued run
		s.Exit = summary.WorseExit(s.Exit, d.Exit)
	}
	return s
}

// ofLaterRun tells whether the scheduler speaks of a later run of the job: a requeue has
// given it a new start.
func ofLaterRun(d job.Details, run job.Run, s summary.Summary) bool {
	return slices.ContainsFunc(s.Notes, func(n note.Note) bool { return n.Code == note.Requeued }) ||
		d.Start != nil && float64(*d.Start) > run.StartReal+laterS
}

// laterS is more than clocks differ: a run's Prolog comes after the scheduler's start.
const laterS = 60

// unanswered is a summary of which the scheduler said nothing.
func (f Finisher) unanswered(s summary.Summary, err error) summary.Summary {
	why := "the scheduler did not answer"
	switch {
	case f.Config.Slurm.Scontrol == "":
		why = "the scheduler was not asked"
	case errors.Is(err, errUnknownJob):
		why = "the scheduler has forgotten the job"
	}
	if err != nil {
		f.Log("%v", err)
	}
	return unknownEnd(s, why)
}

// unknownEnd takes no exit code 0 for a success.
func unknownEnd(s summary.Summary, why string) summary.Summary {
	if s.Exit != nil && *s.Exit == (summary.Exit{}) {
		s.Exit = nil
	}
	s.Notes = append(s.Notes, note.New(note.NoScheduler, "%s", why))
	return s
}

// errUnknownJob is scontrol's answer for a job that it has forgotten.
var errUnknownJob = errors.New("the scheduler does not know the job")

// scontrol runs `scontrol show job`, by absolute path, with a limit. "" in the
// configuration switches it off and gives no details.
func (f Finisher) scontrol(ctx context.Context, id summary.JobID, limit time.Duration) (job.Details, error) {
	if f.Config.Slurm.Scontrol == "" {
		return job.Details{}, nil
	}
	out, complaint, err := f.command(ctx, limit, f.Config.Slurm.Scontrol, "show", "job", "-o", id.String())
	if strings.Contains(complaint, "Invalid job id") {
		return job.Details{}, errUnknownJob
	}
	if err != nil {
		return job.Details{}, fmt.Errorf("ask scontrol: %w: %.200s", err, complaint)
	}
	return job.FromScontrol(out, id), nil
}

// command runs one of Slurm's commands with a limit. It prints times as epoch
// seconds.
func (f Finisher) command(ctx context.Context, limit time.Duration, program string, args ...string) (out []byte, complaint string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "SLURM_TIME_FORMAT=%s"}
	if f.SlurmConf != "" {
		cmd.Env = append(cmd.Env, "SLURM_CONF="+f.SlurmConf)
	}
	// A site's wrapper has children: all of them go when the time is over.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = scontrolLimit / 4
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err = cmd.Output()
	return out, string(bytes.TrimSpace(said.Bytes())), err
}

// slurmVersion is what scontrol says of itself ("slurm-wlm 22.05.8"), which
// asks no daemon; "" where it says nothing.
func (f Finisher) slurmVersion(ctx context.Context) string {
	if f.Config.Slurm.Scontrol == "" {
		return ""
	}
	out, _, err := f.command(ctx, scontrolLimit/4, f.Config.Slurm.Scontrol, "--version")
	if err != nil {
		return ""
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return note.Clean(string(line), 64)
}
