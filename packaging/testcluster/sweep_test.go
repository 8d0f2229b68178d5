package testcluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/analysis/summary"
)

const stopSignal = syscall.SIGSTOP

// runDir returns the run directory of a process of jobgait: an argument names it, or the hook's environment
// names job and node. It returns "" as long as the process works on none.
func (c *cluster) runDir(p process) string {
	for _, a := range p.args[min(1, len(p.args)):] {
		if _, path, ok := strings.Cut(a, c.path("spool")); ok {
			return c.path("spool") + path
		}
	}
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
	env := map[string]string{}
	for _, v := range strings.Split(string(b), "\x00") {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	found, _ := filepath.Glob(c.path("spool", env["SLURMD_NODENAME"], "*-"+env["SLURM_JOB_ID"]+".r*"))
	if len(found) == 0 {
		return ""
	}
	slices.Sort(found)
	return found[len(found)-1]
}

// sweepAll does by hand what a timer does, until nothing is left over: a run whose
// Epilog left no trace is picked up only when it is half a minute old.
func (c *cluster) sweepAll(t *testing.T) {
	t.Helper()
	var said string
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(time.Second) {
		if said = c.sweepOnce(t); strings.Count(said, " 0 waiting") == 4 {
			return
		}
	}
	t.Errorf("after %v of sweeping: %s", limit, said)
}

// sweepOnce sweeps each node, the last first, because the first of a job's
// nodes waits for the others.
func (c *cluster) sweepOnce(t *testing.T) string {
	t.Helper()
	said := ""
	for n := 4; n >= 1; n-- {
		said += c.sweep(t, fmt.Sprintf("n%d", n))
	}
	return said
}

// sweep sweeps one node and returns the program's output.
func (c *cluster) sweep(t *testing.T, node string) string {
	t.Helper()
	cmd := exec.Command(c.path("libexec", "jobgait", "jobgait-epilog"), "--sweep")
	cmd.Env = append(c.env(account{name: "root", home: "/root"}), "SLURMD_NODENAME="+node)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("sweep of %s: %v: %s", node, err, out)
	}
	return string(out)
}

// A worker may be killed after everything is done and before it says so. The
// records of the other nodes are gone then: doing it all again must not put a
// report without them over the complete one.
func TestSweepKeepsCompleteReport(t *testing.T) {
	t.Parallel()
	c := use(t)
	j := c.sbatch(t, c.bob, c.dir(t, c.bob), "sleep 2", "-N2", "-n2", "-w", "n1,n2")
	j.mustEnd(t, "COMPLETED")
	w := j.expects("n1", "n2")
	c.check(t, w)
	done := c.path("spool", "n1", fmt.Sprintf("testcluster-%d.r0", j.id), "done")
	poll(t, func() string {
		if err := os.Remove(done); err != nil {
			return err.Error()
		}
		return ""
	})
	poll(t, func() string { // a run that has just ended is left to its worker for a while
		said := c.sweep(t, "n1")
		if _, err := os.Lstat(done); err != nil {
			return err.Error() + ": " + said
		}
		return ""
	})
	c.check(t, w)
}

// outcome counts the losses.
func (x *experiment) outcome(t *testing.T) outcome {
	t.Helper()
	o := outcome{killed: len(x.hits)}
	states, err := x.c.nodeStates()
	if err != nil {
		t.Fatal(err)
	}
	o.drained = len(outOfService(states))
	for _, h := range x.hits {
		if lost := h.blocks - x.c.recorded(t, h.dir); lost > 0 {
			t.Errorf("%s: %d of %d blocks lost", h.dir, lost, h.blocks)
			o.blocksLost += lost
		}
	}
	for _, j := range x.jobs {
		o.runs++
		var row []row
		_ = pollFor(limit, func() string { // other processes that use it may not have finished
			var err error
			if row, err = x.c.rows(fmt.Sprintf("JobID = '%d'", j.id)); err != nil {
				return err.Error()
			}
			if len(row) == 1 && (row[0].Report != nil || x.c.sampled(j) == 0) {
				return ""
			}
			return "no report"
		})
		switch {
		case len(row) != 1:
			t.Errorf("job %d has %d rows in the history", j.id, len(row))
			o.reportsMissing++
		case row[0].Report == nil && x.c.sampled(j) == 0:
			o.unsampled++ // killed in the first second: a row, and no report of nothing
		case row[0].Report == nil || missing(*row[0].Report, j.name()):
			t.Errorf("job %d has no report, history says %q", j.id, text(row[0].Report))
			o.reportsMissing++
		default:
			r := readReport(t, filepath.Join(*row[0].Report, j.name()+".json"))
			if r.Nodes.Reported != r.Nodes.Total || row[0].NodesReported != r.Nodes.Total {
				t.Errorf("job %d: %d of %d nodes are in the report, %d in the history", j.id, r.Nodes.Reported, r.Nodes.Total,
					row[0].NodesReported)
				o.incomplete++
			}
		}
	}
	return o
}

// missing is whether any file of a report is.
func missing(dir, name string) bool {
	return slices.ContainsFunc(forms, func(form string) bool {
		info, err := os.Lstat(filepath.Join(dir, name+form))
		return err != nil || info.Size() == 0
	})
}

// recorded returns the number of blocks in the final node record of a run.
func (c *cluster) recorded(t *testing.T, dir string) int {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join(dir, "record.json.gz"))
	if err != nil {
		t.Errorf("no node record: %v", err)
		return 0
	}
	text, err := summary.Unpack(packed)
	if err != nil {
		t.Errorf("%s: %v", dir, err)
		return 0
	}
	record, err := summary.DecodeNode(text)
	if err != nil {
		t.Errorf("%s: %v", dir, err)
	}
	return record.Quality.Blocks
}

// sampled returns how many blocks the profiles of a job have on all its nodes.
func (c *cluster) sampled(j job) int {
	dirs, _ := filepath.Glob(c.path("spool", "n*", fmt.Sprintf("*-%d.r0", j.id)))
	n := 0
	for _, d := range dirs {
		n += blocks(d)
	}
	return n
}
