package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/analysis/finding"
	"jobgait/analysis/summary"
)

// A finding is earned by real programs here, short ones in C: what the rules make of
// numbers is tested in analysis/finding. A machine on which others work shows a run what
// they do to it, so that only what holds there too is asked.
//
// No program under `jobgait run` can earn files_slow, which rests on the pressure of a
// job's control group of version 2, nor node_idle, odd_node, imbalance and
// too_many_nodes, for it has one node: those are tested with numbers only.

// workload is a C program with one argument for what it does and one for how much.
const workload = `
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
static double until;
static void *spin(void *x) { volatile double y = 0; while (now() < until) for (int i = 0; i < 10000; i++) y += i;
	return x; }
int main(int argc, char **argv) {
	double n = argc > 2 ? atof(argv[2]) : 1, s = argc > 3 ? atof(argv[3]) : 1;
	until = now() + s;
	if (!strcmp(argv[1], "threads")) {
		pthread_t t[64];
		for (int i = 0; i < n; i++) pthread_create(&t[i], 0, spin, 0);
		for (int i = 0; i < n; i++) pthread_join(t[i], 0);
	} else if (!strcmp(argv[1], "memory")) {
		for (double mb = 0; mb < n; mb += 8) {
			char *p = malloc(8 << 20);
			if (!p) { perror("malloc"); return 1; }
			memset(p, 1, 8 << 20);
		}
		usleep(s * 1e6);
	} else {
		usleep(s * 1e6);
	}
	return 0;
}
`

// compiled is a program in C, made with the compiler that the build has.
func (b box) compiled(name, text string) string {
	b.t.Helper()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		b.t.Skip("no gcc")
	}
	program := filepath.Join(b.work, name)
	if err := os.WriteFile(program+".c", []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-O1", "-pthread", "-o", program, program+".c").CombinedOutput(); err != nil {
		b.t.Fatalf("%v: %s", err, out)
	}
	return program
}

// outcome is what the newest report says of a run.
type outcome struct {
	Resources summary.Resources
	Findings  []finding.Finding
}

func (r outcome) codes() (out []string) {
	for _, f := range r.Findings {
		out = append(out, f.Code)
	}
	return out
}

// watched runs a command line of a shell under `jobgait run`; $load is the workload.
func (b box) watched(line string) outcome {
	b.t.Helper()
	program := b.compiled("load", workload)
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = b.work, append(b.env, "load="+program, "run="+filepath.Join(bin(b.t), "jobgait")+" run --")
	end(b.t, cmd)
	return b.outcome()
}

// outcome is what the newest report says.
func (b box) outcome() (r outcome) {
	b.t.Helper()
	b.newest(&r)
	c, m := r.Resources.CPU, r.Resources.Memory
	b.t.Logf("%v; of %s CPUs busy %s, waiting %s, throttled %s, others %s; memory %s of %s", r.codes(), shown(c.Allocated),
		shown(c.Busy), shown(c.Waiting), shown(c.Throttled), shown(c.Others), shown(m.PeakBytes), shown(m.RequestedBytes))
	return r
}

// A loop that shares its CPU with other programs is crowded, and not by its own threads. Six threads on one CPU
// that no other program uses are oversubscribed. One thread is neither.
func TestLiveCrowdedAndOversubscribed(t *testing.T) {
	if _, err := exec.LookPath("taskset"); err != nil {
		t.Skip("no taskset")
	}
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skipf("this kernel reports no run_delay: %v", err)
	}
	b := newBox(t)
	r := b.watched("taskset -c 0 $load threads 2 30 & other=$!; $run taskset -c 0 $load threads 1 3; kill $other")
	if got := r.codes(); len(got) == 0 || got[0] != "crowded" || slices.Contains(got, "oversubscribed") {
		t.Errorf("beside two others: %v, %+v", got, r.Resources.CPU)
	}
	if c := r.Resources.CPU; c.Others == nil || c.Busy == nil || *c.Others < *c.Busy {
		t.Errorf("two others had less than one: %+v", c)
	}
}

// TestLiveTimeDivision runs a shell that computes for 0.2 s and sleeps for 0.3 s, ten times. All that does not sleep
// computes or waits for a CPU, however busy the machine is.
func TestLiveTimeDivision(t *testing.T) {
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skipf("this kernel does not count run_delay: %v", err)
	}
	b := newBox(t)
	// The shell itself computes: the waiting of a process that lives throughout is counted, that of short ones estimated.
	r := b.watched(`$run sh -c 'i=0; while [ $i -lt 10 ]; do j=0; while [ $j -lt 100000 ]; do j=$((j+1)); done; ` +
		`sleep .3; i=$((i+1)); done'`)
	d, used := r.Resources.Time.Division, r.Resources.Time.UsedS
	if d == nil || used == nil || d.CPUWait == nil {
		t.Fatalf("the time is not divided: %+v", d)
	}
	slept := 10 * .3 / *used
	t.Logf("of %.2f s: %.2f computing, %.2f waiting for a CPU, %.2f asleep", *used, d.Computing, *d.CPUWait, d.Asleep)
	if math.Abs(d.Asleep-slept) > .15 || d.Computing < .5*(1-slept)-*d.CPUWait {
		t.Errorf("it slept for %.2f of the run: %+v", slept, d)
	}
}

// The waiting of processes that live for a tenth of a second is not lost: two loops share the CPU with them, so that
// each waits for two thirds of its life.
func TestLiveCrowdedShortProcesses(t *testing.T) {
	if _, err := exec.LookPath("taskset"); err != nil {
		t.Skip("taskset is not installed")
	}
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skipf("this kernel does not count run_delay: %v", err)
	}
	b := newBox(t)
	r := b.watched("taskset -c 0 $load threads 2 60 & other=$!; $run taskset -c 0 " +
		`sh -c 'i=0; while [ $i -lt 50 ]; do "$load" threads 1 .1; i=$((i+1)); done'; kill $other`)
	c := r.Resources.CPU
	if c.Waiting == nil || c.Busy == nil || *c.Waiting < *c.Busy {
		t.Errorf("50 processes that waited twice as long as they ran: %+v", c)
	}
	if got := r.codes(); !slices.Contains(got, "crowded") {
		t.Errorf("findings are %v", got)
	}
}

// A program that waits for its own threads is reported as waiting, and other programs are not blamed if there
// were none.
func TestLiveOwnThreads(t *testing.T) {
	byHand(t)
	b := newBox(t)
	r := b.watched("OMP_NUM_THREADS=6 $run $load threads 6 3")
	c, got := r.Resources.CPU, r.codes()
	if c.Waiting == nil || c.Allocated == nil || c.Busy == nil || *c.Allocated > 4 {
		t.Skipf("not a machine of few CPUs: %+v", c)
	}
	if !slices.Contains(got, "oversubscribed") && !slices.Contains(got, "crowded") {
		t.Errorf("six threads on %g CPUs: %v, %+v", *c.Allocated, got, c)
	}
	if i := slices.Index(got, "oversubscribed"); i >= 0 && *c.Allocated == 2 {
		if a := r.Findings[i].Action; a == nil || !strings.Contains(*a, "OMP_NUM_THREADS is 6: set it to 2") {
			t.Errorf("%+v", r.Findings[i])
		}
	}
}

// A failure under a limit of mappable memory is reported with that limit.
func TestLiveFailsAtOnce(t *testing.T) {
	b := newBox(t)
	r := b.watched("ulimit -v 3000000; $run sh -c 'exit 3'")
	if got := r.codes(); len(got) == 0 || got[0] != "failed" || slices.Contains(got, "oversubscribed") ||
		slices.Contains(got, "crowded") || !strings.Contains(r.Findings[0].Text, "ulimit -v") {
		t.Errorf("%v %+v", got, r.Findings)
	}
}

// byHand skips what takes longer than make test has.
func byHand(t *testing.T) {
	t.Helper()
	if os.Getenv("JOBGAIT_LIVE") == "" {
		t.Skip("JOBGAIT_LIVE is not set: make -C packaging soak sets it")
	}
}

// group1 makes a cgroup of version 1 with one setting, and returns it.
func group1(t *testing.T, controller, name, value string) string {
	t.Helper()
	dir := filepath.Join("/sys/fs/cgroup", controller, "jobgait-test-"+strconv.Itoa(os.Getpid()))
	if unix.Geteuid() != 0 || os.Mkdir(dir, 0o755) != nil {
		t.Skip("no cgroup of version 1 can be made here")
	}
	t.Cleanup(func() { poll(t, "the cgroup is removed", func() bool { return os.Remove(dir) == nil }) })
	if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0o644); err != nil {
		t.Skipf("no limit can be set: %v", err)
	}
	return dir
}

func TestLiveThrottled(t *testing.T) {
	byHand(t)
	b := newBox(t)
	dir := group1(t, "cpu", "cpu.cfs_quota_us", "10000")
	r := b.watched("echo $$ > " + dir + "/cgroup.procs; $run $load threads 2 4")
	if got := r.codes(); !slices.Contains(got, "throttled") || r.Resources.CPU.Allocated == nil ||
		*r.Resources.CPU.Allocated != 0.1 {
		t.Errorf("%v %+v", got, r.Resources.CPU)
	}
}

func TestLiveOutOfMemoryInACgroup(t *testing.T) {
	b := newBox(t)
	dir := group1(t, "memory", "memory.limit_in_bytes", "300000000")
	r := b.watched("echo $$ > " + dir + "/cgroup.procs; $run $load memory 600 1")
	if got := r.codes(); len(got) == 0 || got[0] != "out_of_memory" {
		t.Errorf("%v %+v", got, r.Resources.Memory)
	}
}

// A correct run, idle by its nature, gets no finding that does not apply.
func TestLiveNothing(t *testing.T) {
	byHand(t)
	b := newBox(t)
	r := b.watched("$run $load sleep 1 1")
	for _, f := range r.Findings {
		if f.Level != finding.Info {
			t.Errorf("%+v", f)
		}
	}
}

// Memory near its limit is reported; page cache does not count.
func TestLiveMemoryNearItsLimit(t *testing.T) {
	byHand(t)
	b := newBox(t)
	dir := group1(t, "memory", "memory.limit_in_bytes", "500000000")
	r := b.watched("echo $$ > " + dir + "/cgroup.procs; $run $load memory 440 4")
	if got := r.codes(); !slices.Contains(got, "memory_near_limit") {
		t.Errorf("%v %+v", got, r.Resources.Memory)
	}
	r = b.watched("echo $$ > " + dir +
		"/cgroup.procs; $run sh -c 'dd if=/dev/zero of=out bs=1M count=450 conv=fsync 2>/dev/null; sleep 2'")
	if got := r.codes(); slices.Contains(got, "memory_near_limit") {
		t.Errorf("a writer of 450 MB: %v %+v", got, r.Resources.Memory)
	}
}

// asIfLong judges values measured in seconds as if the run had lasted two hours, because possible savings are
// reported only from one core hour on.
func (r outcome) asIfLong() []string {
	c, m := r.Resources.CPU, r.Resources.Memory
	n := finding.RunFacts{ElapsedS: 7200, NNodes: 1, InOrder: true, Sampled: true, Periodic: true}
	n.CPU = finding.CPU{Allocated: c.Allocated, Busy: c.Busy, Waiting: c.Waiting, Throttled: c.Throttled, Stolen: c.Stolen,
		Others: c.Others}
	n.Memory = finding.MemoryFacts{Peak: m.PeakBytes, Requested: m.RequestedBytes}
	return outcome{Findings: finding.Of(n, nil)}.codes()
}

// A run that sleeps leaves its CPUs idle; as many threads as CPUs do not. This is checked only on an idle
// machine: at a load of 16, one run in six was reported with idle CPUs too.
func TestLiveCPUsIdle(t *testing.T) {
	byHand(t)
	b := newBox(t)
	r := b.watched("$run $load sleep 1 3")
	if got := r.asIfLong(); !slices.Contains(got, "cpus_idle") {
		t.Errorf("asleep: %v %+v", got, r.Resources.CPU)
	}
	r = b.watched("$run $load threads $(nproc) 4")
	if got := r.asIfLong(); slices.Contains(got, "cpus_idle") && !slices.Contains(got, "crowded") {
		t.Errorf("a thread for each CPU: %v %+v", got, r.Resources.CPU)
	}
}

// 300 MB used of 8 GB are reported as unused memory, of 3.9 GB not: that may be a scheduler's default.
func TestLiveMemoryUnused(t *testing.T) {
	byHand(t)
	b := newBox(t)
	dir := group1(t, "memory", "memory.limit_in_bytes", "8000000000")
	line := "echo $$ > " + dir + "/cgroup.procs; $run $load memory 300 3"
	r := b.watched(line)
	if got := r.asIfLong(); !slices.Contains(got, "memory_unused") {
		t.Errorf("%v %+v", got, r.Resources.Memory)
	}
	if err := os.WriteFile(filepath.Join(dir, "memory.limit_in_bytes"), []byte("3900000000"), 0o644); err != nil {
		t.Fatal(err)
	}
	r = b.watched(line)
	if got := r.asIfLong(); slices.Contains(got, "memory_unused") {
		t.Errorf("of 3.9 GB: %v %+v", got, r.Resources.Memory)
	}
}
