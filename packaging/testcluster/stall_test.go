package testcluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// oddRank is the sentence on the rank of stall.c that blocks, on the second of two nodes.
const oddRank = "Rank 1 on n2 is in read_input (stall.c:25), asleep in read: all others wait for it."

// stallingJob submits stall.c on two nodes. The second rank blocks after some iterations, each of about .1 s.
func (c *cluster) stallingJob(t *testing.T, iterations int) job {
	t.Helper()
	dir := c.dir(t, c.bob)
	fifo, program := filepath.Join(dir, "input"), filepath.Join(dir, "stall")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(fifo, int(c.bob.uid), int(c.bob.gid)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mpicc", "-O2", "-g", "-o", program, "testdata/stall.c").CombinedOutput(); err != nil {
		t.Fatalf("compile stall.c: %v\n%s", err, out)
	}
	script := `export OMPI_MCA_orte_tmpdir_base=` + c.bob.home + `
		exec mpirun --mca btl tcp,self --mca btl_tcp_if_include lo ` + program + ` ` + fifo + ` ` + strconv.Itoa(iterations)
	return c.sbatch(t, c.bob, dir, script, "-N2", "-n2", "--ntasks-per-node=1", "-w", "n1,n2", "-J", "stall")
}

// The report of a job that was cancelled while it was stalled names the rank for which the others waited, although
// each agent sees its own node alone. By hand: it waits for both nodes to notice the stall.
func TestStallOnTwoNodes(t *testing.T) {
	c := use(t)
	if os.Getenv("JOBGAIT_STALL") == "" {
		t.Skip("by hand: JOBGAIT_STALL=1, half a minute and more")
	}
	c.withSetting(t, "[agent]\n", "[agent]\nstack_after_s = 0.0\n")
	j := c.stallingJob(t, 200)
	poll(t, func() string {
		found, err := filepath.Glob(c.path("spool", "n[12]", "*", "stacks.json"))
		if err != nil || len(found) < 2 {
			return "stacks were taken by " + strconv.Itoa(len(found)) + " of 2 nodes"
		}
		return ""
	})
	c.admin(t, "scancel", strconv.FormatInt(j.id, 10))
	j.mustEnd(t, "CANCELLED")
	poll(t, func() string {
		b, err := os.ReadFile(filepath.Join(j.dir, j.name()+".txt"))
		text := strings.Join(strings.Fields(string(b)), " ")
		if err != nil || !strings.Contains(text, "before it was cancelled, its processes waiting in MPI") ||
			!strings.Contains(text, oddRank) {
			return string(b)
		}
		return ""
	})
}

// stackElsewhere returns the output of `jobgait stack` of the job's user in a process namespace of its own, which is a
// machine without a process of the job: its own process and threads have the numbers of small job ids.
func (c *cluster) stackElsewhere(j job) string {
	cmd := exec.Command("unshare", "--pid", "--fork", "--mount-proc", "setpriv",
		fmt.Sprintf("--reuid=%d", j.user.uid), fmt.Sprintf("--regid=%d", j.user.gid), "--clear-groups",
		c.path("bin", "jobgait"), "stack", strconv.FormatInt(j.id, 10))
	// The variables of a job's script contradict the options of a step, and each other.
	cmd.Dir, cmd.Env = j.dir, append(c.env(j.user), "SLURM_NTASKS=7", "SLURM_MEM_PER_CPU=3", "SLURM_MEM_PER_NODE=9")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%v\n%s", err, out)
	}
	return string(out)
}

// The second of two ranks blocks on its node and the other rank waits for it: `jobgait stack` names it, wherever the
// job's user or root calls it, and refuses it to another user.
func TestStackOnTwoNodes(t *testing.T) {
	t.Parallel()
	c := use(t)
	j := c.stallingJob(t, 0)
	j.waitState(t, "RUNNING")
	poll(t, func() string {
		if out := c.stackElsewhere(j); !strings.Contains(out, oddRank) {
			return out
		}
		return ""
	})
	id := strconv.FormatInt(j.id, 10)
	if out := c.admin(t, c.path("bin", "jobgait"), "stack", id); !strings.Contains(out, oddRank) {
		t.Errorf("of root: %s", out)
	}
	out, err := c.as(c.alice, "/", c.path("bin", "jobgait"), "stack", id).CombinedOutput()
	if err == nil || !strings.HasSuffix(string(out), "belongs to another user: name a job or process of yours\n") ||
		strings.Count(string(out), "\n") != 1 {
		t.Errorf("of another user: %v, %s", err, out)
	}
	c.admin(t, "scancel", id)
	j.mustEnd(t, "CANCELLED")
}
