package slurm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Limits of queries. sacct reads a database; scontrol answers at once, for one job per call, and only while the
// controller remembers the job (scontrolMemory).
const (
	sacctLimit       = 20 * time.Second
	scontrolLimit    = 2 * time.Second
	shortLimit       = 500 * time.Millisecond
	scontrolMemory   = 10 * time.Minute
	maxScontrolCalls = 20
)

// CanQuery reports whether the settings name scontrol or sacct.
func (s Scheduler) CanQuery() bool { return s.Scontrol != "" || s.Sacct != "" }

// QueryJob runs `scontrol show job` and returns the job's details; ErrUnknown if Slurm does not know the id,
// ErrNotQueried if scontrol is not configured. Only ctx limits its time.
func (s Scheduler) QueryJob(ctx context.Context, id run.JobID) (job.Details, error) {
	if s.Scontrol == "" {
		return job.Details{}, job.ErrNotQueried
	}
	out, complaint, err := s.runCommand(ctx, s.Scontrol, "show", "job", "-o", id.String())
	if strings.Contains(complaint, "Invalid job id") {
		return job.Details{}, job.ErrUnknown
	}
	if err != nil {
		return job.Details{}, fmt.Errorf("query job %v with scontrol: %w: %.200s", id, err,
			cmp.Or(complaint, "is slurmctld up?"))
	}
	return parseScontrol(out, id), nil
}

// Endings queries sacct or, if sacct is not configured or fails, scontrol for at most maxScontrolCalls jobs
// that ended within scontrolMemory. runs must not be empty and begins with the newest. Without a configured
// command it returns nil.
func (s Scheduler) Endings(ctx context.Context, runs []job.EndingQuery) ([]job.SchedulerEnding, error) {
	var failed error
	if s.Sacct != "" {
		list, err := s.queryEndings(ctx, runs)
		if err == nil {
			return list, nil
		}
		failed = err
	}
	if s.Scontrol == "" {
		return nil, failed
	}
	var list []job.SchedulerEnding
	for _, r := range runs[:min(len(runs), maxScontrolCalls)] {
		if time.Since(time.Unix(int64(r.End), 0)) > scontrolMemory {
			break // the newest come first
		}
		limited, cancel := context.WithTimeout(ctx, scontrolLimit)
		d, err := s.QueryJob(limited, r.JobID)
		cancel()
		if e, ok := d.Ending(r.JobID); ok {
			list = append(list, e)
		}
		if err != nil && !errors.Is(err, job.ErrUnknown) {
			return list, err // it would fail for each of them
		}
	}
	return list, nil
}

// queryEndings queries sacct for all runs of the job ids at once, requeued ones too.
func (s Scheduler) queryEndings(ctx context.Context, runs []job.EndingQuery) ([]job.SchedulerEnding, error) {
	since := runs[0].Start
	ids := make([]string, 0, len(runs))
	for _, r := range runs {
		ids = append(ids, r.JobID.String())
		since = min(since, r.Start)
	}
	// An hour before the first: clocks differ. The time is UTC, as the command's is.
	out, err := s.runSacct(ctx, "-a", "-D", "-S", sacctTime(since-3600), "-j", strings.Join(ids, ","), "-o", sacctFields)
	return parseSacct(out), err
}

// FindEnding returns how the user's run that began at about start ended, nil if unknown, if the user is root,
// or if sacct is not configured. It calls sacct twice, because the work directory, which the user controls, is
// queried alone.
func (s Scheduler) FindEnding(ctx context.Context, id run.JobID, uid int, start float64) (*job.SchedulerEnding, error) {
	if s.Sacct == "" {
		return nil, nil
	}
	list, err := s.queryEndings(ctx, []job.EndingQuery{{JobID: id, Start: start}})
	if err != nil {
		return nil, err
	}
	e := job.EndingOf(list, id, uid, start, nil)
	if e == nil || e.UID <= 0 || e.GID < 0 {
		return nil, nil
	}
	dir, err := s.runSacct(ctx, "-D", "-u", strconv.Itoa(e.UID), "-j", e.JobID.String(),
		"-S", sacctTime(float64(e.Start)), "-E", sacctTime(float64(e.End)+1), "-o", "WorkDir")
	e.WorkDir = workDirFromSacct(dir)
	return e, err
}

// sacctTime formats a time for sacct.
func sacctTime(s float64) string { return time.Unix(int64(s), 0).UTC().Format("2006-01-02T15:04:05") }

// runSacct runs sacct for whole jobs, without a header line, and returns its output.
func (s Scheduler) runSacct(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, sacctLimit)
	defer cancel()
	out, complaint, err := s.runCommand(ctx, s.Sacct, append([]string{"-X", "-n", "-P"}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("query jobs with %s: %w: %.200s", s.Sacct, err, cmp.Or(complaint, "is slurmdbd up?"))
	}
	return out, nil
}

// Fields returns Slurm's version ("slurm-wlm 22.05.8"), which scontrol prints without contacting a daemon. It
// returns nil if scontrol is not configured or fails.
func (s Scheduler) Fields(ctx context.Context) map[string]string {
	if s.Scontrol == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, shortLimit)
	defer cancel()
	out, _, err := s.runCommand(ctx, s.Scontrol, "--version")
	if err != nil {
		return nil
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return map[string]string{run.FieldSlurmVersion: note.Clean(string(line), 64)}
}

// runCommand runs one of Slurm's commands, with times printed as epoch seconds, and returns its output and, on
// one line, its error output.
func (s Scheduler) runCommand(ctx context.Context, program string, args ...string) (out []byte, complaint string,
	err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "SLURM_TIME_FORMAT=%s"}
	if s.Conf != "" {
		cmd.Env = append(cmd.Env, "SLURM_CONF="+s.Conf)
	}
	// A site's wrapper has children: all of them go when the time is over.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = shortLimit
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err = cmd.Output()
	return out, strings.ReplaceAll(string(bytes.TrimSpace(said.Bytes())), "\n", "; "), err
}
