package testcluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// past is a site whose runs are reanalysed: what the cluster's hooks finish is archived and stored in a history
// of its own. Each of its series is a job array that runs one task at a time, several series at once. The hooks
// judge each of several overlapping runs without those that end later, and may report a change that a
// reanalysis does not find.
type past struct {
	c               *cluster
	service         account
	runs, ofASeries int
}

// TestReanalyse has real hooks finish runs and reanalyses what they archived, also when the job array and the
// writer are killed half way. The result must equal the hooks' history each time. JOBGAIT_REANALYSE=2000 does
// so with 2000 runs (make -C packaging reanalyse).
func TestReanalyse(t *testing.T) {
	p := past{c: use(t), runs: 24, ofASeries: 3}
	var tasks []int
	if n, err := strconv.Atoi(os.Getenv("JOBGAIT_REANALYSE")); err == nil {
		p.runs, p.ofASeries, tasks = n, max(3, min(50, n/8)), []int{1, 2, 4}
	}
	p.archiving(t)
	p.happens(t)
	want := p.history(t, p.path("hooks", "history.db"))
	want.print()
	fmt.Print(p.reanalyse(t, "", "--dry-run"))
	for _, n := range tasks {
		began := time.Now()
		path := p.path("anew", fmt.Sprintf("tasks%d.db", n))
		p.reanalyse(t, path, "--jobs", strconv.Itoa(n))
		fmt.Printf("%d runs anew by %d tasks: %.1f s\n", p.runs, n, time.Since(began).Seconds())
		want.mustBe(t, p.history(t, path), learnedLater())
	}
	p.killed(t, want)
	p.inPlace(t, want)
	p.unwatched(t)
}

func (p past) path(elem ...string) string {
	return p.c.path(append([]string{"past"}, elem...)...)
}

// archiving has the hooks archive, until the test is over.
func (p *past) archiving(t *testing.T) {
	t.Helper()
	var err error
	if p.service, err = p.c.account(serviceAccount); err != nil {
		t.Fatal(err)
	}
	settings := p.c.path("etc", "jobgait.toml")
	before, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	anew := strings.Replace(string(before), "[collect]\n", fmt.Sprintf("[collect]\narchive = %q\n", p.path("archive")), 1)
	anew = strings.Replace(anew, p.c.path("history.db"), p.path("hooks", "history.db"), 1)
	err = errors.Join(os.MkdirAll(p.path("hooks"), 0o711), os.WriteFile(settings, []byte(anew), 0o644))
	for _, own := range []string{"archive", "anew"} {
		err = errors.Join(err, os.Mkdir(p.path(own), 0o700), os.Chown(p.path(own), int(p.service.uid), int(p.service.gid)))
	}
	t.Cleanup(func() {
		if err := errors.Join(os.WriteFile(settings, before, 0o644), os.RemoveAll(p.path())); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// kind is a job that is run again and again.
type kind struct {
	user         account
	name, script string
	nodes        int
}

// kinds are a loop that gets slower half way, two that sleep, one on two nodes and one
// that fails.
func (p past) kinds() []kind {
	loop := fmt.Sprintf("if ((SLURM_ARRAY_TASK_ID > %d)); then exec gait 3.12 130 30; fi; exec gait 2.4 100 30",
		p.ofASeries/2)
	return []kind{
		{p.c.alice, "loop", loop, 1}, {p.c.bob, "idle", "sleep 1", 1}, {p.c.alice, "nodes", "srun gait .8 50 40", 2},
		{p.c.bob, "naps", "sleep .5", 1}, {p.c.bob, "fails", "gait .6 50 30; exit 3", 1},
	}
}

// happens runs the jobs to their end, and until the hooks are done with them.
func (p past) happens(t *testing.T) {
	t.Helper()
	began, kinds := time.Now(), p.kinds()
	for i := 0; i*p.ofASeries < p.runs; i++ {
		k, n := kinds[i%len(kinds)], min(p.ofASeries, p.runs-i*p.ofASeries)
		p.c.sbatch(t, k.user, p.c.dir(t, k.user), k.script, fmt.Sprintf("--array=1-%d%%1", n), "-J", k.name+
			string(rune('a'+i/len(kinds))),
			fmt.Sprintf("-N%d", k.nodes), fmt.Sprintf("-n%d", k.nodes), "-o", "/dev/null")
	}
	left := ""
	for before, since := "", time.Now(); time.Since(since) < limit; time.Sleep(time.Second) {
		if left = p.unsettled(); left == "" {
			break
		}
		if left != before {
			before, since = left, time.Now()
		}
	}
	if left != "" {
		t.Fatalf("after %v without a change: %s", limit, left)
	}
	if err := p.c.quiet(); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%d runs finished by the hooks in %.0f s\n", p.runs, time.Since(began).Seconds())
}

// unsettled lists runs that are not over, or not archived. It does not wait for final states: without
// accounting Slurm forgets jobs faster than they can be queried one by one.
func (p past) unsettled() string {
	rows, err := sqlite(p.path("hooks", "history.db"), "select count(*) n, count(Report) reports from jobs")
	if err != nil {
		return err.Error()
	}
	kept, _ := filepath.Glob(p.path("archive", "*", "*", "run.json.gz"))
	want := fmt.Sprint(p.runs)
	if r := rows[0]; fmt.Sprint(r["n"]) != want || fmt.Sprint(r["reports"]) != want || len(kept) != p.runs {
		return fmt.Sprintf("of %s runs %v are in the history, %v with a report, and %d archived", want, r["n"], r["reports"],
			len(kept))
	}
	return ""
}

// command is reanalyse as the service account.
func (p past) command(to string, args ...string) *exec.Cmd {
	args = append([]string{"reanalyse"}, args...)
	if to != "" {
		args = append(args, "--history", to)
	}
	return p.c.as(p.service, "/", p.c.path("bin", "jobgait"), args...)
}

// reanalyse does so to the end and returns what it prints.
func (p past) reanalyse(t *testing.T, to string, args ...string) string {
	t.Helper()
	out, err := p.command(to, args...).CombinedOutput()
	if err != nil || to != "" && string(out) != fmt.Sprintf("%d runs written to %s\n", p.runs, to) {
		t.Fatalf("reanalyse %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// results are the runs of the archive that are analysed and not written.
func (p past) results() int {
	found, _ := filepath.Glob(p.path("archive", "*", "*", "again.json.gz"))
	return len(found)
}

// killed kills the job array and who waits for it when a third is analysed, and the
// writer when a third is written: the third call ends with all runs, and none twice.
func (p past) killed(t *testing.T, want history) {
	t.Helper()
	to := p.path("anew", "killed.db")
	p.killWhen(t, to, func() int { return p.results() })
	p.c.admin(t, "scancel", "--user", p.service.name)
	if err := p.c.quiet(); err != nil {
		t.Fatal(err)
	}
	analysed := p.results()
	if _, err := os.Lstat(to); err == nil || analysed == p.runs {
		t.Errorf("killed with %d of %d runs analysed, and %v", analysed, p.runs, err)
	}
	p.killWhen(t, to, func() int { return count(to, "jobs") })
	p.reanalyse(t, to)
	want.mustBe(t, p.history(t, to), learnedLater())
	added, again := count(to, "ingest where Status = 'added'"), count(to, "ingest where Status = 'replaced'")
	fmt.Printf("killed with %d of %d runs analysed, and with %d put\n", analysed, p.runs, again)
	if added != p.runs || again < p.runs/3 || again != count(to, "ingest")-added || p.results() != 0 {
		t.Errorf("%d runs added, %d put again, %d results left", added, again, p.results())
	}
}

// killWhen calls reanalyse and kills it when a third of the runs is done.
func (p past) killWhen(t *testing.T, to string, done func() int) {
	t.Helper()
	cmd := p.command(to, "--jobs", "2")
	cmd.SysProcAttr.Setpgid = true // sbatch goes with it
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(limit); done() < p.runs/3 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // may be over
	_ = cmd.Wait()
}

// inPlace reanalyses a copy of the hooks' history: what only the scheduler or the delivery reported is kept, so
// that nothing differs.
func (p past) inPlace(t *testing.T, want history) {
	t.Helper()
	to := p.path("anew", "inplace.db")
	_, err := sqlite(p.path("hooks", "history.db"), fmt.Sprintf("VACUUM INTO '%s'", to))
	if err := errors.Join(err, os.Chmod(to, 0o600), os.Chown(to, int(p.service.uid), int(p.service.gid))); err != nil {
		t.Fatal(err)
	}
	p.reanalyse(t, to)
	want.mustBe(t, p.history(t, to), nil)
	if n := count(to, "ingest where Status = 'replaced'"); n != p.runs {
		t.Errorf("%d runs were replaced", n)
	}
}

// unwatched holds that there were jobs of the service account and that no hook sampled
// or remembered one.
func (p past) unwatched(t *testing.T) {
	t.Helper()
	if ran, _ := sqlite(p.path("hooks", "history.db"), "select JobID from jobs where User = '"+p.service.name+
		"'"); len(ran) > 0 {
		t.Errorf("its own jobs are in the history: %v", ran)
	}
	ids := strings.Fields(p.c.admin(t, "squeue", "-h", "-a", "-r", "-t", "all", "-u", p.service.name, "-o", "%A"))
	if len(ids) == 0 {
		t.Error("Slurm knows no job array")
	}
	for _, id := range ids {
		if dirs, _ := filepath.Glob(p.c.path("spool", "n*", "*-"+id+".r0")); len(dirs) > 0 {
			t.Errorf("its own job is watched: %v", dirs)
		}
	}
}
