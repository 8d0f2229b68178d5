package stack

import (
	"strings"
	"testing"
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
