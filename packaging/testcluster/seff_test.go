package testcluster

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jobgait/agent/job/jobtest"
)

// seffKind is a job whose efficiency both programs print.
type seffKind struct {
	name, id string
	// unfinished jobs have no run in the history.
	unfinished bool
	// altered is a job that an UPDATE of the accounting database changes: this cluster has no cgroups, which are needed
	// to detect that a job is out of memory, and no time for jobs of days. The history does not know it.
	altered string
}

// TestSeffOfSlurm compares jobgait seff with Slurm's contributed program seff, line by line, for jobs of many kinds on
// a real slurmdbd: the lines from the accounting are equal; those from the history have the same words, and values of
// which the table prints the largest difference. JOBGAIT_SEFF names the program, which no package of the distribution
// has (contribs/seff/seff of Slurm's source); it needs libslurm-perl and libslurmdb-perl.
func TestSeffOfSlurm(t *testing.T) {
	c := use(t)
	program := os.Getenv("JOBGAIT_SEFF")
	if program == "" || os.Getenv("ACCOUNTING") != "1" {
		t.Skip("run by hand: make -C packaging accounting JOBGAIT_SEFF=FILE, with contribs/seff/seff of Slurm's source")
	}
	kinds := c.seffKinds(t)
	fmt.Println("| job | lines | equal, accounting | equal words, history | largest difference, history " +
		"|\n|---|---|---|---|---|")
	for _, k := range kinds {
		if k.altered != "" {
			c.alterAccounting(t, k.altered, k.id)
		}
		want, got := c.bothSeffs(t, program, k.id)
		equal := 0
		for i := range min(len(want), len(got)) {
			if want[i] == got[i] || sameUnknown(want[i], got[i]) {
				equal++
			}
		}
		if equal != len(want) {
			t.Errorf("%s, job %s: seff and jobgait seff print\n%s\n\n%s", k.name, k.id, strings.Join(want, "\n"),
				strings.Join(got, "\n"))
		}
		row := fmt.Sprintf("| %s | %d | %d |", k.name, len(want), equal)
		if k.unfinished || k.altered != "" {
			fmt.Println(row, "- | - |")
			continue
		}
		fmt.Println(row, c.compareStoredSeff(t, k, want))
	}
	unknown := exec.Command("perl", program, "4711")
	unknown.Env = c.env(account{name: "root", home: "/root"})
	_ = unknown.Run()
	own := c.as(c.alice, "/", c.path("bin", "jobgait"), "seff", "4711")
	_ = own.Run()
	if a, b := unknown.ProcessState.ExitCode(), own.ProcessState.ExitCode(); a != 2 || b != 2 {
		t.Errorf("an unknown job: seff exits with %d, jobgait seff with %d", a, b)
	}
}

// sameUnknown reports whether two lines differ only in what is not known: seff prints no memory as 0.00 MB, and the
// memory of an allocation without memory as 16.00 B.
func sameUnknown(seff, own string) bool {
	label, value, _ := strings.Cut(seff, ": ")
	ownLabel, ownValue, _ := strings.Cut(own, ": ")
	value = strings.NewReplacer("16.00 B", "0.00 MB", "0.00% of", "not measured, of").Replace(value)
	return label == ownLabel && (value == ownValue || value == "0.00 MB" && ownValue == "not measured")
}

// seffKinds runs jobs and returns them when those that are to end have ended.
func (c *cluster) seffKinds(t *testing.T) []seffKind {
	t.Helper()
	dir := c.dir(t, c.alice)
	submit := func(script string, args ...string) job {
		return c.sbatch(t, c.alice, dir, script, append(args, "-o", "/dev/null")...)
	}
	const uneven = `srun -n2 python3 -c "import os, time
x = bytearray((10 + 150*int(os.environ['SLURM_PROCID'])) << 20)
time.sleep(5)"`
	id := func(j job) string { return strconv.FormatInt(j.id, 10) }
	late := submit("sleep 200", "-n1", "-t1")
	completed := submit("gait 8 200", "-n1", "-t5")
	failed := submit("gait 5 100; exit 3", "-n1", "-c2", "-t5", "--mem=300M")
	killed := submit("sleep 3; kill -11 $$", "-n1", "-t5", "--mem-per-cpu=150M")
	tasks := submit(uneven, "-N2", "-n2", "-t5", "--mem-per-cpu=200M")
	array := submit("gait $((3+SLURM_ARRAY_TASK_ID)) 200", "-n1", "-a0-2", "-t5")
	het := submit("srun --het-group=0,1 sleep 4", "-n1", "-t5", ":", "-n1", "-c2", "-t5")
	cancelled := submit("srun sleep 200", "-n1", "-t5")
	cancelled.waitState(t, "RUNNING")
	jobtest.WorkloadPause(4e9)
	c.admin(t, "scancel", id(cancelled))
	brief := submit("true", "-n1", "-t5")
	killedMemory := submit("sleep 4", "-n1", "-t5", "--mem=100M")
	days := submit("gait 4 100", "-n2", "-t5", "--mem=0")
	for _, j := range []job{late, completed, failed, killed, tasks, array, het, cancelled, brief, killedMemory, days} {
		j.wait(t)
	}
	pending := submit("true", "-n1", "-t5", "--begin=now+1hour", "--mem=900M")
	never := submit("true", "-n4", "-t5", "--begin=now+1hour")
	c.admin(t, "scancel", id(never))
	running := submit("sleep 600", "-n2", "-t20")
	running.waitState(t, "RUNNING")
	return []seffKind{
		{name: "completed", id: id(completed)}, {name: "failed, exit code 3", id: id(failed)},
		{name: "failed, signal 11", id: id(killed)}, {name: "time limit", id: id(late)},
		{name: "cancelled", id: id(cancelled)}, {name: "two nodes, tasks of 10 and 160 MB", id: id(tasks)},
		{name: "array task", id: id(array) + "_1"}, {name: "heterogeneous component", id: id(het) + "+1"},
		{name: "of no time", id: id(brief)}, {name: "running", id: id(running), unfinished: true},
		{name: "pending", id: id(pending), unfinished: true},
		{name: "cancelled before its start", id: id(never), unfinished: true},
		{name: "out of memory", id: id(killedMemory), altered: "state=11, exit_code=125"},
		{name: "of three days", id: id(days), altered: "time_start=time_start-270000"},
	}
}

// alterAccounting changes the columns of a job in the accounting database.
func (c *cluster) alterAccounting(t *testing.T, columns, id string) {
	t.Helper()
	c.admin(t, "mariadb", "--no-defaults", "--socket="+c.path("run", "mysql", "socket"), "acct", "-e",
		"UPDATE testcluster_job_table SET "+columns+" WHERE id_job="+id)
}

// clocks matches times of less than a day, whose order is that of their text.
var clocks = regexp.MustCompile(`\d\d:\d\d:\d\d`)

// bothSeffs returns the lines of both programs, those of jobgait from the accounting. A running job gets older between
// two calls, so seff is called before and after jobgait: a line whose times differ is equal if jobgait's is between.
// Both are called again if other lines of the two calls of seff differ.
func (c *cluster) bothSeffs(t *testing.T, program, id string) (want, got []string) {
	t.Helper()
	seff := func() []string {
		cmd := exec.Command("perl", program, id)
		cmd.Env = c.env(account{name: "root", home: "/root"})
		out, err := cmd.Output() // it complains of itself on standard error
		if err != nil {
			t.Fatalf("seff %s: %v", id, err)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	poll(t, func() string {
		before := seff()
		text := c.admin(t, c.path("bin", "jobgait"), "seff", "--history", c.path("no-history.db"), id)
		got, want = strings.Split(strings.TrimSpace(text), "\n"), seff()
		if len(before) != len(want) || len(got) != len(want) {
			return ""
		}
		for i, after := range want {
			switch words := clocks.ReplaceAllString(after, ""); {
			case before[i] == after:
			case words != clocks.ReplaceAllString(before[i], ""):
				return "seff printed different lines: " + strings.Join(want, "\n")
			case words == clocks.ReplaceAllString(got[i], "") && before[i] <= got[i] && got[i] <= after:
				want[i] = got[i]
			}
		}
		return ""
	})
	return want, got
}

// compareStoredSeff compares the lines of seff with those from the history; it returns the rest of a row.
func (c *cluster) compareStoredSeff(t *testing.T, k seffKind, want []string) string {
	t.Helper()
	text := c.admin(t, c.path("bin", "jobgait"), "seff", k.id)
	got := strings.Split(strings.TrimSpace(text), "\n")
	want = slices.DeleteFunc(slices.Clone(want), func(line string) bool { // not in the history
		return strings.HasPrefix(line, "The task which had ")
	})
	equal, largest, worst := 0, "", 0.0
	for i := range min(len(want), len(got)) {
		label, value, _ := strings.Cut(want[i], ": ")
		ownLabel, ownValue, _ := strings.Cut(got[i], ": ")
		if label != ownLabel {
			continue
		}
		equal++
		if value == ownValue || label == "Memory Efficiency" || sameUnknown(want[i], got[i]) {
			continue
		}
		if by := math.Abs(number(strings.Fields(value)[0]) - number(strings.Fields(ownValue)[0])); by >= worst {
			worst, largest = by, fmt.Sprintf("%s: %s, %s", label, value, ownValue)
		}
	}
	if equal != len(want) {
		t.Errorf("%s: seff and jobgait seff of the history print\n%s\n\n%s", k.name, strings.Join(want, "\n"),
			strings.Join(got, "\n"))
	}
	return fmt.Sprintf("%d of %d | %s |", equal, len(want), largest)
}
