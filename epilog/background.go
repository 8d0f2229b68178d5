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

// isBackgroundChild reports whether the arguments are those of a worker or of the sweep after it. Other jobs
// may run on the node then.
func isBackgroundChild(args []string) bool {
	return len(args) >= 2 && (args[0] == as.Worker || args[0] == as.SweepNode)
}

// backgroundCPUs returns how many of a node's CPUs a worker uses: a quarter, at least one.
func backgroundCPUs(cpus int) int { return max(1, cpus/4) }

// limitCPUs limits the Go runtime of a worker or sweep to backgroundCPUs.
func limitCPUs(args []string) {
	if isBackgroundChild(args) {
		runtime.GOMAXPROCS(backgroundCPUs(runtime.GOMAXPROCS(0)))
	}
}

// Memory of a worker. A profile of a day (157 MB) took 400 MB, 505 MB of what the
// kernel counts as data, and 307 and 415 with the collector at work from 256 MB on, in
// the same time; one of three days (472 MB, the size where samples are merged) 286 and
// 395. The hard bound leaves room for the records of thousands of nodes.
const (
	softBytes = 256 << 20
	hardBytes = 2 << 30
	// oomScore makes the kernel's out-of-memory killer count half of all memory in addition, so that it kills a
	// worker rather than a job. Without it the worker inherits slurmd's score, which protects it.
	oomScore = "500"
)

// ioGroup and ioLast are arguments of ioprio_set(2): a process group, and the lowest level of the best-effort
// class. The idle class is not used: mq-deadline and bfq serve its requests only when no others wait, so that a
// sweep on a busy disk might not end (MEASURED.md).
const (
	ioGroup = 2
	ioLast  = 2<<13 | 7
)

// lowerPriority lowers the CPU, disk and memory priority of a worker's or sweep's process group and limits its memory.
// It does nothing if args are those of another call. It returns what the system did not permit; the process goes on
// without it.
func lowerPriority(args []string) error {
	if !isBackgroundChild(args) {
		return nil
	}
	nice := 10
	if args[0] == as.SweepNode { // nothing waits for it
		nice = 19
	}
	debug.SetMemoryLimit(softBytes)
	_, _, errno := unix.Syscall(unix.SYS_IOPRIO_SET, ioGroup, 0, ioLast)
	failed := errors.Join(unix.Setpriority(unix.PRIO_PGRP, 0, nice),
		unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: hardBytes, Max: hardBytes}),
		os.WriteFile("/proc/self/oom_score_adj", []byte(oomScore), 0))
	if errno != 0 {
		failed = errors.Join(failed, errno)
	}
	if failed != nil {
		return fmt.Errorf("lower the priority and memory limit of this process: %w: it goes on and may slow down jobs",
			failed)
	}
	return nil
}
