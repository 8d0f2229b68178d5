package testcluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// oddRank is the sentence on the rank of stall.c that blocks, on the second of two nodes.
const oddRank = "Rank 1 on n2 is in read_input (stall.c:24), asleep in read: all others wait for it."

// stallingJob submits stall.c on two nodes. The second rank blocks after some seconds.
func (c *cluster) stallingJob(t *testing.T) job {
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
		exec mpirun --mca btl tcp,self --mca btl_tcp_if_include lo ` + program + ` ` + fifo
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
	j := c.stallingJob(t)
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
