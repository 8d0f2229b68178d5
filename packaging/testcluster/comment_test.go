package testcluster

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDigestInTheAccounting follows one job through a real slurmdbd: with slurm.admin_comment its digest is in sacct,
// `jobgait show` reads it where there is no history, and the comment of another tool stays. `jobgait seff` prints the
// lines of Slurm's seff: JOBGAIT_SEFF names that program, which Debian does not have. It needs a cluster with
// accounting: make -C packaging accounting.
func TestDigestInTheAccounting(t *testing.T) {
	c := use(t)
	if os.Getenv("ACCOUNTING") != "1" {
		t.Skip("needs ACCOUNTING=1: a cluster with slurmdbd")
	}
	manager, err := exec.LookPath("sacctmgr")
	if err != nil {
		t.Fatal(err)
	}
	c.withSetting(t, "[slurm]\n", "[slurm]\nadmin_comment = true\nsacctmgr = \""+manager+"\"\n")
	dir := c.dir(t, c.alice)
	own := c.sbatch(t, c.alice, dir, "gait 12 200", "-n1", "-J", "own", "-t5", "--mem=300M", "-o", "own")
	other := c.sbatch(t, c.alice, dir, "gait 12 200", "-n1", "-J", "other", "-t5", "-o", "other")
	array := c.sbatch(t, c.alice, dir, "gait $((3+SLURM_ARRAY_TASK_ID)) 200", "-n1", "-a0-2", "-J", "array", "-t5")
	het := c.sbatch(t, c.alice, dir, "srun --het-group=0,1 sleep 3", "-n1", "-t5", "-J", "het", ":", "-n1", "-t5")
	other.waitState(t, "RUNNING")
	c.admin(t, "scontrol", "update", "JobId="+strconv.FormatInt(other.id, 10), "AdminComment=ticket-4711")
	comment := func(j job) string {
		out := c.admin(t, "sacct", "-X", "-n", "-P", "-j", strconv.FormatInt(j.id, 10), "-o", "AdminComment")
		return strings.TrimSpace(out)
	}
	poll(t, func() string {
		if got := comment(own); !strings.HasPrefix(strings.ToUpper(got), "JG1:") {
			return "sacct has the comment " + got
		}
		return ""
	})
	t.Logf("AdminComment of %d characters: %.40s ...", len(comment(own)), comment(own))
	if got := comment(other); got != "ticket-4711" {
		t.Errorf("the comment of another tool is now %q", got)
	}
	id := strconv.FormatInt(own.id, 10)
	shown := c.run(t, dir, []string{"JOBGAIT_CONFIG=" + c.settingsWithoutHistory(t)}, c.path("bin", "jobgait"), "show", id)
	if !strings.Contains(shown, "Job "+id) || !strings.Contains(shown, "CPU") {
		t.Errorf("show without a history printed %q", shown)
	}
	t.Log(shown)
	c.compareSeff(t, dir, id)
	for _, j := range []job{array, het} {
		j.wait(t)
		shown := c.run(t, dir, nil, c.path("bin", "jobgait"), "show", strconv.FormatInt(j.id, 10))
		listed := c.run(t, dir, nil, c.path("bin", "jobgait"), "list")
		t.Logf("%s\n%s", shown, listed)
		if !strings.Contains(shown, "COMPLETED") {
			t.Errorf("show of a job of several parts printed\n%s", shown)
		}
	}
}

// run runs a program as alice with more in its environment and returns its output.
func (c *cluster) run(t *testing.T, dir string, environ []string, name string, args ...string) string {
	t.Helper()
	cmd := c.as(c.alice, dir, name, args...)
	cmd.Env = append(cmd.Env, environ...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// settingsWithoutHistory returns the path of settings that name a history that does not exist.
func (c *cluster) settingsWithoutHistory(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(c.path("etc", "jobgait.toml"))
	if err != nil {
		t.Fatal(err)
	}
	path := c.path("etc", "elsewhere.toml")
	text := strings.Replace(string(b), c.path("history.db"), c.path("absent.db"), 1)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// figure matches the numbers in seff's lines.
var figure = regexp.MustCompile(`[0-9][0-9.:-]*`)

// compareSeff compares the words of `jobgait seff`, from the history and from the accounting, with Slurm's seff.
func (c *cluster) compareSeff(t *testing.T, dir, id string) {
	t.Helper()
	program := os.Getenv("JOBGAIT_SEFF")
	if program == "" {
		t.Log("no comparison with seff: JOBGAIT_SEFF is not set")
		return
	}
	words := func(text string) []string {
		var lines []string
		for line := range strings.Lines(text) {
			lines = append(lines, figure.ReplaceAllString(strings.TrimSpace(line), "N"))
		}
		return lines
	}
	theirs := c.run(t, dir, nil, program, id)
	for _, environ := range [][]string{nil, {"JOBGAIT_CONFIG=" + c.settingsWithoutHistory(t)}} {
		ours := c.run(t, dir, environ, c.path("bin", "jobgait"), "seff", id)
		t.Logf("%v\n%s\nseff:\n%s", environ, ours, theirs)
		n := len(words(theirs))
		if got := words(ours); len(got) < n || !slices.Equal(got[:n], words(theirs)) {
			t.Errorf("the lines differ:\n%q\n%q", got, words(theirs))
		}
	}
}
