package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/live"
	"jobgait/agent/stack"
	"jobgait/analysis/tracker"
)

// reducing is an MPI program: reducing WAY. Every rank computes and reduces 120 times. Then, if WAY is "block", rank 2
// reads a FIFO that has no writer; else all ranks only communicate for 25 s and continue. It makes the file "left" when
// it leaves the loop, and "done" at the end.
const reducing = `
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static volatile double sink;
#define OWN __attribute__((noinline)) static void
OWN exchange(double mine) {
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  sink = sum;
}
OWN compute(void) {
  double x = sink;
  for (int k = 0; k < 8000000; k++) x = x * 0.999999 + 1e-6;
  sink = x;
}
OWN mark(const char *file) { close(open(file, O_CREAT | O_WRONLY, 0600)); }
OWN read_input(void) {
  char c;
  int fd = open("fifo", O_RDWR);
  if (read(fd, &c, 1) < 0) perror("fifo");
  sink = 0;
}
OWN communicate(double seconds) {
  int over = 0, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (double began = MPI_Wtime(); !over;) {
    int mine = rank == 0 && MPI_Wtime() - began > seconds;
    MPI_Allreduce(&mine, &over, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
}
int main(int argc, char **argv) {
  int rank;
  alarm(900); /* ends ranks whose test was killed */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int part = 0; part < 2; part++) {
    for (int i = 0; i < 120; i++) {
      compute();
      exchange(rank);
    }
    if (part == 0 && rank == 0) mark("left");
    if (part == 0 && !strcmp(argv[1], "block") && rank == 2) read_input();
    else if (part == 0 && strcmp(argv[1], "block")) communicate(25);
  }
  if (rank == 0) mark("done");
  MPI_Finalize();
  return 0;
}
`

// reducingRun is the program reducing under `jobgait run`.
type reducingRun struct {
	*beating
	ended chan struct{}
}

// newReducingRun starts four ranks with the MPI that JOBGAIT_MPI names, openmpi without.
func newReducingRun(t *testing.T, way string) reducingRun {
	t.Helper()
	mpi := cmp.Or(os.Getenv("JOBGAIT_MPI"), "openmpi")
	b := &beating{box: newBox(t), ends: map[int64]time.Time{}}
	if err := os.WriteFile(filepath.Join(b.work, "reducing.c"), []byte(reducing), 0o600); err != nil {
		t.Fatal(err)
	}
	b.shell("mpicc." + mpi + " -O2 -g -o reducing reducing.c")
	if err := syscall.Mkfifo(filepath.Join(b.work, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_btl=self,vader", "OMPI_MCA_mpi_yield_when_idle=1")
	b.cmd = b.command("run", "--", "mpirun."+mpi, "-n", "4", "./reducing", way)
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := reducingRun{b, make(chan struct{})}
	go func() {
		_ = b.cmd.Wait()
		close(r.ended)
	}()
	t.Cleanup(r.kill)
	return r
}

// kill ends the ranks, which ends the run.
func (r reducingRun) kill() {
	for _, pid := range stack.Descendants("/proc", r.cmd.Process.Pid) {
		if name, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); filepath.Base(name) == "reducing" {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	<-r.ended
}

// has reports whether the program has made a file.
func (r reducingRun) has(file string) bool {
	_, err := os.Stat(filepath.Join(r.work, file))
	return err == nil
}

// untilStalled waits until the run is called stalled or has ended.
func (r reducingRun) untilStalled() (s live.State, stalled bool) {
	for {
		if got, ok := r.state(); ok {
			s = got
		}
		if s.State == tracker.Stalled && (s.Stalled.Summary != "" || r.has("done")) {
			return s, true
		}
		select {
		case <-r.ended:
			return s, false
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Four ranks of MPI reduce in a loop that is too short for a period. If one of them blocks, the run is called stalled
// and the rank is named, while it runs and in the report; if all ranks only communicate for 25 s, it is not. By hand:
// JOBGAIT_ROUNDS rounds, JOBGAIT_MPI=mpich for the other MPI; -parallel is the number of runs at a time.
func TestLiveStallsInMPI(t *testing.T) {
	byHand(t)
	if _, err := exec.LookPath("mpirun." + cmp.Or(os.Getenv("JOBGAIT_MPI"), "openmpi")); err != nil {
		t.Skip(err)
	}
	before, _, _ := strings.Cut(reducing, "if (read(fd")
	want := fmt.Sprintf("is in read_input (reducing.c:%d), asleep in read: all others wait for it.",
		1+strings.Count(before, "\n"))
	for _, way := range []string{"block", "communicate"} {
		var mu sync.Mutex
		var after []float64
		rounds, stalls, named := jobtest.Rounds(1), 0, 0
		inParallelRounds(t, way, rounds, func(t *testing.T) {
			r := newReducingRun(t, way)
			var left time.Time
			for left.IsZero() {
				if r.has("left") {
					left = time.Now()
				}
				select {
				case <-r.ended:
					t.Fatal("the program ended in its loop")
				case <-time.After(20 * time.Millisecond):
				}
			}
			s, stalled := r.untilStalled()
			late := time.Since(left).Seconds()
			r.kill()
			mu.Lock()
			defer mu.Unlock()
			if stalled != (way == "block") {
				t.Errorf("stalled: %v, %+v", stalled, s)
			}
			if stalled {
				stalls++
				after = append(after, late)
			}
			if way == "block" {
				text := strings.Join(strings.Fields(r.report()), " ")
				if stalled && strings.Contains(s.Stalled.Summary, want) && strings.Contains(text, want) &&
					slices.Contains(r.outcome().codes(), "hung") {
					named++
				} else {
					t.Errorf("the rank is not named: %+v\n%s", s.Stalled, text)
				}
			}
			t.Logf("%s: stalled %v, %.1f s after the loop", way, stalled, late)
		})
		t.Logf("%s: %d of %d rounds stalled, rank named in %d, seconds after the loop %s", way, stalls, rounds, named,
			extremes(after))
	}
}
