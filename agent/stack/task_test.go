package stack

import (
	"errors"
	"os"
	"strings"
	"testing"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek"
)

func TestRankOfAProcess(t *testing.T) {
	for _, c := range []struct {
		name, environ string
		rank          int
		mpi, ok       bool
	}{
		{"Open MPI below srun", "SLURM_PROCID=0 SLURM_STEP_ID=1 OMPI_COMM_WORLD_RANK=7", 7, true, true},
		{"MPICH", "PMI_RANK=3", 3, true, true},
		{"PMIx", "PMIX_RANK=4 SLURM_PROCID=4 SLURM_STEP_ID=0", 4, true, true},
		{"a step", "SLURM_PROCID=5 SLURM_STEP_ID=0", 5, false, true},
		{"the batch script", "SLURM_PROCID=0", -1, false, false},
		{"no job", "HOME=/", -1, false, false},
		{"nonsense", "PMI_RANK=-3 OMPI_COMM_WORLD_RANK=x", -1, false, false},
	} {
		rank, mpi, ok := rankOf([]byte(strings.ReplaceAll(c.environ, " ", "\x00") + "\x00"))
		if rank != c.rank || mpi != c.mpi || ok != c.ok {
			t.Errorf("%s: %d, %v, %v", c.name, rank, mpi, ok)
		}
	}
}

// lateReader answers the environments of processes at the third try.
type lateReader struct {
	tries int
	of    map[int]string
}

func (l *lateReader) Ask(q peek.ProcRequest) ([]byte, error) {
	if l.tries++; l.tries%3 != 0 {
		return nil, errors.New("not in time")
	}
	e, ok := l.of[q.PID]
	if !ok {
		return nil, os.ErrNotExist
	}
	return []byte(e), nil
}

// A reader that answers late on a busy machine costs no rank: else launchers would be taken for tasks.
func TestRanksOfALateReader(t *testing.T) {
	r := &lateReader{of: map[int]string{101: "PMI_RANK=0\x00", 102: "PMI_RANK=1\x00"}}
	tasks, left := ChooseTasks(r, t.TempDir(), "n1", []int{100, 101, 102})
	if len(tasks) != 2 || left != 1 || tasks[0].Rank != 0 || tasks[1].Rank != 1 {
		t.Errorf("%+v, %d left out", tasks, left)
	}
}

// A thread other than the main one has a number below /proc, and is no process.
func TestThreadIsNoProcess(t *testing.T) {
	pid := start(t, build(t, "gcc", "deadlock.c", "-O2", "-pthread"))
	jobtest.Until(t, "the process has three threads", func() bool { return len(threadsOf("/proc", pid)) == 3 })
	for i, tid := range threadsOf("/proc", pid) {
		if got := IsProcess("/proc", tid); got != (i == 0) {
			t.Errorf("thread %d is a process: %v", i, got)
		}
	}
}
