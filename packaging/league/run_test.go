package league

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

//go:embed inputs
var inputs embed.FS

// environment is the same for all: one thread, root may use mpirun, and Fortran
// writes a line when it has one.
func environment(dir string) []string {
	return append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "LC_ALL=C",
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "GFORTRAN_UNBUFFERED_PRECONNECTED=y",
		"WM_PROJECT_DIR=/usr/share/openfoam", "JOBGAIT_CONFIG="+filepath.Join(dir, "jobgait.toml"),
		"XDG_DATA_HOME="+filepath.Join(dir, "data"), "XDG_STATE_HOME="+filepath.Join(dir, "state"))
}

// live runs an application under `jobgait run` in a separate directory. The directory is kept if the run failed;
// otherwise the profile is kept as base.jgp.
func (l league) live(ctx context.Context, a application, crowded bool, base string) (outcome, error) {
	o := outcome{Application: a.name, Crowded: crowded, BudgetPct: l.budget, Commit: commit(),
		At: time.Now().UTC().Format(time.RFC3339)}
	if err := os.MkdirAll(l.cache, 0o755); err != nil {
		return o, err
	}
	dir, err := os.MkdirTemp(l.cache, "run-")
	if err != nil {
		return o, err
	}
	err = l.prepare(ctx, a, dir)
	if err == nil {
		_, _ = l.seizes.take()
		o.Marks, err = l.watch(ctx, a, dir, crowded)
	}
	if n, countErr := l.seizes.take(); countErr == nil {
		o.Seized = &n
	}
	if err == nil {
		o.Answer, err = collect(dir, base+".jgp")
	}
	if err != nil {
		return o, fmt.Errorf("%w; see %s", err, dir)
	}
	return o, os.RemoveAll(dir)
}

// prepare fills a run's directory.
func (l league) prepare(ctx context.Context, a application, dir string) error {
	settings := fmt.Sprintf("[spool]\nkeep = \"all\"\n[agent]\nrun_budget_pct = %f\n", l.budget)
	if err := errors.Join(os.CopyFS(dir, inputs),
		os.WriteFile(filepath.Join(dir, "jobgait.toml"), []byte(settings), 0o644)); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "sh", "-ec", a.prepare)
	cmd.Dir, cmd.Env = dir, environment(dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("prepare: %w: %s", err, lastLine(out))
	}
	return nil
}

// watch runs the application for the limit and stamps its output, which it
// leaves in the directory too.
func (l league) watch(ctx context.Context, a application, dir string, crowded bool) (marks, error) {
	bin, err := filepath.Abs(l.bin)
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "jobgait"), "run", "-o", dir, "--",
		"timeout", "-k", "5", fmt.Sprint(l.limit.Seconds()), "sh", "-c", a.command)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, environment(dir), log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if crowded {
		end, err := crowd(runtime.NumCPU())
		defer end()
		if err != nil {
			return nil, err
		}
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	m := stamp(io.TeeReader(output, log), a.levels, func() time.Duration { return time.Since(start) })
	return m, l.ended(cmd.Wait(), time.Since(start))
}

// ended is how a run may end: at the limit, or by itself after half of it.
func (l league) ended(err error, after time.Duration) error {
	var status *exec.ExitError
	switch {
	case errors.As(err, &status) && status.ExitCode() == 124: // timeout's word for the limit
		return nil
	case err == nil && after < l.limit/2:
		return errors.New("ended before half of the limit")
	}
	return err
}

// crowd keeps the given number of CPUs busy until end is called.
func crowd(loops int) (end func(), err error) {
	var running []*exec.Cmd
	end = func() {
		for _, c := range running {
			c.Process.Kill()
			c.Wait()
		}
	}
	for range loops {
		c := exec.Command("sh", "-c", "while :; do :; done")
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := c.Start(); err != nil {
			return end, err
		}
		running = append(running, c)
	}
	return end, nil
}

// collect reads the report in a run's directory, and keeps the profile.
func collect(dir, profile string) (answer, error) {
	reports, _ := filepath.Glob(filepath.Join(dir, "jobgait-*.json"))
	profiles, _ := filepath.Glob(filepath.Join(dir, "state/jobgait/*/*/profile.jgp"))
	if len(reports) != 1 || len(profiles) != 1 {
		return answer{}, fmt.Errorf("%d reports and %d profiles in %s", len(reports), len(profiles), dir)
	}
	text, err := os.ReadFile(reports[0])
	if err != nil {
		return answer{}, err
	}
	if err := os.Rename(profiles[0], profile); err != nil {
		return answer{}, err
	}
	return parseReport(text)
}
