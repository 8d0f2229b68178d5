package main

import (
	"path/filepath"

	"jobgait/agent/counter/gpu"
	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/rawcall"
)

// nvmlProgram is what asks NVIDIA's library; it lies beside this program.
const nvmlProgram = "jobgait-nvml"

// gpus opens the job's GPUs, where its scheduler names any. Without them nothing is
// asked, opened or started.
func (l ladder) gpus() {
	if l.r.GPUs == nil || !l.c.GPU {
		return
	}
	in := l.in
	members := job.NewMembers(l.h.proc, in.peek, l.r, scheduler.OfRun(l.r))
	o := gpu.Open(gpu.Params{GPUs: *l.r.GPUs, Sys: l.h.sys, Dev: l.h.dev, Perf: l.h.open,
		Helper: filepath.Join(filepath.Dir(l.h.program), nvmlProgram),
		Holders: gpu.Holders{Proc: l.h.proc, Now: rawcall.Now,
			Members: func() []int { return in.cpu.Known(mostAsked) },
			Sharing: func(pid int) job.Sharing { return members.Describe([]int{pid}).GPUs }}})
	for _, s := range o.Sources {
		in.add(s)
	}
	in.absent = append(in.absent, o.Absent...)
	in.notes = append(in.notes, o.Notes...)
	in.gpuCPU, in.boards = o.CPU, o.Devices
}
