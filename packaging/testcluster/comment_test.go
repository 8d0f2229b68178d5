package testcluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDigestInTheAccounting follows jobs through a real slurmdbd: with slurm.admin_comment each job, array task and
// component has its own digest in sacct, whatever the scheduler knew of it when its run was stored; `jobgait show`
// prints it for a user who may not read the history; and the comment of another tool stays. It needs a cluster with
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
	own := c.sbatch(t, c.alice, dir, "gait 12 200", "-n1", "-J", "own", "-t5", "-o", "own")
	other := c.sbatch(t, c.alice, dir, "gait 12 200", "-n1", "-J", "other", "-t5", "-o", "other")
	array := c.sbatch(t, c.alice, dir, "gait $((3+SLURM_ARRAY_TASK_ID)) 200", "-n1", "-a0-2", "-J", "array", "-t5")
	het := c.sbatch(t, c.alice, dir, "srun --het-group=0,1 sleep 3", "-n1", "-t5", "-J", "het", ":", "-n1", "-t5")
	swept := "" // what the sweeps of this test print
	other.waitState(t, "RUNNING")
	c.admin(t, "scontrol", "update", "JobId="+strconv.FormatInt(other.id, 10), "AdminComment=ticket-4711")
	for j, parts := range map[job][]string{own: {""}, array: {"_0", "_1", "_2"}, het: {"+0", "+1"}} {
		j.wait(t)
		var shown []string
		poll(t, func() string { // sacctmgr of Slurm 22.05 needs two calls: the first comment cannot be read
			if shown != nil {
				swept += c.sweep(t, "n1") // the timer's: it tries again what slurmdbd did not know when the job ended
			}
			shown = []string{}
			for _, part := range parts {
				cmd := c.as(c.alice, dir, c.path("bin", "jobgait"), "show", strconv.FormatInt(j.id, 10)+part)
				text, err := cmd.CombinedOutput()
				if err != nil || !strings.Contains(string(text), "from the comment of the accounting") {
					return fmt.Sprintf("show %d%s: %v: %s", j.id, part, err, text)
				}
				shown = append(shown, string(text))
			}
			return ""
		})
		t.Log(strings.Join(shown, "\n"))
		comments := strings.Fields(c.comment(t, j))
		slices.Sort(comments)
		if len(comments) != len(parts) || len(slices.Compact(slices.Clone(comments))) != len(parts) {
			t.Errorf("job %d has the comments %q, want one of its own for each of %d parts", j.id, comments, len(parts))
		}
	}
	other.wait(t)
	poll(t, func() string { // only then has jobgait seen the other tool's comment
		logs, _ := filepath.Glob(c.path("spool", "*", "jobgait.log"))
		said := swept
		for _, log := range logs {
			text, _ := os.ReadFile(log)
			said += string(text)
		}
		if strings.Contains(said, "1 admin comment of other tools left unchanged") {
			return ""
		}
		swept += c.sweep(t, "n1")
		return "neither a log nor a sweep says that a comment of other tools was left unchanged"
	})
	if got := c.comment(t, other); got != "ticket-4711" {
		t.Errorf("the comment of another tool is now %q", got)
	}
}

// comment returns the administrator's comments of a job and its parts, one on a line.
func (c *cluster) comment(t *testing.T, j job) string {
	t.Helper()
	out := c.admin(t, "sacct", "-X", "-n", "-P", "-j", strconv.FormatInt(j.id, 10), "-o", "AdminComment")
	return strings.TrimSpace(out)
}
