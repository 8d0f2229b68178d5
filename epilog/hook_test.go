package main

import (
	"context"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/configs"
)

func TestLimitOfAnEpilogInItsJob(t *testing.T) {
	for own, want := range map[string]time.Duration{
		"":                                10 * time.Second,
		"0::/system.slice/slurmd.service": 10 * time.Second,
		"0::/system.slice/slurmstepd.scope/job_21/step_extern/slurm":       inJobDeadline,
		"4:memory:/slurm/uid_1000/job_21/step_extern\n1:cpu:/system.slice": inJobDeadline,
		"4:memory:/slurm_n1/uid_1000/job_21/step_batch/task_0\n" +
			"0::/system.slice/slurmd.service\nx:not a line\x00": inJobDeadline,
	} {
		got := limitDeadline(configs.Epilog{DeadlineS: 10, WaitS: 0.5}, []byte(own))
		waits := 500 * time.Millisecond
		if want == inJobDeadline {
			waits = want
		}
		if got.Deadline() != want || got.Wait() != waits {
			t.Errorf("%q: %v, waits %v, want %v and %v", own, got.Deadline(), got.Wait(), want, waits)
		}
	}
	if got := limitDeadline(configs.Epilog{DeadlineS: 1},
		[]byte("0::/system.slice/slurmstepd.scope/job_21/step_extern/slurm")); got.Deadline() != time.Second {
		t.Errorf("a shorter deadline became %v", got.Deadline())
	}
}

// An Epilog stops waiting for a process that continues when the condition for enough holds.
func TestWaitUntilItIsEnough(t *testing.T) {
	pidfd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		t.Skip("no pidfds: ", err)
	}
	defer func() { _ = unix.Close(pidfd) }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	asked := 0
	err = waitForExit(ctx, pidfd, func() bool { asked++; return asked == 3 })
	if err != nil || asked != 3 || ctx.Err() != nil {
		t.Errorf("queried %d times, %v, %v", asked, err, ctx.Err())
	}
}

// An Epilog that waits for a process stops when its context is cancelled, long before the deadline.
func TestWaitEndsWhenCancelled(t *testing.T) {
	pidfd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		t.Skip("no pidfds: ", err)
	}
	defer func() { _ = unix.Close(pidfd) }()
	for _, enough := range []func() bool{nil, func() bool { return false }} {
		limited, release := context.WithTimeout(t.Context(), time.Hour)
		ctx, cancel := context.WithCancel(limited)
		ended := make(chan error, 1)
		go func() { ended <- waitForExit(ctx, pidfd, enough) }()
		cancel()
		if err := <-ended; err != nil || limited.Err() != nil {
			t.Errorf("the wait ended with %v, its limit %v", err, limited.Err())
		}
		release()
	}
}
