package testcluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"jobgait/agent/profile"
)

// kills is how many kill -9 each program gets.
const kills = 20

// victim is a program that is killed.
type victim struct {
	name    string
	program string
	// is picks it by its arguments: one program has several parts.
	is func(args []string) bool
	// life is about how long one lives, in which the moment falls at random.
	life time.Duration
}

var victims = []victim{
	{"agent", "jobgait-agent", func([]string) bool { return true }, 3500 * time.Millisecond},
	{"Epilog", "jobgait-epilog", func(args []string) bool { return len(args) == 1 }, 250 * time.Millisecond},
	{"worker", "jobgait-epilog", func(args []string) bool {
		return len(args) > 1 && args[1] == "--worker"
	}, 200 * time.Millisecond},
}

// Twenty kill -9 at random moments for each of agent, Epilog and worker, over
// short overlapping jobs; then what a sweep by hand picks up. Nothing may drain
// a node, no finished block may be lost, no report be missing in the end. One sweep
// serves all three: it waits for workers that miss the record of a node, and until the youngest
// run is old enough to be picked up.
func TestKillNine(t *testing.T) {
	c := use(t)
	seed := drawSeed()
	var experiments []*experiment
	for i, v := range victims {
		x := &experiment{c: c, victim: v, random: rand.New(rand.NewPCG(seed, uint64(i))), seen: map[int]bool{}}
		experiments = append(experiments, x)
		t.Run("kill "+v.name, x.run)
	}
	t.Run("sweep", func(t *testing.T) {
		// Workers that lost their Epilog come to their end. Agents may stay until the sweep.
		poll(t, func() string {
			if left := c.processes("jobgait-epilog"); len(left) > 0 {
				return fmt.Sprint(left)
			}
			return ""
		})
		c.sweepAll(t)
		if err := c.quiet(); err != nil {
			t.Error(err)
		}
	})
	for _, x := range experiments {
		t.Run(x.victim.name, func(t *testing.T) {
			r := x.outcome(t)
			t.Logf("blocks of the profiles when killed: %v", x.counts())
			fmt.Printf("kill -9 of %-6s  %3d runs, %d killed, %d nodes drained, %d finished blocks lost, %d reports missing "+
				"in the end, %d incomplete (%d runs had no sample yet; JOBGAIT_SEED=%d)\n",
				x.victim.name+":", r.runs, r.killed, r.drained, r.blocksLost, r.reportsMissing, r.incomplete, r.unsampled, seed)
			if r.killed != kills || r.drained+r.blocksLost+r.reportsMissing+r.incomplete > 0 {
				t.Errorf("%+v, want %d killed and nothing lost", r, kills)
			}
		})
	}
}

// experiment is the killing of one program.
type experiment struct {
	c      *cluster
	victim victim
	jobs   []job

	mu     sync.Mutex
	random *rand.Rand
	seen   map[int]bool
	hits   []hit
}

// hit is one kill: whose run directory, and how many complete blocks its
// profile had at that moment.
type hit struct {
	dir    string
	blocks int
}

type outcome struct {
	runs, killed, drained, blocksLost, reportsMissing int
	incomplete                                        int // reports that lack a node
	unsampled                                         int // runs killed before their first sample
}

// jobsInFlight is how many jobs overlap: six of the eight places, so that some
// of two nodes fit between those of one.
const jobsInFlight = 6

// run keeps jobs in flight until there are enough hits, and waits for the end
// of all. It kills no process of an earlier experiment: a worker may still wait there for
// the record of a node whose Epilog was killed.
func (x *experiment) run(t *testing.T) {
	for _, p := range x.c.processes(x.victim.program) {
		x.seen[p.pid] = true
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var hunt sync.WaitGroup
	hunt.Go(func() { x.hunt(ctx) })
	dir := x.c.dir(t, x.c.alice)
	for enough := false; !enough; enough = x.count() >= kills || len(x.jobs) >= 12*kills {
		nodes := "-N1"
		if len(x.jobs)%3 == 2 {
			nodes = "-N2"
		}
		x.jobs = append(x.jobs, x.c.sbatch(t, x.c.alice, dir, "gait 0.2 50; exec sleep 2.2",
			nodes, "--ntasks-per-node=1", "-o", "/dev/null", "-J", "kill"))
		poll(t, x.full)
	}
	for _, j := range x.jobs {
		j.wait(t)
	}
	stop()
	hunt.Wait()
}

// full is "" when another job may be submitted.
func (x *experiment) full() string {
	n := 0
	for _, j := range x.jobs {
		if now, err := x.c.queue.find(j.id); err != nil || !now.over() {
			n++
		}
	}
	if n >= jobsInFlight {
		return fmt.Sprintf("%d jobs in flight", n)
	}
	return ""
}

// hunt searches for new processes of the victim and kills them at a random moment of their lives, until there
// are enough.
func (x *experiment) hunt(ctx context.Context) {
	var shots sync.WaitGroup
	defer shots.Wait()
	for ; x.count() < kills && ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		for _, p := range x.c.processes(x.victim.program) {
			if x.seen[p.pid] || !x.victim.is(p.args) {
				continue
			}
			x.seen[p.pid] = true
			dir := x.c.runDir(p)
			if dir == "" {
				continue
			}
			after := time.Duration(x.random.Int64N(int64(x.victim.life)))
			shots.Go(func() {
				select {
				case <-time.After(after):
					x.shoot(p, dir)
				case <-ctx.Done():
				}
			})
		}
	}
}

// counts lists the blocks of each hit.
func (x *experiment) counts() []int {
	var n []int
	for _, h := range x.hits {
		n = append(n, h.blocks)
	}
	return n
}

func (x *experiment) count() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.hits)
}

// shoot stops a process, counts the blocks of its profile, and kills it. A process that has ended meanwhile
// does not count.
func (x *experiment) shoot(p process, dir string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.hits) >= kills {
		return
	}
	handle, err := os.FindProcess(p.pid)
	if err != nil || !x.victim.is(arguments(p.pid)) || handle.Signal(stopSignal) != nil {
		return
	}
	n := blocks(dir)
	if handle.Kill() == nil {
		x.hits = append(x.hits, hit{dir, n})
	}
}

// blocks returns the number of complete blocks of a run's profile, 0 if there is no profile.
func blocks(dir string) int {
	p, err := profile.Read(filepath.Join(dir, "profile.jgp"))
	if err != nil {
		return 0
	}
	return len(p.Blocks)
}
