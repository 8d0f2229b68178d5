package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/agent/sampler"
	"jobgait/analysis/note"
	"jobgait/configs"
)

// agent samples one run: it drains the inputs into the sampler and writes the resulting blocks to the profile.
type agent struct {
	sampledRun
	in    *inputs
	clock clock
	errorLog
	sampling
	overhead overheadControl
	recording
	programs mainPrograms
	details  detailsReader
	naming   naming
	idle     idle
	// suspension tracks whether the job is stopped from outside.
	suspension suspension
	// rhythm follows the job's loop; nil if no column shows it.
	rhythm *rhythm
	// onStall is nil if no program is notified of stalls.
	onStall *onStall
	atStall stallStacks
}

// sampledRun is the run that is sampled, and by which process.
type sampledRun struct {
	run job.Run
	// dir is the run directory. If it is "", nothing about the job is stored.
	dir  job.RunDir
	self job.Process
	// over is set when the job or its run directory is gone, so that the agent ends.
	over bool
}

// dirRemoved reports whether the run directory was removed; false for an agent without one. After that no Epilog
// finds this agent, and no program reads what the agent writes.
func (r *sampledRun) dirRemoved() bool {
	if r.dir == "" {
		return false
	}
	_, err := os.Lstat(string(r.dir))
	return errors.Is(err, fs.ErrNotExist)
}

// clock has the agent's sources of time in ns; tests replace them.
type clock struct {
	mono func() int64 // CLOCK_MONOTONIC
	real func() int64 // CLOCK_REALTIME
	cpu  func() int64 // CPU time of this process and its child
	// sleep blocks for the duration; only the end of the run uses it.
	sleep func(time.Duration)
}

// systemClock returns the clocks of the system.
func systemClock() clock {
	return clock{mono: rawcall.Now, real: func() int64 {
		return time.Now().UnixNano()
	}, cpu: rawcall.CPU, sleep: time.Sleep}
}

// newAgent returns the agent of a run. Its CPU clock includes the child that reads other processes and the
// programs that read GPUs.
func newAgent(r job.Run, in *inputs, log func(error)) *agent {
	c := systemClock()
	if in.peek != nil { // its CPU time is part of the agent's cost
		own := c.cpu
		c.cpu = func() int64 { return own() + in.peek.CPU() }
	}
	if in.gpus.CPU != nil {
		own := c.cpu
		c.cpu = func() int64 { return own() + in.gpus.CPU().TotalNS }
	}
	return &agent{sampledRun: sampledRun{run: r}, in: in, clock: c, errorLog: newErrorLog(log)}
}

// begin starts the counters and creates the profile at path. It adds a note if sampling begins more than
// unnotedDelayS after the run. It drains all sources once: later readings count from there.
func (a *agent) begin(path string, c configs.Agent) error {
	if err := a.in.start(); err != nil {
		return err
	}
	h := a.in.header(a.run)
	a.initSampling(sampler.NewGrid(a.in.stepNS, a.clock.mono()))
	h.BaseNS, h.RunNS, h.RunReal = a.grid.BaseNS, int64(a.run.StartMono*1e9), a.run.StartReal
	if late := float64(h.BaseNS-h.RunNS) / 1e9; late > unnotedDelayS {
		h.Notes = append(h.Notes, note.New(note.AgentLate,
			"sampling began %.1f s after the start of the run: the profile lacks this time", late))
	}
	w, err := profile.Create(path, h, profile.WriterOptions{Lossless: c.Lossless, MaxBytes: int64(c.ProfileMB * 1e6)})
	if err != nil {
		return err
	}
	a.recording = recording{writer: w, header: h}
	a.rhythm = newRhythm(h, a.in, a.openLocation(c))
	a.listen()
	a.beginAtLowRate()
	a.drain() // the baseline of every count
	return nil
}

// unnotedDelayS is by how many seconds sampling may begin after the run without a note. Starting the agent
// takes some 50 ms.
const unnotedDelayS = 2

// initSampling creates the sampler, the schedule and the overhead measurement for this grid.
func (a *agent) initSampling(g sampler.Grid) {
	now := a.clock.mono()
	a.sampling = newSampling(g, a.in, now)
	a.overhead.meter = newOverheadMeter(a.in.prices, a.in.limitPct)
	a.overhead.meter.reset(now, a.clock.cpu(), 0, 0)
}

// runLoop runs the scheduled tasks until a signal, the time limit (limit) or the end of the job, then drains the
// inputs and seals the profile. After a panic or an error of the timer it only seals the profile, so that the samples
// up to then are kept, and returns the error.
func (a *agent) runLoop(stop <-chan os.Signal, limit time.Duration) (err error) {
	reason := "stopped"
	defer func() {
		if p := recover(); p != nil {
			reason, err = "failed", fmt.Errorf(
				"internal error, please report it: the agent panicked: %v: sampling stops, the samples before are kept", p)
		}
		if serr := a.seal(reason); err == nil {
			err = serr
		}
	}()
	alarm, err := newAlarm(stop, a.in.ringHalfFull(a.log))
	if err != nil {
		return fmt.Errorf("%w: the run is not sampled", err)
	}
	defer alarm.close()
	for end := a.clock.mono() + int64(limit); ; {
		if err := alarm.sleep(min(a.clock.mono()+int64(a.timeToNextTask()), end)); err != nil {
			return fmt.Errorf("%w: sampling stops, the samples before are kept", err)
		}
		if alarm.ringHalfFull.Swap(false) {
			a.drainAddresses()
		}
		switch now := a.clock.mono(); {
		case alarm.stopped.Load():
		case now >= end:
			reason = "max_hours"
		default:
			if a.runDueTasks(); !a.over {
				continue
			}
			reason = "job_gone"
		}
		a.drainFinal()
		return nil
	}
}

// timeToNextTask returns the time until the next wake-up of the loop: that of the schedule, a fixed one after a
// failed write, or that of an idle node.
func (a *agent) timeToNextTask() time.Duration {
	switch {
	case a.writeFailed():
		return 10 * time.Second
	case a.idle.active:
		return a.idle.pause()
	}
	return time.Duration(max(0, a.schedule.nextNS()-a.clock.mono()))
}

// runDueTasks runs the tasks that are due. If a flush is due it does only that, because a flush drains all
// inputs. On an idle node it only checks whether the run directory was removed and looks for a new process of
// the job; after a failed write it only does the former.
func (a *agent) runDueTasks() {
	now := a.clock.mono()
	switch {
	case a.writeFailed(), a.idle.active:
		if a.over = a.dirRemoved(); !a.over && !a.writeFailed() {
			a.wakeIfProcess()
		}
		return
	case now < a.schedule.nextNS():
		return // woken for something else
	}
	a.schedule.drawWakeUp(now)
	if a.schedule.due(flush, now) {
		a.flush()
		return
	}
	for k, i := range a.in.slow {
		if a.schedule.due(k+1, now) {
			a.drainOne(i)
		}
	}
}

// drainAddresses drains the ring of code addresses early because it is half full: a job that starts many
// programs fills it. It does nothing after a failed write or on an idle node.
func (a *agent) drainAddresses() {
	if !a.writeFailed() && !a.idle.active {
		a.drainOne(a.in.codeIndex())
	}
}

// flush drains all inputs, writes complete blocks, and updates names, rhythm, job details, the budget and the
// idle state. It sets over if the run directory was removed.
func (a *agent) flush() {
	now := a.drain()
	a.checkSuspended(now)
	a.recordPrograms(now)
	a.writeBlocks(now)
	a.updateRhythm(now)
	a.readJobDetails(now)
	a.updateNames(now)
	a.keepBudget(now)
	if a.idle.processGoneLong(now, a.in.cpu.Alive()) {
		a.handleNoProcess()
	}
	a.over = a.over || a.dirRemoved()
}

// drain reads all sources into the sampler and draws the next times of their tasks. It returns the time at which it
// began: everything that was recorded before that time has been read.
func (a *agent) drain() int64 {
	now := a.clock.mono()
	for i := range a.in.sources {
		a.drainOne(i)
	}
	for k := range a.in.slow {
		a.schedule.drawNext(k+1, now)
	}
	return now
}

// drainOne reads source i into its track, unless the source was stopped for the budget.
func (a *agent) drainOne(i int) {
	if a.in.isStopped(i) {
		return
	}
	track := a.sampler.Track(i)
	a.logOnce(a.in.sources[i].Drain(track))
	// A reading that interrupts CPUs costs them what a record does.
	track.Drained(a.in.interrupts(i))
}

// writeBlocks appends all complete blocks to the profile, after the pending epochs, and lets the rhythm follow
// them. It also writes the utilization windows of GPUs. After a failed write it appends no more blocks, but the
// rhythm still follows them. now is the time up to which all records have been read.
func (a *agent) writeBlocks(now int64) {
	for _, e := range a.sampler.Epochs() {
		a.handleWriteError(a.writer.WriteEpoch(e))
	}
	for b := &a.block; a.sampler.Emit(now, b); {
		b.RealNS, b.MonoNS = a.clock.real(), a.clock.mono()
		b.AgentCPUNS = a.clock.cpu() + childrenNS()
		if a.rhythm != nil {
			a.rhythm.loop.follow(b, a.header, a.in.rate.Hz)
		}
		a.handleWriteError(a.appendBlock())
	}
	if a.in.gpus.Windows != nil && !a.writeFailed() {
		a.handleWriteError(a.writer.WriteWindows(a.in.gpus.Windows()))
	}
}

// handleWriteError takes the result of a write. At the first error, mostly a full disk, it logs the error and stops
// the counters. It ignores nil and later errors.
func (a *agent) handleWriteError(err error) {
	if a.recordFailure(err) {
		a.log(fmt.Errorf("%w: sampling stops, the samples before are kept", err))
		a.stopCounters()
	}
}

// stopCounters stops all sources and logs their errors.
func (a *agent) stopCounters() {
	if err := a.in.stop(); err != nil {
		a.log(err)
	}
}

// drainFinal drains what was recorded up to now, stops the counters and writes it. The last step and a half may
// have no record yet and is left out. It drains twice, three steps apart, so that the written slots contain all
// counts up to the first drain, not interpolated parts of them. It does nothing after a failed write or on an
// idle node.
func (a *agent) drainFinal() {
	if a.writeFailed() || a.idle.active {
		return
	}
	a.in.cpu.ReadAll(true)
	a.readGPUs()
	a.drain()
	a.clock.sleep(time.Duration(3*a.in.stepNS) + lastPause)
	now := a.drain()
	a.stopCounters()
	a.writeBlocks(now + sampler.EmitDelayNS - 2*a.in.stepNS)
}

// readGPUs requests a last reading of the GPUs and waits for it, at most gpuWait. Reading an energy counter takes
// up to 23 ms, and the counter is new every 100 ms only.
func (a *agent) readGPUs() {
	if a.in.gpus.Flush == nil {
		return
	}
	a.in.gpus.Flush()
	for waited := time.Duration(0); waited < gpuWait && !a.in.gpus.Flushed(); waited += gpuPause {
		a.clock.sleep(gpuPause)
	}
}

const (
	gpuWait  = 350 * time.Millisecond
	gpuPause = 5 * time.Millisecond
)

// lastPause is added to the wait between the two final drains, so that the second cannot be early.
const lastPause = time.Millisecond
