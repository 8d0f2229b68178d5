package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
)

// aside tells whether the arguments are a worker's or those of the sweep after it:
// other jobs may run on the node, and the next begins when the Epilog has waited
// long enough.
func aside(args []string) bool {
	return len(args) >= 2 && (args[0] == as.Worker || args[0] == as.SweepNode)
}

// besideJobs is how many of a node's CPUs work on a job that has ended.
func besideJobs(cpus int) int { return max(1, cpus/4) }

// leaveCPUs leaves most CPUs to others.
func leaveCPUs(args []string) {
	if aside(args) {
		runtime.GOMAXPROCS(besideJobs(runtime.GOMAXPROCS(0)))
	}
}

// Memory of a worker. A profile of a day (157 MB) took 400 MB, 505 MB of what the
// kernel counts as data, and 307 and 415 with the collector at work from 256 MB on, in
// the same time; one of three days (472 MB, the size where samples are merged) 286 and
// 395. The hard bound leaves room for the records of thousands of nodes.
const (
	softBytes = 256 << 20
	hardBytes = 2 << 30
	// oomScore makes it half of all memory larger in the eyes of the kernel that
	// looks for something to kill: slurmd, whose score it inherits, goes last.
	oomScore = "500"
)

// Classes and levels of ioprio_set(2). The Epilog waits for a worker, so the worker gets the lowest level that
// still makes progress. Nothing waits for a sweep.
const (
	ioGroup = 2
	ioLast  = 2<<13 | 7
	ioIdle  = 3 << 13
)

// stepBehind gives the whole process group, and what it starts, the CPUs, disks and
// memory that others leave. What the system does not allow is said and done without.
func stepBehind(args []string) error {
	if !aside(args) {
		return nil
	}
	nice, io := 10, ioLast
	if args[0] == as.SweepNode {
		nice, io = 19, ioIdle
	}
	debug.SetMemoryLimit(softBytes)
	_, _, errno := unix.Syscall(unix.SYS_IOPRIO_SET, ioGroup, 0, uintptr(io))
	failed := errors.Join(unix.Setpriority(unix.PRIO_PGRP, 0, nice),
		unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: hardBytes, Max: hardBytes}),
		os.WriteFile("/proc/self/oom_score_adj", []byte(oomScore), 0))
	if errno != 0 {
		failed = errors.Join(failed, errno)
	}
	if failed != nil {
		return fmt.Errorf("step behind jobs: %w", failed)
	}
	return nil
}
