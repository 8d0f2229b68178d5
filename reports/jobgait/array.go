package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"jobgait/epilog/archive"
)

// sbatch is the program that submits job arrays, "" where there is none or none is
// wanted.
func (a reanalysis) sbatch() string {
	if a.local || a.config.Slurm.Scontrol == "" {
		return ""
	}
	path := filepath.Join(filepath.Dir(a.config.Slurm.Scontrol), "sbatch")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// submit has the tasks of a job array analyse the runs and waits for all of them. Jobs
// of jobgait's own account are not watched.
func (a reanalysis) submit(ctx context.Context, sbatch, self string, runs []archive.Kept, left int) error {
	n := min(cmp.Or(a.jobs, 16), left)
	task := fmt.Sprintf("exec %s reanalyse --archive %s --jobs 1 --part $SLURM_ARRAY_TASK_ID/%d", quoted(self), quoted(a.archive), n)
	cmd := exec.CommandContext(ctx, sbatch, "--wait", "--job-name=jobgait-reanalyse", fmt.Sprintf("--array=0-%d", n-1),
		"--ntasks=1", "--cpus-per-task=1", "--chdir=/", "--output=/dev/null", "--wrap="+task)
	looked, text := time.Time{}, ""
	shown := workingOn(a.complain, func() string {
		if now := time.Now(); now.Sub(looked) > 30*time.Second { // each look reads the archive
			if l, err := a.notAnalysed(runs); err == nil {
				looked, text = now, fmt.Sprintf("%d tasks analyse, %d of %d runs", n, len(runs)-len(l), len(runs))
			}
		}
		return text
	})
	said, err := cmd.CombinedOutput()
	shown.done()
	var ended *exec.ExitError
	if errors.As(err, &ended) && strings.Contains(string(said), "Submitted") {
		return ctx.Err() // a task failed: what it left is analysed here
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %.300s", sbatch, err, said)
	}
	return nil
}

// quoted is a word of the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
