package slurm

import (
	"bytes"
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

// sacct answers from a database, scontrol at once and only while the controller remembers the job, one job a
// call.
const (
	sacctLimit    = 20 * time.Second
	scontrolLimit = 2 * time.Second
	shortLimit    = 500 * time.Millisecond
	rememberedFor = 10 * time.Minute
	oneByOne      = 20
)

// Remembers tells whether the settings name a command to ask.
func (s Scheduler) Remembers() bool { return s.Scontrol != "" || s.Sacct != "" }

// Ask runs `scontrol show job`.
func (s Scheduler) Ask(ctx context.Context, id run.JobID) (job.Details, error) {
	if s.Scontrol == "" {
		return job.Details{}, job.ErrNotAsked
	}
	out, complaint, err := s.command(ctx, s.Scontrol, "show", "job", "-o", id.String())
	if strings.Contains(complaint, "Invalid job id") {
		return job.Details{}, job.ErrUnknown
	}
	if err != nil {
		return job.Details{}, fmt.Errorf("ask scontrol: %w: %.200s", err, complaint)
	}
	return fromScontrol(out, id), nil
}

// Endings asks the accounting, else the controller.
func (s Scheduler) Endings(ctx context.Context, runs []job.Question) ([]job.Ending, error) {
	var failed error
	if s.Sacct != "" {
		list, err := s.sacct(ctx, runs)
		if err == nil {
			return list, nil
		}
		failed = err
	}
	if s.Scontrol == "" {
		return nil, failed
	}
	var list []job.Ending
	for _, r := range runs[:min(len(runs), oneByOne)] {
		if time.Since(time.Unix(int64(r.End), 0)) > rememberedFor {
			break // the newest stand first
		}
		limited, cancel := context.WithTimeout(ctx, scontrolLimit)
		d, err := s.Ask(limited, r.JobID)
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

// sacct asks for all runs of the ids at once, requeued ones too.
func (s Scheduler) sacct(ctx context.Context, runs []job.Question) ([]job.Ending, error) {
	since := runs[0].Start
	ids := make([]string, 0, len(runs))
	for _, r := range runs {
		ids = append(ids, r.JobID.String())
		since = min(since, r.Start)
	}
	// An hour before the first: clocks differ. The time is UTC, as the command's is.
	out, err := s.accounting(ctx, "-a", "-D", "-S", sacctTime(since-3600), "-j", strings.Join(ids, ","), "-o", sacctFields)
	return fromSacct(out), err
}

// Account calls sacct twice: a path that the user controls is queried alone.
func (s Scheduler) Account(ctx context.Context, id run.JobID, uid int, start float64) (*job.Ending, error) {
	if s.Sacct == "" {
		return nil, nil
	}
	list, err := s.sacct(ctx, []job.Question{{JobID: id, Start: start}})
	if err != nil {
		return nil, err
	}
	e := job.EndingOf(list, id, uid, start, nil)
	if e == nil || e.UID <= 0 || e.GID < 0 {
		return nil, nil
	}
	dir, err := s.accounting(ctx, "-D", "-u", strconv.Itoa(e.UID), "-j", e.JobID.String(),
		"-S", sacctTime(float64(e.Start)), "-E", sacctTime(float64(e.End)+1), "-o", "WorkDir")
	e.WorkDir = workDirFromSacct(dir)
	return e, err
}

// sacctTime formats a time for sacct.
func sacctTime(s float64) string { return time.Unix(int64(s), 0).UTC().Format("2006-01-02T15:04:05") }

// accounting runs sacct for whole jobs, without a head.
func (s Scheduler) accounting(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, sacctLimit)
	defer cancel()
	out, complaint, err := s.command(ctx, s.Sacct, append([]string{"-X", "-n", "-P"}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("ask sacct: %w: %.200s", err, complaint)
	}
	return out, nil
}

// Fields has the version, which scontrol says of itself ("slurm-wlm 22.05.8") without
// asking a daemon.
func (s Scheduler) Fields(ctx context.Context) map[string]string {
	if s.Scontrol == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, shortLimit)
	defer cancel()
	out, _, err := s.command(ctx, s.Scontrol, "--version")
	if err != nil {
		return nil
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return map[string]string{run.FieldSlurmVersion: note.Clean(string(line), 64)}
}

// command runs one of Slurm's commands, by absolute path. It prints times as epoch
// seconds.
func (s Scheduler) command(ctx context.Context, program string, args ...string) (out []byte, complaint string,
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
	return out, string(bytes.TrimSpace(said.Bytes())), err
}
