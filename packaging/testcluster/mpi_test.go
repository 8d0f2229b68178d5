package testcluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Open MPI over two nodes. Its shared memory transport takes virtual nodes for
// one and crashes, so TCP carries it, over loopback as all of the cluster: Open
// MPI 5 pairs no other interface with itself where it has IPv6 addresses.
func TestMPI(t *testing.T) {
	t.Parallel()
	c := use(t)
	dir := c.dir(t, c.bob)
	script := `export OMPI_MCA_orte_tmpdir_base=` + c.bob.home + `
		mpirun --mca btl tcp,self --mca btl_tcp_if_include lo ring 3`
	j := c.sbatch(t, c.bob, dir, script, "-N2", "-n2", "--ntasks-per-node=1", "-w", "n3,n4", "-o", "ring.out", "-J",
		"ring")
	state := j.wait(t)
	out, err := os.ReadFile(filepath.Join(dir, "ring.out"))
	if err != nil || state != "COMPLETED" || !strings.Contains(string(out), "ring of 2") {
		t.Fatalf("job ended %s: %v\n%s", state, err, out)
	}
	w := j.expects("n3", "n4")
	w.atLeast = 3 * time.Second
	c.check(t, w)
	if r := c.checkRow(t, w); r.Application == nil || !strings.Contains(*r.Application, "ring") {
		t.Errorf("application %s, want that of ring", text(r.Application))
	}
}
