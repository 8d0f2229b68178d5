package testcluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// --jobgait=off: nothing is sampled and nothing written.
func TestOff(t *testing.T) {
	t.Parallel()
	c := use(t)
	dir := c.dir(t, c.alice)
	j := c.sbatch(t, c.alice, dir, "touch started; sleep 2", "-N1", "-n1", "--jobgait=off", "-w", "n1")
	j.waitFile(t, "started")
	for _, p := range c.processes("jobgait-agent") {
		if p.mentions(j.id) {
			t.Errorf("an agent runs all the same: %q", p.args)
		}
	}
	j.mustEnd(t, "COMPLETED")
	// Whatever the Epilog does for the job it starts before the job is over.
	poll(t, func() string {
		for _, p := range c.processes("jobgait-epilog") {
			if p.mentions(j.id) {
				return fmt.Sprintf("%q runs", p.args)
			}
		}
		return ""
	})
	if left, _ := filepath.Glob(filepath.Join(dir, "jobgait*")); len(left) > 0 {
		t.Errorf("reports %v", left)
	}
	if rows, err := c.rows(fmt.Sprintf("JobID = '%d' and Report is not null", j.id)); err != nil || len(rows) > 0 {
		t.Errorf("history has a report of it: %v %v", rows, err)
	}
}

// The user's labels reach report and history, in a script too and repeated;
// what is said on the command line holds.
func TestLabels(t *testing.T) {
	t.Parallel()
	c := use(t)
	script := `#SBATCH --jobgait=app=other,size=8x8
		while ((SECONDS < 4)); do :; done`
	j := c.sbatch(t, c.bob, c.dir(t, c.bob), script, "-N1", "-n1", "-w", "n3", "--jobgait=app=melt & co", "--jobgait=500",
		"--jobgait=commit=4f2a91c,label=solver=gmres")
	j.mustEnd(t, "COMPLETED")
	w := j.expects("n3")
	r := c.check(t, w)
	if text(r.Job.App) != "melt & co" || text(r.Job.Size) != "8x8" {
		t.Errorf("report has app %q and size %q", text(r.Job.App), text(r.Job.Size))
	}
	row := c.checkRow(t, w)
	if !strings.Contains(text(row.Application), "melt & co") || !strings.Contains(text(row.Shape), "8x8") {
		t.Errorf("history has application %q and shape %q", text(row.Application), text(row.Shape))
	}
	fields := c.fields(t, j.id)
	for name, want := range map[string]string{"commit": "4f2a91c", "label.solver": "gmres", "slurm_version": "slurm",
		"cpu_model": "", "build_id": ""} {
		got, ok := fields[name]
		if !ok || !strings.Contains(got, want) {
			t.Errorf("recorded field %s is %q, want %q; all: %v", name, got, want, fields)
		}
	}
}

// fields returns what the history recorded about a job besides sacct's fields.
func (c *cluster) fields(t *testing.T, id int64) map[string]string {
	t.Helper()
	out, err := exec.Command("sqlite3", "-readonly", "-separator", "\t", "-cmd", ".timeout 10000", c.path("history.db"),
		fmt.Sprintf("select f.name, f.value from internal_run_field f join internal_run using (run_id) "+
			"where display_id = '%d'", id)).CombinedOutput()
	if err != nil {
		t.Fatalf("sqlite3: %v: %s", err, out)
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		fields[name] = value
	}
	return fields
}

// A value that is not understood is the user's to correct: no job is made.
func TestBadOption(t *testing.T) {
	t.Parallel()
	c := use(t)
	for _, command := range [][]string{
		{"sbatch", "--jobgait=on", "--wrap", "true"},
		{"srun", "--jobgait=app=", "true"},
		{"salloc", "--jobgait=90000", "true"},
	} {
		out, err := c.as(c.alice, c.dir(t, c.alice), command[0], command[1:]...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "jobgait: --jobgait: ") {
			t.Errorf("%v: %v\n%s", command, err, out)
		}
	}
}

// The plugin must not put errors into the logs of steps.
func TestPluginIsSilent(t *testing.T) {
	t.Parallel()
	c := use(t)
	j, _ := c.interactive(t, c.alice, c.dir(t, c.alice), "srun", "-N1", "-n1", "-w", "n2", "--jobgait=size=1", "true")
	j.wait(t)
	b, err := os.ReadFile(c.path("log", "slurmd-n2.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if strings.Contains(line, "error") && (strings.Contains(line, "SPANK") || strings.Contains(line, "jobgait")) {
			t.Errorf("slurmd's log: %s", line)
		}
	}
}
