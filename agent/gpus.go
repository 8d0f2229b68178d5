package main

import (
	"cmp"
	"path/filepath"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/gpu"
	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/rawcall"
)

// nvmlProgram is the name of the program that calls NVIDIA's library; it is in the directory of this program.
const nvmlProgram = "jobgait-nvml"

// openGPUs opens the GPUs that the scheduler assigned to the job or, if it assigned none, for a command of `jobgait
// run` those that its processes have open. It does nothing if the settings disable GPUs or a job has none assigned.
func (l counterOpener) openGPUs() {
	if !l.c.GPU || l.r.GPUs == nil && l.r.RootPID == 0 {
		return
	}
	in := l.in
	members := job.NewMembers(l.h.proc, in.peek, l.r, scheduler.ForRun(l.r))
	p := gpu.ReadingParams{Sys: l.h.sys, Dev: l.h.dev, Helper: filepath.Join(filepath.Dir(l.h.program), nvmlProgram),
		Holders: gpu.Holders{Proc: l.h.proc, Now: rawcall.Now, CPUTime: rawcall.CPU, StartOf: startOf,
			Members: func() []int { return in.cpu.KnownPIDs(maxProcessesRead) },
			Sharing: func(pid int) job.Sharing { return members.Describe([]int{pid}).GPUs }}}
	var o gpu.Opened
	if l.r.GPUs != nil {
		p.GPUs = *l.r.GPUs
		o = gpu.Open(p)
	} else {
		sharing := p.Holders.Sharing
		p.Holders.Sharing = func(pid int) job.Sharing { // a GPU without a scheduler is whole
			return cmp.Or(sharing(pid), job.WholeGPUs)
		}
		o = gpu.OpenHeldGPUs(p)
	}
	for _, s := range o.Sources {
		in.add(s)
	}
	in.absent = append(in.absent, o.Absent...)
	in.notes = append(in.notes, o.Notes...)
	in.gpus = o
}

// startOf returns when a process started, in ns of CLOCK_MONOTONIC with a resolution of 10 ms; 0 if unknown.
func startOf(pid int) int64 {
	p, err := job.ProcessOf(pid)
	if err != nil {
		return 0
	}
	var boot, mono unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) != nil {
		return 0
	}
	const ticksPerS = 100 // USER_HZ, on all architectures of Go
	return int64(p.StartTicks)*(1e9/ticksPerS) - (boot.Nano() - mono.Nano())
}
