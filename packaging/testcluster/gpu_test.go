package testcluster

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/profile"
)

// The fake GPUs as lib/gpu.sh sets them up: 400 W while kernels run, 100 W while not.
const (
	gpuPeriodUS, gpuActiveUS = 4_000_000, 2_760_000
	gpuRunsW, gpuIdlesW      = 400, 100
	gpuIdle                  = 1 - float64(gpuActiveUS)/gpuPeriodUS
)

// gpuRan is for how many us of CLOCK_MONOTONIC kernels have run.
func gpuRan(us int64) int64 {
	return us/gpuPeriodUS*gpuActiveUS + min(us%gpuPeriodUS, gpuActiveUS)
}

// A job that was given a GPU, whose number Slurm tells the Prolog, is told of what the
// fake did: energy and active time to 1 %, the idle share of its cycle to 3 points.
func TestGPU(t *testing.T) {
	t.Parallel()
	c := use(t)
	if _, err := os.Stat(c.path("gpus")); err != nil {
		t.Skip("no fake GPUs: this machine has device files of NVIDIA")
	}
	const node = "n4"
	j := c.sbatch(t, c.alice, c.dir(t, c.alice), "exec 3</dev/nvidia${SLURM_JOB_GPUS:-$CUDA_VISIBLE_DEVICES} || exit 9\ngait 150 4000",
		"-N1", "-n1", "-w", node, "--gres=gpu:1", "-J", "gpu")
	j.mustEnd(t, "COMPLETED")
	r := c.check(t, j.expects(node))
	if len(r.GPUs) != 1 || r.GPUs[0].EnergyJ == nil || r.GPUs[0].ActiveS == nil || r.GPUs[0].Cycle == nil {
		t.Fatalf("GPUs %+v; patterns %+v; notes %v", r.GPUs, r.Rhythm.Patterns, r.Notes)
	}
	g := r.GPUs[0]
	energy, active := c.gpuTruth(t, node, j.id)
	t.Logf("energy %.1f J of %.1f (%+.2f %%), active %.2f s of %.2f (%+.2f %%), idle %.1f %% of the cycle of %.1f %%, %s", *g.EnergyJ, energy, 100*(*g.EnergyJ/energy-1),
		*g.ActiveS, active, 100*(*g.ActiveS/active-1), 100*g.Cycle.IdleShare, 100*gpuIdle, g.Name)
	if math.Abs(*g.EnergyJ/energy-1) > .01 || math.Abs(*g.ActiveS/active-1) > .01 || math.Abs(g.Cycle.IdleShare-gpuIdle) > .03 {
		t.Error("the report is off")
	}
	if !strings.HasPrefix(g.Name, "Fake ") || !strings.HasPrefix(g.UUID, "GPU-0000") {
		t.Errorf("board %q, %q", g.Name, g.UUID)
	}
}

// A job without GPUs is told of none, on the same node.
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
