package testcluster

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// attack is an attack by a user on jobgait, or a fault of a node, while jobs run. Its jobs are those of the
// round.
type attack struct {
	name string
	run  func(t *testing.T, r *round)
}

// attacks lists the attacks, which run at the same time, beside each other's jobs; those that take long begin
// first.
var attacks = []attack{
	{"torment", attackTorment},
	{"hang", attackHang},
	{"spool", attackSpool},
	{"kills", attackKills},
	{"locked", attackLocked},
	{"environment", attackEnvironment},
	{"swap", attackSwap},
	{"device", attackDevice},
	{"words", attackWords},
	{"full", attackFull},
}

// arena is the state that the rounds on a cluster share.
type arena struct {
	c      *cluster
	hunter *hunter
	// whole is locked for reading by a round, and for writing by faults that affect every job on the cluster.
	whole sync.RWMutex
	// odd is held by the one whose spool the fourth node has.
	odd sync.Mutex
	// all is for a single round: it has every kind of each attack.
	all bool

	mu     sync.Mutex
	random *rand.Rand
	later  []attacked // jobs whose report is checked after a sweep
	total  tally
}

// attacked is a job of a round.
type attacked struct {
	job
	killed bool // a process of jobgait was killed, and perhaps only a sweep delivers its report
	// unseen is a job without any data, because there was no space at its start.
	unseen bool
}

// tally holds the counts of all rounds.
type tally struct {
	rounds, jobs, drained, failed, missing, outside int
}

func (a *tally) add(b tally) {
	a.jobs += b.jobs
	a.drained += b.drained
	a.failed += b.failed
	a.missing += b.missing
	a.outside += b.outside
}

func (a tally) bad() bool { return a.drained+a.failed+a.missing+a.outside > 0 }

const tallyHead = "rounds   jobs  nodes drained  jobs failed  reports missing  files outside  worst s of samples lost"

// String is a line of the table.
func (a *arena) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.total
	return fmt.Sprintf("%6d %6d %14d %12d %16d %14d %28.2f", n.rounds, n.jobs, n.drained, n.failed, n.missing, n.outside,
		a.hunter.worst().Seconds())
}

// round is one pass over all attacks.
type round struct {
	*arena
	n    int
	jobs []attacked
}

// oddNode has the spools that are full; all else is on the others.
const oddNode = "n4"

func newArena(t *testing.T, c *cluster, seed uint64) *arena {
	t.Helper()
	a := &arena{c: c, random: rand.New(rand.NewPCG(seed, 7)), hunter: newHunter(c)}
	if out, err := exec.Command("gcc", "-O2", "-o", c.path("bin", "attack"),
		"testdata/attack.c").CombinedOutput(); err != nil {
		t.Fatalf("compile attack.c: %v\n%s", err, out)
	}
	t.Cleanup(a.hunter.stop)
	return a
}

// run runs one round: every attack, then the check of its jobs. Jobs with a killed process are checked after a
// sweep.
func (a *arena) run(t *testing.T, n int) {
	a.whole.RLock()
	defer a.whole.RUnlock()
	r := &round{arena: a, n: n}
	t.Run(fmt.Sprintf("round %d", n), func(t *testing.T) {
		for _, at := range attacks {
			t.Run(at.name, func(t *testing.T) {
				t.Parallel()
				at.run(t, r)
			})
		}
	})
	a.judge(t, r.jobs)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.total.rounds++
}

// sbatch submits one of a round's jobs; where it may, the scheduler says which
// node it runs on.
func (r *round) sbatch(t *testing.T, u account, dir, script string, args ...string) job {
	t.Helper()
	args = append([]string{"-n1", "-o", "/dev/null"}, args...)
	if !strings.Contains(strings.Join(args, " "), "-w ") {
		args = append(args, "-x", oddNode)
	}
	j := r.c.sbatch(t, u, dir, script, args...)
	r.note(attacked{job: j})
	return j
}

// note makes a job one of the round; a second word on it takes the place of the first.
func (r *round) note(j attacked) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.jobs {
		if r.jobs[i].id == j.id {
			r.jobs[i] = j
			return
		}
	}
	r.jobs = append(r.jobs, j)
}

// dir makes a directory for one attack of this round.
func (r *round) dir(t *testing.T, u account, name string) string {
	t.Helper()
	dir := filepath.Join(u.home, fmt.Sprintf("round%d", r.n), name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chown(d, int(u.uid), int(u.gid)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// drawn is a random number below n.
func (a *arena) drawn(n int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.random.IntN(n)
}

// judge counts failures of jobs and of the cluster. Reports that a kill has interrupted are checked after a
// sweep.
func (a *arena) judge(t *testing.T, jobs []attacked) {
	t.Helper()
	now := tally{jobs: len(jobs)}
	var later []attacked
	for _, j := range jobs {
		if state := a.ended(t, j); state != "COMPLETED" {
			t.Errorf("job %d ended %s", j.id, state)
			now.failed++
		} else if j.killed {
			later = append(later, j)
		} else if lacks := pollFor(limit, func() string { return a.lacks(j) }); lacks != "" {
			t.Errorf("job %d: %s", j.id, lacks)
			now.missing++
		}
	}
	states, err := a.c.nodeStates()
	if err != nil {
		t.Error(err)
	}
	if bad := outOfService(states); len(bad) > 0 {
		t.Errorf("nodes out of service: %q", bad)
		now.drained = len(bad)
	}
	for _, path := range a.outside() {
		t.Errorf("outside: %s", path)
		now.outside++
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.later = append(a.later, later...)
	a.total.add(now)
}

// ended is the state of a job when it is over.
func (a *arena) ended(t *testing.T, j attacked) (state string) {
	if lacks := pollFor(limit, func() string {
		now, err := a.c.queue.find(j.id)
		if state = now.state; err != nil || !now.over() {
			return fmt.Sprintf("job %d is %s, %v", j.id, state, err)
		}
		return ""
	}); lacks != "" {
		t.Error(lacks)
	}
	return state
}

// lacks returns what is missing from a job's report, "" if nothing is. It expects one file of each form at the
// place that the history names: the user's directory or the spool.
func (a *arena) lacks(j attacked) string {
	if j.unseen {
		return ""
	}
	rows, err := a.c.rows(fmt.Sprintf("JobID = '%d'", j.id))
	switch {
	case err != nil:
		return err.Error()
	case len(rows) == 0:
		return "no row in the history"
	case rows[0].Report == nil && j.killed && a.c.sampled(j.job) == 0:
		return "" // killed before its first second was over
	case rows[0].Report == nil:
		return "no report"
	case missing(*rows[0].Report, j.name()):
		return "no report in " + *rows[0].Report
	}
	return ""
}

// byJobgait matches the name of a report, and of one that is being written.
var byJobgait = regexp.MustCompile(`^\.?jobgait-\d+`)

// outside lists reports in wrong places: below a home there may be only reports of its user, and there may be
// none outside the homes and the spool.
func (a *arena) outside() []string {
	var found []string
	for _, u := range []account{a.c.alice, a.c.bob} {
		_ = filepath.WalkDir(u.home, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return fs.SkipDir // another process has just removed it, or it hangs
			}
			info, err := d.Info()
			if err != nil {
				return nil
			}
			st := info.Sys().(*syscall.Stat_t)
			switch {
			case info.Mode()&fs.ModeDevice != 0 && st.Uid == 0: // planted
			case st.Uid != u.uid && st.Nlink == 1 && byJobgait.MatchString(d.Name()),
				strings.Contains(path, "/trap/") && byJobgait.MatchString(d.Name()):
				found = append(found, fmt.Sprintf("%s of uid %d", path, st.Uid))
			}
			if d.IsDir() && strings.HasSuffix(path, "/hangs") {
				return fs.SkipDir
			}
			return nil
		})
	}
	for _, dir := range []string{"/", "/root", "/etc", "/run", "/dev/shm", "/var/spool", a.c.prefix, a.c.path("etc"),
		a.c.path("trap"),
		a.c.path("bin"), a.c.path("lib"), a.c.path("home"), a.c.path("spool"), a.c.path("log"),
		a.c.path("libexec", "jobgait")} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if byJobgait.MatchString(e.Name()) {
				found = append(found, filepath.Join(dir, e.Name()))
			}
		}
	}
	return found
}

// finish waits for running jobs, sweeps, and checks the jobs with a killed process.
func (a *arena) finish(t *testing.T) {
	t.Helper()
	poll(t, func() string {
		if left := a.c.processes("jobgait-epilog"); len(left) > 0 {
			return fmt.Sprint(left)
		}
		return ""
	})
	a.c.sweepAll(t)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, j := range a.later {
		if lacks := pollFor(limit, func() string { return a.lacks(j) }); lacks != "" {
			t.Errorf("job %d, of which something was killed: %s", j.id, lacks)
			a.total.missing++
		}
	}
	a.later = nil
}
