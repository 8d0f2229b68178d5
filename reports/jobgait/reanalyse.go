package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"jobgait/agent/job"
	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/configs"
	"jobgait/epilog/archive"
	"jobgait/epilog/finish"
	jobreport "jobgait/reports/job"
)

// reanalysis are the arguments of one call of reanalyse.
type reanalysis struct {
	archive, history string
	jobs             int
	dry, local       bool
	part             string // "2/8" analyses the second of eight parts, in a task of the job array
	build            string // identifies this build; results of the same build are kept
	config           configs.Config
	out, complain    io.Writer
}

// reanalyseCommand returns the verb reanalyse.
func reanalyseCommand(getenv func(string) string) *cobra.Command {
	var a reanalysis
	c := &cobra.Command{
		Use:   "reanalyse",
		Short: "recompute stored runs from archived profiles",
		Long: "reanalyse repeats the analysis of each run whose profiles the site has archived\n" +
			"([collect] archive), with this version, and then stores all results in the\n" +
			"history. The owner of a run and its final state are kept. It runs as the\n" +
			"account of the history, as a job array if there is sbatch, otherwise on the\n" +
			"cores of this machine. It may be interrupted at any time; the next call\n" +
			"continues. Delivered reports are not changed.",
		Args: argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := requireOneHistory(a.history, "reanalyse"); err != nil {
				return err
			}
			self, err := ownPath()
			if err != nil {
				return err
			}
			if a.config, err = configs.Load(getenv, self); err != nil {
				return err
			}
			a.archive = cmp.Or(a.archive, a.config.Collect.Archive)
			a.history = cmp.Or(a.history, a.config.History.Path)
			if a.archive == "" {
				return errors.New("this site archives no profiles: name a directory of them with --archive, or set collect.archive")
			}
			if a.jobs < 0 {
				return usageError{fmt.Errorf("invalid --jobs %d: want a positive number", a.jobs)}
			}
			if a.build, err = buildOf("/proc/self/exe"); err != nil {
				return err
			}
			a.out, a.complain = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return a.run(cmd.Context(), self)
		},
	}
	f := c.Flags()
	f.StringVar(&a.archive, "archive", "", "read archived profiles from this directory (default: the configured one)")
	f.StringVar(&a.history, "history", "", "use this history database (default: the configured one)")
	f.IntVar(&a.jobs, "jobs", 0, "use at most this many tasks of the array at once (default: 16), or cores")
	f.BoolVar(&a.dry, "dry-run", false, "only print how many runs there are and how long it would take")
	f.BoolVar(&a.local, "local", false, "run on this machine even if there is sbatch")
	f.StringVar(&a.part, "part", "", "analyse part `K/N` of the runs, as a task of the job array does")
	return c
}

// run analyses the runs that have no result yet, then writes all results into the history. With --part it only
// analyses, with --dry-run it only estimates the time.
func (a reanalysis) run(ctx context.Context, self string) error {
	if err := rejectForeignArchive(a.archive); err != nil {
		return err
	}
	runs, err := archive.Runs(a.archive)
	if err != nil {
		return err
	}
	if runs, err = a.ofThisPart(runs); err != nil {
		return err
	}
	left, err := a.notAnalysed(runs)
	if err != nil {
		return err
	}
	if a.dry {
		return a.estimate(ctx, runs, left)
	}
	if a.part != "" {
		return a.analyse(ctx, left, len(runs))
	}
	if sbatch := a.sbatch(); sbatch != "" && len(left) > 0 {
		if err := a.submit(ctx, sbatch, self, runs, len(left)); err != nil {
			return err
		}
		if left, err = a.notAnalysed(runs); err != nil { // of tasks that were killed
			return err
		}
	}
	// A run that cannot be analysed is reported and stays as it is in the history.
	failed := a.analyse(ctx, left, len(runs))
	if ctx.Err() != nil {
		return failed
	}
	return errors.Join(failed, a.write(ctx, runs))
}

// rejectForeignArchive returns an error if root calls and another account can change the archive. A missing archive is
// no error.
func rejectForeignArchive(archive string) error {
	err := job.RequireRootOwned(archive)
	switch {
	case os.Geteuid() != 0 || err == nil || errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, job.ErrForeignDir):
		return fmt.Errorf("accounts other than root can change the archive %s: run this command as the account that owns it",
			archive)
	}
	return fmt.Errorf("check the archive %s: %w", archive, err)
}

// ofThisPart returns the runs of this part, chosen by their names, because further runs may be added
// meanwhile; all runs if no part is set. It removes the others from runs in place.
func (a reanalysis) ofThisPart(runs []archive.ArchivedRun) ([]archive.ArchivedRun, error) {
	if a.part == "" {
		return runs, nil
	}
	var k, n uint32
	if _, err := fmt.Sscanf(a.part, "%d/%d", &k, &n); err != nil || k >= n {
		return nil, usageError{fmt.Errorf("invalid --part %s: want K/N with K from 0 to N-1, such as 0/8", a.part)}
	}
	return slices.DeleteFunc(runs, func(r archive.ArchivedRun) bool {
		h := fnv.New32a()
		_, _ = h.Write([]byte(filepath.Base(string(r))))
		return h.Sum32()%n != k
	}), nil
}

// notAnalysed returns the runs that have no result of this build. A damaged result counts as missing.
func (a reanalysis) notAnalysed(runs []archive.ArchivedRun) ([]archive.ArchivedRun, error) {
	var left []archive.ArchivedRun
	for _, r := range runs {
		if _, ok, err := r.Result(a.build); err != nil && !errors.Is(err, summary.ErrDamaged) {
			return nil, err
		} else if !ok {
			left = append(left, r)
		}
	}
	return left, nil
}

// buildOf returns a hash of a program's file: packages are built without the commit, and builds of one commit
// may differ. Results of array tasks on a node with another build are not used; the writer analyses these runs
// again.
func buildOf(program string) (string, error) {
	f, err := os.Open(program)
	if err != nil {
		return "", fmt.Errorf("identify the build of this program by its file (is /proc mounted?): %w", err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("identify the build of this program by its file (is /proc mounted?): %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// cores returns how many runs are analysed at the same time on this machine.
func (a reanalysis) cores() int { return cmp.Or(a.jobs, runtime.GOMAXPROCS(0)) }

// analyse analyses the runs left on the cores of this machine and stores each result in the archive; all is the number
// of runs that the progress counts. A failure does not stop it; the error has the number of failures and the first.
func (a reanalysis) analyse(ctx context.Context, left []archive.ArchivedRun, all int) error {
	var next, done atomic.Int64
	done.Store(int64(all - len(left)))
	shown := startProgressFunc(a.complain, func() string {
		return fmt.Sprintf("analysing, %d of %d runs", done.Load(), all)
	})
	var working sync.WaitGroup
	var lock sync.Mutex
	failed, first := 0, error(nil)
	for range a.cores() {
		working.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(left) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				s, err := finish.Reanalyse(left[i])
				if err == nil {
					err = left[i].PutRecomputed(a.build, s)
				}
				if done.Add(1); err != nil {
					lock.Lock()
					failed, first = failed+1, cmp.Or(first, err)
					lock.Unlock()
				}
			}
		})
	}
	working.Wait()
	shown.done()
	if failed > 0 {
		return fmt.Errorf("%s not analysed and left unchanged because of errors; the first: %w",
			quantity.Plural(failed, "run"), first)
	}
	return ctx.Err()
}

// estimate prints how many runs are left to be analysed and, from the mean time of about ten of them, how many core
// hours all would take. It stores no result.
func (a reanalysis) estimate(ctx context.Context, runs, left []archive.ArchivedRun) error {
	fmt.Fprintf(a.out, "%s in %s, %d to be analysed\n", quantity.Plural(len(runs), "archived run"), a.archive,
		len(left))
	const samples = 10
	begin, tried := time.Now(), 0
	for i := 0; i < len(left) && tried < samples && ctx.Err() == nil; i += max(1, len(left)/samples) {
		if _, err := finish.Reanalyse(left[i]); err == nil {
			tried++
		}
	}
	if tried > 0 {
		meanS := time.Since(begin).Seconds() / float64(tried)
		fmt.Fprintf(a.out, "%.3f s a run on one core, the mean of %d of them: %.2f core hours, and the writing\n", meanS,
			tried, meanS*float64(len(left))/3600)
	}
	return ctx.Err()
}

// write writes all results into the history, the oldest run first, because the first good run of an application
// defines its step. If it is killed it can be run again: equal results replace those already there. When all
// are written, it removes the results from the archive.
func (a reanalysis) write(ctx context.Context, runs []archive.ArchivedRun) error {
	type dated struct {
		run archive.ArchivedRun
		end float64
	}
	var list []dated
	for _, r := range runs {
		if s, ok, err := r.Result(a.build); err == nil && ok {
			list = append(list, dated{r, s.End})
		}
	}
	slices.SortStableFunc(list, func(x, y dated) int { return cmp.Compare(x.end, y.end) })
	if err := os.MkdirAll(filepath.Dir(a.history), 0o700); err != nil {
		return fmt.Errorf("make the directory of the history: %w", err)
	}
	db, err := history.Open(ctx, a.history)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var put atomic.Int64
	shown := startProgressFunc(a.complain, func() string {
		return fmt.Sprintf("writing, %d of %d runs", put.Load(), len(list))
	})
	newest, now := application.SeriesToAnalyse{}, float64(time.Now().UnixNano())/1e9
	for _, r := range list {
		s, _, rerr := r.run.Result(a.build)
		if err = rerr; err == nil {
			s, err = application.Put(ctx, db, s, history.Ingest{NowS: now,
				Names: run.DisclosureLevel(a.config.History.Names), Findings: jobreport.Findings})
		}
		if err != nil {
			break
		}
		put.Add(1)
		if err = newest.AddOldRun(ctx, db, s); err != nil {
			break
		}
	}
	err = errors.Join(err, newest.AnalyseAll(context.WithoutCancel(ctx), db, 0))
	shown.done()
	fmt.Fprintf(a.out, "%s written to %s\n", quantity.Plural(put.Load(), "run"), a.history)
	if err != nil {
		return err
	}
	for _, r := range list {
		err = errors.Join(err, r.run.RemoveRecomputed())
	}
	return err
}

// sbatch returns the path of sbatch, which is beside scontrol; "" if it is missing, with --local, or if the settings
// name no scontrol.
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

// submit submits a job array whose tasks analyse the runs, and waits for all of them; left is the number of runs
// without a result. A task that failed is no error, because the caller analyses what it left. Jobs of jobgait's own
// account are not watched.
func (a reanalysis) submit(ctx context.Context, sbatch, self string, runs []archive.ArchivedRun, left int) error {
	n := min(cmp.Or(a.jobs, 16), left)
	task := fmt.Sprintf("exec %s reanalyse --archive %s --jobs 1 --part $SLURM_ARRAY_TASK_ID/%d", quoted(self),
		quoted(a.archive), n)
	cmd := exec.CommandContext(ctx, sbatch, "--wait", "--job-name=jobgait-reanalyse", fmt.Sprintf("--array=0-%d", n-1),
		"--ntasks=1", "--cpus-per-task=1", "--chdir=/", "--output=/dev/null", "--wrap="+task)
	looked, text := time.Time{}, ""
	shown := startProgressFunc(a.complain, func() string {
		if now := time.Now(); now.Sub(looked) > 30*time.Second { // each look reads the archive
			if l, err := a.notAnalysed(runs); err == nil {
				looked, text = now, fmt.Sprintf("%s analysing, %d of %d runs", quantity.Plural(n, "task"),
					len(runs)-len(l), len(runs))
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
		return fmt.Errorf("submit the analysis with %s: %w: %.200s: or analyse on this machine with --local", sbatch, err,
			strings.TrimSpace(string(said)))
	}
	return nil
}

// quoted quotes a word for the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
