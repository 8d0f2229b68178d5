package main

import (
	"fmt"
	"slices"
	"testing"

	"jobgait/analysis/finding"
	"jobgait/analysis/phase"
	"jobgait/reports/job"
)

// course is a program with a start-up of some seconds, then cycles of .25 s of its own CPU time in two
// functions. After a number of cycles it pauses for some seconds, in which it writes its state and waits.
const course = `
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define WORK __attribute__((noinline, aligned(4096))) double
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec +
	t.tv_nsec * 1e-9; }
#define BODY(op) { do for (int i = 0; i < 20000; i++) x = x op 1.0000001 + i; while (now() < until); return x; }
WORK read_input(double x, double until) BODY(-)
WORK forces(double x, double until) BODY(*)
WORK neighbours(double x, double until) BODY(/)
int main(int n, char **v) {
	double x = n, t = now() + atof(v[1]);
	int cycles = atoi(v[2]), every = atoi(v[3]);
	if (atof(v[1]) > 0) x = read_input(x, t);
	for (int k = 1; k <= cycles; k++, t += .25) {
		x = forces(x, t + .15);
		x = neighbours(x, t + .25);
		if (every && k % every == 0 && k < cycles) {
			if (write(1, &x, sizeof x) < 0) return 1;
			usleep(atof(v[4]) * 1e6);
		}
	}
	return x == 0;
}
`

// along is a report's course.
type along struct {
	Job struct {
		ElapsedS float64 `json:"elapsed_s"`
	}
	Rhythm struct {
		Periodic bool
		Totals   []job.PhaseTotal
	}
}

// course runs that program under `jobgait run`, and returns the findings of a run of four hours on two CPUs
// with the same parts, because possible savings are reported only from one core hour on.
func (b box) course(startS float64, cycles, every int, pauseS float64) []string {
	b.t.Helper()
	program := b.compiled("course", course)
	if r := end(b.t, b.command("run", "--", program, fmt.Sprint(startS), fmt.Sprint(cycles), fmt.Sprint(every),
		fmt.Sprint(pauseS))); r.status != 0 {
		b.t.Fatalf("%s%s", r.out, r.complaint)
	}
	var r along
	b.newest(&r)
	if !r.Rhythm.Periodic {
		b.t.Skip("no rhythm is found on a machine as busy as this, or without addresses of code")
	}
	const long, cpus = 4 * 3600.0, 2.0
	n, allocated := finding.RunFacts{ElapsedS: long, NNodes: 1, InOrder: true, Sampled: true, Periodic: true}, cpus
	n.CPU.Allocated = &allocated
	for _, t := range r.Rhythm.Totals {
		s := t.S / r.Job.ElapsedS * long
		switch t.Kind {
		case phase.StartUp:
			n.StartUpS += s
		case phase.Checkpoint:
			n.CheckpointS, n.Checkpoints = n.CheckpointS+s, n.Checkpoints+t.Count
		}
	}
	found := outcome{Findings: finding.Of(n, nil)}.codes()
	b.t.Logf("%.1f s: %+v: %v", r.Job.ElapsedS, r.Rhythm.Totals, found)
	return found
}

// A start-up of a quarter of the run is reported, one of a twentieth is not.
func TestLiveStartUpLong(t *testing.T) {
	byHand(t)
	sampled(t)
	if got := newBox(t).course(5, 60, 0, 0); !slices.Contains(got, "start_up_long") ||
		slices.Contains(got, "checkpoints_cost") {
		t.Errorf("5 s of 20: %v", got)
	}
	if got := newBox(t).course(1, 76, 0, 0); slices.Contains(got, "start_up_long") {
		t.Errorf("1 s of 20: %v", got)
	}
}

// Pauses that return after a fixed number of cycles are reported as checkpoints if they take a third of the
// run; short ones are not reported, and a single one is not a checkpoint.
func TestLiveCheckpointsCost(t *testing.T) {
	byHand(t)
	sampled(t)
	if got := newBox(t).course(0, 100, 20, 3); !slices.Contains(got, "checkpoints_cost") {
		t.Errorf("12 s of 37 in pauses: %v", got)
	}
	if got := newBox(t).course(0, 100, 20, 0.4); slices.Contains(got, "checkpoints_cost") {
		t.Errorf("1.6 s of 27 in pauses: %v", got)
	}
	if got := newBox(t).course(0, 100, 50, 9); slices.Contains(got, "checkpoints_cost") {
		t.Errorf("one pause of 9 s: %v", got)
	}
}
