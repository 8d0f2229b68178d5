package main

import (
	"testing"
	"time"
)

func TestLimitOfAnEpilogInItsJob(t *testing.T) {
	for own, want := range map[string]time.Duration{
		"":                                10 * time.Second,
		"0::/system.slice/slurmd.service": 10 * time.Second,
		"0::/system.slice/slurmstepd.scope/job_21/step_extern/slurm":                                              inJobDeadline,
		"4:memory:/slurm/uid_1000/job_21/step_extern\n1:cpu:/system.slice":                                        inJobDeadline,
		"4:memory:/slurm_n1/uid_1000/job_21/step_batch/task_0\n0::/system.slice/slurmd.service\nx:not a line\x00": inJobDeadline,
	} {
		if got := limitOf(10*time.Second, []byte(own)); got != want {
			t.Errorf("%q: %v, want %v", own, got, want)
		}
	}
	if got := limitOf(time.Second, []byte("0::/system.slice/slurmstepd.scope/job_21/step_extern/slurm")); got != time.Second {
		t.Errorf("a shorter deadline became %v", got)
	}
}
