package testcluster

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

func TestFailing(t *testing.T) {
	t.Parallel()
	c := use(t)
	j := c.sbatch(t, c.alice, c.dir(t, c.alice), "sleep 2; exit 3", "-N1", "-n1", "-w", "n2")
	j.mustEnd(t, "FAILED")
	w := j.expects("n2")
	w.atLeast, w.exit, w.state = 2*time.Second, "3:0", "FAILED"
	c.check(t, w)
}

// Slurm passes exit code 0 to the hooks of a cancelled job; the report must not show it.
func TestCancelled(t *testing.T) {
	t.Parallel()
	c := use(t)
	dir := c.dir(t, c.bob)
	j := c.sbatch(t, c.bob, dir, "touch started; exec sleep 600", "-N2", "-n2", "-w", "n1,n2")
	j.waitFile(t, "started")
	c.admin(t, "scancel", fmt.Sprint(j.id))
	j.mustEnd(t, "CANCELLED")
	w := j.expects("n1", "n2")
	w.exit, w.state = "0:15", "CANCELLED"
	c.check(t, w)
}

// Slurm looks at time limits every 30 s and counts them in minutes; an end time
// soon saves the first minute. scontrol makes a time of "now" in whole seconds
// and slurmctld refuses one that is past (Invalid time specified): with "now"
// alone the test failed whenever the second turned in between. After 10 s the
// answer itself would be given up (MessageTimeout).
func TestTimedOut(t *testing.T) {
	t.Parallel()
	c := use(t)
	j := c.sbatch(t, c.alice, c.dir(t, c.alice), "touch started; exec sleep 600", "-N1", "-n1", "-t", "60", "-w", "n1")
	j.waitFile(t, "started")
	c.admin(t, "scontrol", "update", fmt.Sprintf("JobId=%d", j.id), "EndTime=now+10")
	j.mustEnd(t, "TIMEOUT")
	w := j.expects("n1")
	w.exit, w.state = "0:15", "TIMEOUT"
	if r := c.check(t, w); r.Job.Ended != "TIMEOUT, ended by signal 15" {
		t.Errorf("the report says %q", r.Job.Ended)
	}
}

// Each element of an array has its report, in one directory for all.
func TestArray(t *testing.T) {
	t.Parallel()
	c := use(t)
	dir := c.dir(t, c.alice)
	j := c.sbatch(t, c.alice, dir, "sleep 2", "-N1", "-n1", "--array=1-3", "-o", "%A_%a.out", "-J", "elements")
	elements := map[string]queued{}
	poll(t, func() string {
		jobs, err := c.queue.list()
		if err != nil {
			return err.Error()
		}
		for _, e := range jobs {
			if e.arrayID == j.id && e.over() {
				elements[e.task] = e
			}
		}
		if len(elements) != 3 {
			return fmt.Sprintf("%d elements are over", len(elements))
		}
		return ""
	})
	for task, e := range elements {
		if e.state != "COMPLETED" {
			t.Errorf("element %s ended %s", task, e.state)
		}
		w := j.expects(e.nodes)
		w.id = fmt.Sprintf("%d_%s", j.id, task)
		w.dir, w.name = filepath.Join(dir, j.name()), "jobgait-"+w.id
		w.atLeast, w.state = 2*time.Second, "COMPLETED"
		c.check(t, w)
	}
}

// A requeue makes two runs of one job id. The script of the first run waits to
// be requeued; the second ends by itself.
func TestRequeue(t *testing.T) {
	t.Parallel()
	c := use(t)
	j := c.sbatch(t, c.bob, c.dir(t, c.bob), `[ "${SLURM_RESTART_COUNT:-0}" = 0 ] || exec sleep 2
		touch started; exec sleep 600`, "-N1", "-n1", "-w", "n4", "--requeue")
	j.waitFile(t, "started")
	c.admin(t, "scontrol", "requeue", fmt.Sprint(j.id))
	j.waitState(t, "PENDING")
	// slurmd runs no Prolog for a job id that it still remembers: until the
	// credential has expired, counted from the end of the first run's Epilog,
	// while slurmctld counts from the requeue and would be early now and then.
	c.admin(t, "scontrol", "update", fmt.Sprintf("JobId=%d", j.id), "StartTime=now+30")
	j.mustEnd(t, "COMPLETED")
	second := j.expects("n4")
	second.name, second.restart, second.atLeast = j.name()+".r1", 1, 2*time.Second
	second.state = "COMPLETED"
	c.check(t, second)
	// Slurm reports nothing on the run that it ended by the requeue.
	first := j.expects("n4")
	first.exit = ""
	if r := c.check(t, first); !r.has("requeued") {
		t.Errorf("the first report does not say that the job was requeued: %+v", r.Notes)
	}
	c.waitRows(t, 2, fmt.Sprintf("JobID = '%d'", j.id))
}

// waitFile waits until the job's script made a file.
func (j job) waitFile(t *testing.T, name string) {
	t.Helper()
	poll(t, func() string {
		if m, _ := filepath.Glob(filepath.Join(j.dir, name)); len(m) == 0 {
			return "no " + name + " of job " + fmt.Sprint(j.id)
		}
		return ""
	})
}
