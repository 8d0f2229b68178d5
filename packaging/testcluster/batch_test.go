package testcluster

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var fourNodes = []string{"n1", "n2", "n3", "n4"}

// A busy program with a known period: the report must find it. It runs before the tests
// that run side by side: kept to the clock, it has no cycle where it got no CPU for one.
func TestBatchPeriod(t *testing.T) {
	c := use(t)
	const period = 0.100
	j := c.sbatch(t, c.alice, c.dir(t, c.alice), "gait 8 100", "-N1", "-n1", "-w", "n3", "-J", "period")
	j.mustEnd(t, "COMPLETED")
	w := j.expects("n3")
	w.atLeast = 8 * time.Second
	r := c.check(t, w)
	if len(r.Rhythm.Patterns) == 0 {
		t.Fatalf("no period found, because %v; notes %v", r.Rhythm.Why, r.Notes)
	}
	if got := r.Rhythm.Patterns[0].Period.Value; math.Abs(got/period-1) > 0.05 {
		t.Errorf("period %.4f s, want %.3f within 5 %%", got, period)
	}
	row := c.checkRow(t, w)
	if row.PeriodS == nil || math.Abs(*row.PeriodS/period-1) > 0.05 {
		t.Errorf("history has period %v, want %.3f", row.PeriodS, period)
	}
}

// An idle job has no period, and says so.
func TestBatchIdle(t *testing.T) {
	t.Parallel()
	c := use(t)
	j := c.sbatch(t, c.bob, c.dir(t, c.bob), "sleep 3", "-N1", "-n1")
	state := j.wait(t)
	now, err := c.queue.find(j.id)
	if err != nil || state != "COMPLETED" {
		t.Fatal(state, err)
	}
	w := j.expects(now.nodes)
	w.atLeast = 3 * time.Second
	if r := c.check(t, w); r.Rhythm.Periodic || len(r.Rhythm.Patterns) > 0 {
		t.Errorf("a job that slept has a period: %+v", r.Rhythm.Patterns)
	}
}

// Four nodes with a step on each; the report goes beside the output, which is
// not in the work directory.
func TestBatchFourNodes(t *testing.T) {
	t.Parallel()
	c := use(t)
	dir := c.dir(t, c.bob)
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(out, int(c.bob.uid), int(c.bob.gid)); err != nil {
		t.Fatal(err)
	}
	j := c.sbatch(t, c.bob, dir, "srun gait 3 50", "-N4", "-n4", "-o", "out/%x.%j.out", "-J", "four")
	j.mustEnd(t, "COMPLETED")
	w := j.expects(fourNodes...)
	w.dir, w.atLeast = out, 3*time.Second
	c.check(t, w)
	if left, _ := filepath.Glob(filepath.Join(dir, "jobgait*")); len(left) > 0 {
		t.Errorf("reports in the work directory too: %v", left)
	}
}

// Only the first of four nodes ever gets a step.
func TestBatchNodesWithoutSteps(t *testing.T) {
	t.Parallel()
	c := use(t)
	j := c.sbatch(t, c.alice, c.dir(t, c.alice), "sleep 2", "-N4", "-n4")
	j.mustEnd(t, "COMPLETED")
	w := j.expects(fourNodes...)
	w.atLeast = 2 * time.Second
	c.check(t, w)
}

// Jobs of two users, and two jobs of one user, run on one node at the same time: each gets the report of its own
// job.
func TestOneNodeAtOnce(t *testing.T) {
	t.Parallel()
	c := use(t)
	for _, at := range []struct {
		name, node string
		users      [2]account
	}{
		{"two users", "n2", [2]account{c.alice, c.bob}},
		{"one user", "n3", [2]account{c.alice, c.alice}},
	} {
		t.Run(at.name, func(t *testing.T) {
			t.Parallel()
			meet := c.dir(t, c.alice)
			if err := os.Chmod(meet, 0o777); err != nil {
				t.Fatal(err)
			}
			// Each waits for the other, so that they do run at once.
			script := `touch "` + meet + `/here.$SLURM_JOB_ID"
				until [ $(ls "` + meet + `" | grep -c ^here) = 2 ]; do :; done
				gait 2 80`
			var jobs [2]job
			for i, u := range at.users {
				jobs[i] = c.sbatch(t, u, c.dir(t, u), script, "-N1", "-n1", "-w", at.node, "-t", "5")
			}
			for _, j := range jobs {
				j.mustEnd(t, "COMPLETED")
				w := j.expects(at.node)
				w.atLeast = 2 * time.Second
				c.check(t, w)
			}
		})
	}
}
