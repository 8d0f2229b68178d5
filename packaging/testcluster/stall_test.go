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

// A rank on the second of two nodes blocks, and the other one waits for it: `jobgait stack` names it while the job
// runs, and the report does after scancel, although each agent sees its own node alone.
func TestStallOnTwoNodes(t *testing.T) {
	t.Parallel()
	c := use(t)
	dir := c.dir(t, c.bob)
	fifo := filepath.Join(dir, "input")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	program := c.path("bin", "stall")
	if out, err := exec.Command("mpicc", "-O2", "-g", "-o", program, "testdata/stall.c").CombinedOutput(); err != nil {
		t.Fatalf("compile stall.c: %v\n%s", err, out)
	}
	script := `export OMPI_MCA_orte_tmpdir_base=` + c.bob.home + `
		mpirun --mca btl tcp,self --mca btl_tcp_if_include lo stall ` + fifo
	j := c.sbatch(t, c.bob, dir, script, "-N2", "-n2", "--ntasks-per-node=1", "-w", "n1,n2", "-J", "stall")
	const odd = "Rank 1 on n2 is in read_input (stall.c:26), asleep in read: all others wait for it."
	stack := func() string {
		cmd := exec.Command(c.path("bin", "jobgait"), "stack", strconv.FormatInt(j.id, 10))
		cmd.Env = append(os.Environ(), "HOME="+dir, "SLURM_CONF="+c.path("etc", "slurm.conf"))
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), odd) {
			return string(out)
		}
		return ""
	}
	poll(t, stack)
	report := filepath.Join(dir, j.name()+".txt")
	poll(t, func() string { // both nodes have noticed it
		found, err := filepath.Glob(c.path("spool", "n[12]", "*", "stacks.json"))
		if err != nil || len(found) < 2 {
			return "stacks were taken by " + strconv.Itoa(len(found)) + " of 2 nodes"
		}
		return ""
	})
	c.admin(t, "scancel", fmt.Sprint(j.id))
	j.mustEnd(t, "CANCELLED")
	poll(t, func() string {
		b, err := os.ReadFile(report)
		text := strings.Join(strings.Fields(string(b)), " ")
		if err != nil || !strings.Contains(text, "before it was cancelled, its processes waiting in MPI") ||
			!strings.Contains(text, odd) {
			return string(b)
		}
		return ""
	})
}
