package testcluster

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/peek/peektest"
	"jobgait/agent/profile"
)

// The fake GPUs as lib/gpu.sh sets them up: 400 W while kernels run, 100 W while not.
const (
	gpuPeriodUS, gpuActiveUS = 2_000_000, 1_380_000
	gpuRunsW, gpuIdlesW      = 400, 100
	gpuIdle                  = 1 - float64(gpuActiveUS)/gpuPeriodUS
)

// gpuRan is for how many us of CLOCK_MONOTONIC kernels have run.
func gpuRan(us int64) int64 {
	return us/gpuPeriodUS*gpuActiveUS + min(us%gpuPeriodUS, gpuActiveUS)
}

// holdsGPU is how the script of a job with a GPU begins.
const holdsGPU = "exec 3</dev/nvidia${SLURM_JOB_GPUS:-$CUDA_VISIBLE_DEVICES} || exit 9\n"

// A job with a GPU, whose number Slurm passes to the Prolog, gets a report on what the fake GPU did: energy and
// active time to within 1 %, the idle share of its cycle to within 3 points.
// The job is long because the fake GPU works before the job opens it, unlike a GPU of a job alone: energy at the
// opening is interpolated between two readings, which may be off by 128 J of this cycle.
func TestGPU(t *testing.T) {
	t.Parallel()
	c := use(t)
	c.needGPUs(t)
	const node = "n4"
	j := c.sbatch(t, c.alice, c.dir(t, c.alice), holdsGPU+"gait 120 2000", "-N1", "-n1", "-w", node, "--gres=gpu:1", "-J",
		"gpu")
	j.mustEnd(t, "COMPLETED")
	r := c.check(t, j.expects(node))
	if len(r.GPUs) != 1 || r.GPUs[0].EnergyJ == nil || r.GPUs[0].ActiveS == nil || r.GPUs[0].Cycle == nil {
		t.Fatalf("GPUs %+v; patterns %+v; notes %v", r.GPUs, r.Rhythm.Patterns, r.Notes)
	}
	g := r.GPUs[0]
	energy, active := c.gpuTruth(t, node, j.id)
	t.Logf("energy %.1f J of %.1f (%+.2f %%), active %.2f s of %.2f (%+.2f %%), idle %.1f %% of the cycle of %.1f %%, %s",
		*g.EnergyJ, energy, 100*(*g.EnergyJ/energy-1),
		*g.ActiveS, active, 100*(*g.ActiveS/active-1), 100*g.Cycle.IdleShare, 100*gpuIdle, g.Name)
	if math.Abs(*g.EnergyJ/energy-1) > .01 || math.Abs(*g.ActiveS/active-1) > .01 ||
		math.Abs(g.Cycle.IdleShare-gpuIdle) > .03 {
		t.Error("the report is off")
	}
	if !strings.HasPrefix(g.Name, "Fake ") || !strings.HasPrefix(g.UUID, "GPU-0000") {
		t.Errorf("board %q, %q", g.Name, g.UUID)
	}
}

// needGPUs skips the test if there are no fake GPUs.
func (c *cluster) needGPUs(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(c.path("gpus")); err != nil {
		t.Skip("no fake GPUs: this machine has device files of NVIDIA")
	}
}

// gpuReader is the program that reads the fake GPUs, below libexec/jobgait.
const gpuReader = "gpu/jobgait-nvml"

// A driver that hangs in the middle of a job, so that even a kill does not end its caller, costs neither the
// report nor Epilog time: the agent abandons it, and the job and its report finish while it still hangs. An
// agent that has not ended half a second after the Epilog stopped it is killed, and its profile is not sealed.
// A machine that gives it no CPU time has the same effect, hence the three tries.
func TestHungGPU(t *testing.T) {
	t.Parallel()
	c := use(t)
	c.needGPUs(t)
	usual := c.gpuJob(t, "usual").end(t)
	t.Logf("the agent of a usual job ended %v after it was told to", usual.stopped)
	for try := range 3 {
		g := c.gpuJob(t, fmt.Sprint("hung", try))
		free := g.hang(t)
		hung := g.end(t)
		if state := g.readerState(); state != "D" {
			t.Fatalf("the driver did not hang to the end: the reader is in state %q", state)
		}
		free()
		poll(t, func() string {
			if state := g.readerState(); state != "" {
				return "the reader is left, in state " + state
			}
			return ""
		})
		t.Logf("the agent whose driver hung ended %v after it was told to; sealed: %v", hung.stopped, hung.sealed)
		if !hung.sealed {
			continue
		}
		if r := hung.report; !r.tells("gpus_unread", "gave no answer") || len(r.GPUs) != 1 || r.GPUs[0].EnergyJ == nil {
			t.Errorf("notes %v, GPUs %+v", r.Notes, r.GPUs)
		}
		return
	}
	t.Error("no agent whose driver hung has ended in time")
}

// gpuJob is a job that holds a GPU until it is released.
type gpuJob struct {
	job
	run    string // its run directory
	reader int    // the process that reads its GPU
}

// gpuEnd is how one ended: how long after the Epilog began its profile was written to
// last, and whether it was sealed.
type gpuEnd struct {
	report  report
	stopped time.Duration
	sealed  bool
}

// gpuJob starts one and waits until its GPU was read for some seconds, because a report omits shorter readings.
func (c *cluster) gpuJob(t *testing.T, name string) gpuJob {
	t.Helper()
	g := gpuJob{job: c.sbatch(t, c.bob, c.dir(t, c.bob), holdsGPU+"until [ -e go.$SLURM_JOB_ID ]; do sleep 0.2; done",
		"-N1", "-n1", "-w", "n4", "--gres=gpu:1", "-J", name)}
	poll(t, func() string {
		if dirs, _ := filepath.Glob(c.path("spool", "n4", fmt.Sprintf("*-%d.r*", g.id))); len(dirs) == 1 {
			g.run = dirs[0]
		}
		p, err := profile.Read(filepath.Join(g.run, "profile.jgp"))
		if err != nil {
			return err.Error()
		}
		if first, last := read(p, "gpu0_energy"); first == 0 || last-first < 4e9 {
			return fmt.Sprintf("energy was read for %d ms", (last-first)/1e6)
		}
		return ""
	})
	for _, p := range c.processes(gpuReader) {
		if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid)); strings.Contains(string(b), "/"+filepath.Base(g.run)+
			"/") {
			g.reader = p.pid
		}
	}
	if g.reader == 0 {
		t.Fatalf("no process reads the GPU of %s", g.run)
	}
	return g
}

// hang has its driver hang, and waits until the agent has given that up.
func (g gpuJob) hang(t *testing.T) (free func()) {
	t.Helper()
	dir := g.c.path("libexec", "jobgait", "gpu", "hangs", filepath.Base(g.run))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	free, asked := peektest.MountHangingAndNotify(t, dir)
	poll(t, func() string {
		select {
		case <-asked:
			return ""
		default:
			return "the driver was not asked"
		}
	})
	if err := unix.Kill(g.reader, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	poll(t, func() string {
		said, _ := os.ReadFile(filepath.Join(g.run, "agent.log"))
		if state := g.readerState(); state != "D" || !strings.Contains(string(said), "gave no answer") {
			return fmt.Sprintf("the reader is in state %q, and its agent said %q", state, said)
		}
		return ""
	})
	return free
}

// readerState is the letter of the process in /proc, "" when it is gone.
func (g gpuJob) readerState() string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", g.reader))
	_, rest, _ := strings.Cut(string(b), ") ")
	letter, _, _ := strings.Cut(rest, " ")
	return strings.Trim(letter, "Z") // its parent is gone: some machines' first process takes no note
}

// end lets the job end.
func (g gpuJob) end(t *testing.T) gpuEnd {
	t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, fmt.Sprint("go.", g.id)), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	g.mustEnd(t, "COMPLETED")
	r := g.c.check(t, g.expects("n4"))
	told, err := os.Stat(filepath.Join(g.run, "epilog.json"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(g.run, "profile.jgp")
	written, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return gpuEnd{r, written.ModTime().Sub(told.ModTime()), p.Footer != nil && p.Footer.Reason == "stopped"}
}

// The report of a job without GPUs on the same node mentions none.
func TestNoGPU(t *testing.T) {
	t.Parallel()
	c := use(t)
	j := c.sbatch(t, c.bob, c.dir(t, c.bob), "sleep 3", "-N1", "-n1", "-w", "n4")
	j.mustEnd(t, "COMPLETED")
	if r := c.check(t, j.expects("n4")); len(r.GPUs) != 0 || r.has("gpus_withheld") || r.has("gpu_unproven") {
		t.Errorf("GPUs %+v, notes %v", r.GPUs, r.Notes)
	}
}

// gpuTruth is what the fake did from the first reading in the job's profile to the last,
// in J and s.
func (c *cluster) gpuTruth(t *testing.T, node string, id int64) (joules, seconds float64) {
	t.Helper()
	paths, err := filepath.Glob(c.path("spool", node, "*", "profile.jgp"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		p, err := profile.Read(path)
		if err != nil || int64(p.Header.Key.JobID) != id {
			continue
		}
		first, last := read(p, "gpu0_energy")
		us := (last - first) / 1000
		ran := gpuRan(last/1000) - gpuRan(first/1000)
		return (float64(ran)*gpuRunsW + float64(us-ran)*gpuIdlesW) / 1e6, float64(ran) / 1e6
	}
	t.Fatalf("no profile of job %d in %v", id, paths)
	return 0, 0
}

// read is CLOCK_MONOTONIC at the ends of the first slot at whose end a column has grown,
// less what it took to grow by that, and of the last with a value.
func read(p *profile.Profile, column string) (first, last int64) {
	for i, col := range p.Header.Columns {
		if col.Name != column {
			continue
		}
		for _, b := range p.Blocks {
			for k, v := range b.Columns[i] {
				end := p.Header.BaseNS + (b.First+int64(k)+1)*p.Header.StepNS
				if v > 0 && first == 0 {
					first = end - p.Header.StepNS
				}
				if v != profile.NoValue {
					last = end
				}
			}
		}
	}
	return first, last
}
