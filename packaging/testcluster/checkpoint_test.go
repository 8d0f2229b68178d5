package testcluster

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/live"
)

// watched returns the output of jobgait watch --json for a running job.
func (c *cluster) watched(t *testing.T, j job) live.State {
	t.Helper()
	var s live.State
	id := strconv.FormatInt(j.id, 10)
	out, err := c.as(j.user, j.dir, c.path("bin", "jobgait"), "watch", "--once", "--json", id).Output()
	if err != nil {
		return s
	}
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return s
}

// A job without a time limit has no last checkpoint, in live.json and in watch; one with a limit has one once its
// checkpoints are known. Slurm 22.05 gives the former a limit of a year.
func TestWatchWithoutALimit(t *testing.T) {
	t.Parallel()
	c := use(t)
	dir := c.dir(t, c.alice)
	free := c.sbatch(t, c.alice, dir, "gait 60 200", "-n1", "-w", "n1", "-o", "free")
	limited := c.sbatch(t, c.alice, dir, "gait 60 200", "-n1", "-w", "n2", "-t7", "-o", "limited")
	for j, want := range map[job]live.CheckpointReason{free: live.NoTimeLimit, limited: live.NoCheckpointYet} {
		poll(t, func() string {
			s := c.watched(t, j)
			if s.NoLastCheckpoint == nil || *s.NoLastCheckpoint != want || s.LastCheckpointBy != nil ||
				(s.LimitAt == nil) != (want == live.NoTimeLimit) {
				return fmt.Sprintf("want %s, got %+v", want, s)
			}
			if s.LimitAt != nil {
				if left := time.Until(*s.LimitAt); left < 5*time.Minute || left > 8*time.Minute {
					return fmt.Sprintf("the limit of 7 minutes is in %v", left)
				}
			}
			return ""
		})
		c.admin(t, "scancel", strconv.FormatInt(j.id, 10))
	}
}

// saver is a program that writes checkpoints, and whether they can be known.
type saver struct {
	name, script string
	knowable     bool
}

// savers returns the programs, compiled into the cluster's bin.
func (c *cluster) savers(t *testing.T) []saver {
	t.Helper()
	from := "testdata/checkpoint/"
	for _, argv := range [][]string{
		{"gfortran", "-O2", "-o", c.path("bin", "restart"), from + "restart.f90"},
		{"gcc", "-O2", "-o", c.path("bin", "fields"), from + "fields.c", "-lm", "-lpthread"},
		{"install", from + "savez.py", from + "tar.sh", c.path("bin")},
	} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", argv, err, out)
		}
	}
	return []saver{
		{"numpy, savez_compressed every 25 steps", "/usr/bin/python3 " + c.path("bin", "savez.py") + " 75", true},
		{"Fortran, formatted restart every 25 steps", "restart 75", true},
		{"C, a directory of 24 synced fields every 25 steps", "fields 75 fields", true},
		{"shell, tar and sync between calls of a solver", "bash " + c.path("bin", "tar.sh") + " 75", true},
		{"C, by the clock every 2 to 12 s", "fields 75 clock", false},
		{"C, a thread writes while the steps go on", "fields 75 thread", false},
	}
}

// TestLastCheckpoints runs programs that write checkpoints in their own ways under a time limit, and prints for each
// what watch says and what that is worth for 1,000 limits drawn at random: checkpoints that begin in time and do not
// end before the limit ("late"), which must be none, and those that begin later and do ("spare").
func TestLastCheckpoints(t *testing.T) {
	c := use(t)
	if os.Getenv("JOBGAIT_CHECKPOINTS") == "" {
		t.Skip("run by hand: JOBGAIT_CHECKPOINTS=1, three minutes")
	}
	list := c.savers(t)
	fmt.Println("| program | checkpoints, s | checkpoint_s | known after, s | fits / late / spare " +
		"|\n|---|---|---|---|---|")
	for i := 0; i < len(list); i += 2 {
		jobs := make([]job, 2)
		for k := range jobs {
			dir := filepath.Join(c.dir(t, c.alice), strconv.Itoa(i+k))
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			jobs[k] = c.sbatch(t, c.alice, dir, "exec "+list[i+k].script, "-n1", "-t2", "-w", fmt.Sprintf("n%d", k+1), "-o",
				"out")
		}
		states := [2][]live.State{}
		for began := time.Now(); time.Since(began) < 74*time.Second; {
			for k, j := range jobs {
				if s := c.watched(t, j); s.Schema != "" {
					states[k] = append(states[k], s)
				}
			}
			jobtest.WorkloadPause(2 * time.Second)
		}
		for k, j := range jobs {
			j.wait(t)
			list[i+k].judge(t, j.dir, states[k])
		}
	}
}

// judge prints the row of a program and checks it.
func (p saver) judge(t *testing.T, dir string, states []live.State) {
	t.Helper()
	written := checkpointsOf(t, dir)
	if len(states) == 0 || len(written) < 5 {
		t.Errorf("%s: %d states, %d checkpoints", p.name, len(states), len(written))
		return
	}
	shortest, longest := written[0][1]-written[0][0], 0.0
	for _, w := range written {
		shortest, longest = min(shortest, w[1]-w[0]), max(longest, w[1]-w[0])
	}
	row := fmt.Sprintf("| %s | %d of %.2f .. %.2f |", p.name, len(written), shortest, longest)
	known, last := -1, states[len(states)-1]
	for i, s := range states {
		if s.LastCheckpointBy != nil {
			if last = s; known < 0 {
				known = i
			}
		}
	}
	if known < 0 {
		fmt.Printf("%s not known | | %s, in %s |\n", row, *last.NoLastCheckpoint, last.State)
		if p.knowable {
			t.Errorf("%s: no checkpoint is known", p.name)
		}
		return
	}
	fits, late, spare := 0, 0, 0
	r := rand.New(rand.NewPCG(44, 3))
	margin := last.LimitAt.Sub(*last.LastCheckpointBy).Seconds()
	from := float64(states[known].At.UnixMilli()) / 1e3
	for range 1000 {
		limit := from + (written[len(written)-1][1]-from)*r.Float64()
		for _, w := range written {
			switch inTime := w[0] <= limit-margin; {
			case w[0] > limit:
			case inTime && w[1] <= limit:
				fits++
			case inTime:
				late++
			case w[1] <= limit:
				spare++
			}
		}
	}
	fmt.Printf("%s %.2f | %.0f | %d / %d / %d |\n", row, *last.CheckpointS, states[known].ElapsedS, fits, late, spare)
	if p.knowable && late > 0 {
		t.Errorf("%s: %d checkpoints that began in time did not end before the limit", p.name, late)
	}
}

// checkpointsOf reads begin and end of each checkpoint, in epoch seconds.
func checkpointsOf(t *testing.T, dir string) (list [][2]float64) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "checkpoints"))
	if err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 2 {
			list = append(list, [2]float64{number(f[0]), number(f[1])})
		}
	}
	return list
}
