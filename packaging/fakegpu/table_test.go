package fakegpu

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile"
)

var (
	duties  = flag.String("duties", ".25,.66,.10,.50,.13", "parts of a cycle in which the GPU runs kernels")
	periods = flag.String("periods", ".008,.18,.5,1.1,4", "lengths of a cycle, s")
	seconds = flag.Float64("seconds", 13, "how long a job runs, at least 9 cycles, s")
)

// Watts of the fake library's GPU while kernels run, and while not.
const runsW, idlesW = 400, 100

// Bars that each job must meet. The idle share of a cycle and the cycle itself are judged from leastPeriod on:
// CPU samples of 5 ms do not resolve shorter cycles. Where tasks waited for a CPU for more than mostWaiting of
// the time of a job (/proc/pressure/cpu), another program took the machine: then its first value and its cycle
// are printed and not judged.
const (
	energyBar, activeBar, idleBar = .01, .02, .03 // of the energy; shares
	firstBar, readerBar           = .3, .005      // s; of a CPU, without the start of the reader
	leastPeriod, mostWaiting      = .1, .3
)

// TestTable runs a job of each length of cycle and duty cycle, one on each of two CPUs at a time, prints what is
// reported of it beside the truth, which is that of the time from the first value to the last, and checks the bars.
func TestTable(t *testing.T) {
	if os.Getenv("JOBGAIT_GPU") != "run" {
		t.Skip("by hand: JOBGAIT_GPU=run")
	}
	dir := build(t)
	fmt.Printf("Bars: energy %g %%, active %g points, first value %g s, reader %g %% of a CPU without its start; for "+
		"cycles "+
		"from %g s on: a cycle is found, idle share within %g points\n", 100*energyBar, 100*activeBar, firstBar,
		100*readerBar, leastPeriod, 100*idleBar)
	fmt.Println("| cycle, s | active, true | reported | energy, true, J | error | idle share of the cycle, true | " +
		"reported | first value, s | reader's CPU: start, ms | running, % | in all, % | tasks waited, % | missed |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	var cases [][2]float64
	for _, period := range numbers(t, *periods) {
		for _, duty := range numbers(t, *duties) {
			cases = append(cases, [2]float64{period, duty})
		}
	}
	var jobs sync.WaitGroup
	var next atomic.Int64
	for cpu := range min(2, runtime.NumCPU()) {
		jobs.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(cases); i = next.Add(1) - 1 {
				oneJob(t, dir, cpu, cases[i][0], cases[i][1])
			}
		})
	}
	jobs.Wait()
}

// numbers are those of a list.
func numbers(t *testing.T, list string) (all []float64) {
	for word := range strings.SplitSeq(list, ",") {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// build puts the programs of JOBGAIT_BIN into one directory, with the fake library behind jobgait-nvml.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const gpu = "../../agent/counter/gpu/"
	commands := [][]string{
		{"gcc", "-O2", "-o", dir + "/real-nvml", gpu + "nvml/nvml.c", "-ldl"},
		{"gcc", "-O1", "-shared", "-fPIC", "-o", dir + "/libnvidia-ml.so.1", gpu + "testdata/fake_nvml.c"},
		{"gcc", "-O1", "-o", dir + "/job", "testdata/job.c"},
	}
	for cpu := range 2 { // separate programs for each CPU: jobgait-nvml has settings of the job
		to := filepath.Join(dir, fmt.Sprint(cpu))
		commands = append(commands, []string{"mkdir", to})
		for _, program := range []string{"jobgait", "jobgait-prolog", "jobgait-agent", "jobgait-epilog"} {
			commands = append(commands, []string{"cp", filepath.Join(os.Getenv("JOBGAIT_BIN"), program), to})
		}
	}
	for _, args := range commands {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// namespace is a script that runs a command with the device files of one NVIDIA GPU.
const namespace = `set -e
mount --make-rprivate /
d=$(mktemp -d)
mount -t tmpfs dev "$d"
mknod -m 666 "$d/null" c 1 3; mknod -m 666 "$d/zero" c 1 5
mknod -m 666 "$d/urandom" c 1 9; mknod -m 666 "$d/random" c 1 8
mknod -m 666 "$d/nvidiactl" c 1 3; mknod -m 666 "$d/nvidia0" c 1 3
ln -s /proc/self/fd "$d/fd"
mount --move "$d" /dev
exec "$@"`

// reported is what a report has of the GPU.
type reported struct {
	GPUs []struct {
		ReadS   float64  `json:"read_s"`
		EnergyJ *float64 `json:"energy_j"`
		ActiveS *float64 `json:"active_s"`
		Cycle   *struct {
			IdleShare float64 `json:"idle_share"`
		} `json:"cycle"`
	} `json:"gpus"`
	Quality struct {
		ReaderS float64 `json:"gpu_reader_cpu_s"`
		StartS  float64 `json:"gpu_reader_start_s"`
	} `json:"quality"`
}

// waited returns how long tasks have waited for a CPU since the machine started, in seconds; 0 if the kernel
// does not count that.
func waited() float64 {
	b, _ := os.ReadFile("/proc/pressure/cpu")
	_, total, _ := strings.Cut(string(b), "total=")
	us, _, _ := strings.Cut(total, "\n")
	v, _ := strconv.ParseFloat(us, 64)
	return v / 1e6
}

// oneJob runs a job that works on one CPU, and prints its line.
func oneJob(t *testing.T, dir string, cpu int, periodS, duty float64) {
	out, err := os.MkdirTemp("", "fakegpu")
	if err != nil {
		t.Error(err)
		return
	}
	defer os.RemoveAll(out)
	periodMS := math.Round(1e3 * periodS)
	activeMS := math.Round(periodMS * duty)
	launches := filepath.Join(out, "launches")
	if err := os.WriteFile(launches, make([]byte, 8<<18), 0o644); err != nil {
		t.Error(err)
		return
	}
	script := fmt.Sprintf("#!/bin/sh\nexport LD_LIBRARY_PATH='%s' FAKE_COSTS=1 FAKE_COUNT=1 FAKE_REFRESH_MS=100 "+
		"FAKE_WINDOW_MS=200 "+
		"FAKE_PERIOD_MS=%.0f FAKE_ACTIVE_MS=%.0f FAKE_LAUNCHES=%s\nexec '%s/real-nvml' \"$@\"\n", dir, periodMS, activeMS,
		launches, dir)
	programs := filepath.Join(dir, fmt.Sprint(cpu))
	if err := jobtest.WriteProgram(programs+"/jobgait-nvml", []byte(script)); err != nil {
		t.Error(err)
		return
	}
	length := max(*seconds, 9*periodS)
	cmd := exec.Command("unshare", "-m", "sh", "-c", namespace, "sh", programs+"/jobgait", "run", "-o", out, "--",
		dir+"/job", fmt.Sprint(periodMS), fmt.Sprint(activeMS), fmt.Sprint(length), launches, fmt.Sprint(cpu))
	waitedBefore := waited()
	cmd.Env = append(os.Environ(), "HOME="+out)
	var printed, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &complaints
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %v\n%s", cmd.Args, err, complaints.String())
		return
	}
	waiting := (waited() - waitedBefore) / length
	var opened int64
	if _, err := fmt.Sscan(printed.String(), &opened); err != nil {
		t.Errorf("the job printed %q: %v", printed.String(), err)
		return
	}
	var r reported
	// On a busy machine the report comes after the end of `jobgait run`.
	jobtest.Poll(time.Minute, func() bool { return len(glob(t, out, "jobgait-*.json")) > 0 })
	for _, path := range glob(t, out, "jobgait-*.json") {
		b, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(b, &r)
		}
		if err != nil {
			t.Error(err)
		}
	}
	paths := glob(t, out, "*.jgp")
	if len(r.GPUs) != 1 || len(paths) != 1 || r.GPUs[0].EnergyJ == nil || r.GPUs[0].ActiveS == nil {
		t.Errorf("report %+v, profiles %v\n%s", r, paths, complaints.String())
		return
	}
	p, err := profile.Read(paths[0])
	if err != nil {
		t.Error(err)
		return
	}
	_, last := readFromTo(p, "gpu0_energy")
	first, _ := readFromTo(p, "gpu0_memory")
	g := r.GPUs[0]
	starts := readLaunches(t, launches)
	if len(starts) < 2 {
		return
	}
	ran := func(ns int64) float64 { return ranUntil(starts, ns/1000, int64(1e3*activeMS)) }
	span := float64(last-first) / 1e9
	busy := ran(last) - ran(first)
	begin, end := 1000*starts[0], 1000*starts[len(starts)-1] // whole cycles
	cycleIdle := 1 - (ran(end)-ran(begin))/(float64(end-begin)/1e9)
	energy := runsW*busy + idlesW*(span-busy)
	idle := "-"
	if g.Cycle != nil {
		idle = fmt.Sprintf("%.1f %%", 100*g.Cycle.IdleShare)
	}
	running := r.Quality.ReaderS - r.Quality.StartS
	firstS := float64(first-opened) / 1e9
	judged := waiting <= mostWaiting
	var missed []string
	for what, off := range map[string]bool{
		"energy":      math.Abs(*g.EnergyJ/energy-1) > energyBar,
		"active":      math.Abs(*g.ActiveS/g.ReadS-busy/span) > activeBar,
		"first value": judged && firstS > firstBar,
		"reader":      running/span > readerBar,
		"cycle":       judged && periodS >= leastPeriod && g.Cycle == nil,
		"idle share": periodS >= leastPeriod && g.Cycle != nil &&
			math.Abs(g.Cycle.IdleShare-cycleIdle) > idleBar,
	} {
		if off {
			missed = append(missed, what)
		}
	}
	slices.Sort(missed)
	fmt.Printf("| %g | %.1f %% | %.1f %% | %.0f | %+.2f %% | %.1f %% | %s | %.2f | %.0f | %.2f | %.2f | %.0f | %s |\n",
		periodS, 100*busy/span, 100**g.ActiveS/g.ReadS, energy, 100*(*g.EnergyJ/energy-1), 100*cycleIdle, idle, firstS,
		1e3*r.Quality.StartS, 100*running/span, 100*r.Quality.ReaderS/span, 100*waiting, strings.Join(missed, ", "))
	if len(missed) > 0 {
		t.Errorf("cycle of %g s, duty cycle %.2f: missed %s", periodS, duty, strings.Join(missed, ", "))
	}
}

// readLaunches reads the starts of kernels, in us of CLOCK_MONOTONIC.
func readLaunches(t *testing.T, path string) []int64 {
	b, err := os.ReadFile(path)
	if err != nil || len(b) < 8 {
		t.Errorf("%s: %v", path, err)
		return nil
	}
	n := binary.NativeEndian.Uint64(b)
	starts := make([]int64, n)
	for i := range starts {
		starts[i] = int64(binary.NativeEndian.Uint64(b[8*(i+1):]))
	}
	return starts
}

// ranUntil is for how many seconds kernels, of active us each, have run at a time in us.
func ranUntil(starts []int64, at, active int64) float64 {
	sum := int64(0)
	for _, s := range starts {
		sum += min(active, max(0, at-s))
	}
	return float64(sum) / 1e6
}

// glob finds files below a directory by their name.
func glob(t *testing.T, dir, name string) (paths []string) {
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if ok, _ := filepath.Match(name, filepath.Base(path)); ok {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return paths
}

// readFromTo is CLOCK_MONOTONIC at the ends of the first and of the last slot in which a column has a value.
func readFromTo(p *profile.Profile, column string) (first, last int64) {
	for i, c := range p.Header.Columns {
		if c.Name != column {
			continue
		}
		for _, b := range p.Blocks {
			for k, v := range b.Columns[i] {
				if v == profile.NoValue || v == 0 && first == 0 {
					continue
				}
				last = p.Header.BaseNS + (b.First+int64(k)+1)*p.Header.StepNS
				if first == 0 {
					first = last
				}
			}
		}
	}
	return first, last
}
