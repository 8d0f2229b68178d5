package policy

import (
	"math"
	"strings"
	"testing"

	"jobgait/agent/job"
	"jobgait/analysis/run"
	"jobgait/configs"
)

func watchedRun() job.Run {
	return job.Run{
		Key: run.Key{Cluster: "c", JobID: 17},
		Job: run.Job{User: "alice", UID: 1001, Partition: "batch", NNodes: 2},
	}
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*configs.Watch)
		optOut bool
		reason string // "" = watched
	}{
		{"default", func(*configs.Watch) {}, false, ""},
		{"opt-out", func(*configs.Watch) {}, true, "--jobgait=off"},
		{"opt-out wins", func(w *configs.Watch) { w.Partitions = []string{"batch"} }, true, "--jobgait=off"},
		{"user", func(w *configs.Watch) { w.NotUsers = []string{"bob", "alice"} }, false, "not_users"},
		{"other user", func(w *configs.Watch) { w.NotUsers = []string{"bob"} }, false, ""},
		{"partition", func(w *configs.Watch) { w.NotPartitions = []string{"batch"} }, false, "not_partitions"},
		{"not this partition", func(w *configs.Watch) { w.Partitions = []string{"gpu"} }, false, "watch.partitions"},
		{"this partition", func(w *configs.Watch) { w.Partitions = []string{"gpu", "batch"} }, false, ""},
		{"too small", func(w *configs.Watch) { w.MinNodes = 3 }, false, "min_nodes"},
		{"large enough", func(w *configs.Watch) { w.MinNodes = 2 }, false, ""},
		{"no share", func(w *configs.Watch) { w.Share = 0 }, false, "share"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := configs.Default().Watch
			c.change(&w)
			watch, reason := Decide(configs.Config{Watch: w}, watchedRun(), c.optOut)
			if watch != (c.reason == "") || !strings.Contains(reason, c.reason) {
				t.Errorf("Decide = %v, %q; want reason %q", watch, reason, c.reason)
			}
		})
	}
}

// The share holds over many jobs, a larger share includes the jobs of a smaller one, and neither the node nor
// the restart count matters. A job of root is watched only if the site allows it; a command that root starts
// with jobgait run concerns root alone.
func TestRootNeedsASetting(t *testing.T) {
	w := configs.Default().Watch
	r := watchedRun()
	r.Job.UID = 0
	if watch, why := Decide(configs.Config{Watch: w}, r, false); watch || !strings.Contains(why, "watch.root") {
		t.Errorf("unasked: %v, %q", watch, why)
	}
	w.Root = true
	if watch, why := Decide(configs.Config{Watch: w}, r, false); !watch {
		t.Errorf("requested: %q", why)
	}
	w.Root, r.RootPID = false, 4711
	if watch, why := Decide(configs.Config{Watch: w}, r, false); !watch {
		t.Errorf("jobgait run: %q", why)
	}
}

// Jobs of jobgait's own account, as those of reanalyse, are not watched.
func TestOwnAccountIsNotWatched(t *testing.T) {
	c, r := configs.Default(), watchedRun()
	r.Job.User = c.Collect.Account
	if watch, why := Decide(c, r, false); watch || !strings.Contains(why, "collect.account") {
		t.Errorf("%v, %q", watch, why)
	}
	c.Collect.Account, r.Job.User = "", ""
	if watch, why := Decide(c, r, false); !watch {
		t.Errorf("without an account: %q", why)
	}
}

func TestShare(t *testing.T) {
	const jobs = 20_000
	for _, share := range []float64{0.01, 0.25, 0.9} {
		n := 0
		w, more := configs.Default().Watch, configs.Default().Watch
		w.Share, more.Share = share, min(1, share*1.1)
		for id := range run.JobID(jobs) {
			r := watchedRun()
			r.Key.JobID = id + 1
			watch, _ := Decide(configs.Config{Watch: w}, r, false)
			r.Node, r.Key.Restart = "another", 3
			if again, _ := Decide(configs.Config{Watch: w}, r, false); again != watch {
				t.Fatalf("job %d: nodes do not agree", id)
			}
			if !watch {
				continue
			}
			n++
			if still, _ := Decide(configs.Config{Watch: more}, r, false); !still {
				t.Fatalf("job %d is in a share of %g and not in %g", id, share, more.Share)
			}
		}
		// Five standard deviations of a binomial draw.
		if d := math.Abs(float64(n) - share*jobs); d > 5*math.Sqrt(jobs*share*(1-share)) {
			t.Errorf("share %g: %d of %d jobs", share, n, jobs)
		}
	}
}
