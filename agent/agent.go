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

// agent drains the inputs, and writes what the sampler makes of them.
type agent struct {
	run      job.Run
	in       *inputs
	clock    clock
	schedule *schedule
	sampler  *sampler.Sampler
	grid     sampler.Grid
	meter    meter
	brake    brake
	writer   writer
	block    profile.Block
	log      func(error)
	// full is set, with the reason, when there is no room: nothing is written
	// any more, but the agent lives on until it is stopped.
	full   bool
	filled error
	lost   int64
	failed map[string]bool // errors of drains that were logged
	idle   idle
	// suspension is whether the job is stopped from outside.
	suspension suspension
	// rhythm follows the loop; nil where there is nothing to follow it in. header is
	// what was written of the inputs.
	rhythm *rhythm
	header profile.Header
	// onStall is nil if no program is notified of stalls.
	onStall *onStall
	atStall atStall
	self    job.Process
	// over is set when there is nothing more to come.
	over bool
	// dir takes what is learned of the job; "" learns nothing.
	dir     job.RunDir
	learner learner
	// program and script are the reported names of the job's program; named is when to determine them again.
	program, script string
	named           int64
	naming          naming
	// atStart are the notes of the header, during those of the footer.
	atStart, during []note.Note
}

// clock is what the agent knows of time; tests have one of their own.
type clock struct {
	mono func() int64 // CLOCK_MONOTONIC
	real func() int64 // CLOCK_REALTIME
	cpu  func() int64 // CPU time of this process and its child
	// sleep waits; it is used once, at the end.
	sleep func(time.Duration)
}

func systemClock() clock {
	return clock{mono: rawcall.Now, real: func() int64 {
		return time.Now().UnixNano()
	}, cpu: rawcall.CPU, sleep: time.Sleep}
}

// writer is the profile; tests give one that fails.
type writer interface {
	Append(profile.Block) error
	Epoch(profile.Epoch) error
	Places(profile.Places)
	Windows([]profile.GPUWindows) error
	Seal(profile.Footer) error
	Close() error
}

func newAgent(r job.Run, in *inputs, log func(error)) *agent {
	c := systemClock()
	if in.peek != nil { // its child works for us
		own := c.cpu
		c.cpu = func() int64 { return own() + in.peek.CPU() }
	}
	if in.gpuCPU != nil {
		own := c.cpu
		c.cpu = func() int64 { return own() + in.gpuCPU().TotalNS }
	}
	return &agent{run: r, in: in, clock: c, log: log, failed: map[string]bool{}}
}

// begin starts the counters and creates the profile.
func (a *agent) begin(path string, c configs.Agent) error {
	if err := a.in.start(); err != nil {
		return err
	}
	h := a.in.header(a.run)
	a.ready(sampler.NewGrid(a.in.stepNS, a.clock.mono()))
	h.BaseNS, h.RunNS, h.RunReal = a.grid.BaseNS, int64(a.run.StartMono*1e9), a.run.StartReal
	if late := float64(h.BaseNS-h.RunNS) / 1e9; late > lateS {
		h.Notes = append(h.Notes, note.New(note.AgentLate, "sampling began %.1f s after the run", late))
	}
	a.atStart = h.Notes
	w, err := profile.Create(path, h, profile.WriterOptions{Lossless: c.Lossless, MaxBytes: int64(c.ProfileMB * 1e6)})
	if err != nil {
		return err
	}
	a.writer = w
	a.header = h
	a.rhythm = newRhythm(h, a.in, a.location(c))
	a.listen()
	a.beginLow()
	a.drain() // the baseline of every count
	return nil
}

// lateS is how late sampling may begin without a note: starting the agent
// takes some 50 ms.
const lateS = 2

// ready makes everything that needs the grid.
func (a *agent) ready(g sampler.Grid) {
	a.grid = g
	a.sampler = sampler.New(g, a.in.code != nil, a.in.shapes()...)
	a.meter = newMeter(a.in.prices, a.in.limitPct)
	now := a.clock.mono()
	a.meter.reset(now, a.clock.cpu(), 0, 0)
	a.schedule = newSchedule()
	a.schedule.add(now, flushNS, flushSpreadNS)
	a.schedule.strict(flush)
	for k, i := range a.in.slow {
		every := a.in.everyNS(i)
		a.schedule.add(now, every, every/2)
		if a.in.sources[i].PeriodNS() > 0 || i == a.in.codeAt() {
			a.schedule.strict(k + 1) // rings that had to shrink must not overflow
		}
	}
}

// flush is the first task of the schedule: draining everything and writing it.
// Every 0.1 to 0.75 s, drawn from 0.25 on and done up to a beat before, so that a
// kill -9 loses less than a second with the 0.1 s that the sampler holds back and what
// a busy machine makes it wait, of which the schedule allows for as much as it saw.
const (
	flush         = 0
	flushNS       = 500e6
	flushSpreadNS = 250e6
)

// live drains until a signal stops it, then seals the profile. A panic is sealed too: the profile is worth more
// than its last second.
func (a *agent) live(stop <-chan os.Signal, limit time.Duration) (err error) {
	reason := "stopped"
	defer func() {
		if p := recover(); p != nil {
			reason, err = "failed", fmt.Errorf("failed, and sealed the profile up to here: %v", p)
		}
		if serr := a.seal(reason); err == nil {
			err = serr
		}
	}()
	alarm, err := newAlarm(stop, a.in.bell(a.log))
	if err != nil {
		return err
	}
	defer alarm.close()
	for end := a.clock.mono() + int64(limit); ; {
		if err := alarm.sleep(min(a.clock.mono()+int64(a.pause()), end)); err != nil {
			return err
		}
		if alarm.full.Swap(false) {
			a.empty()
		}
		switch now := a.clock.mono(); {
		case alarm.stopped.Load():
		case now >= end:
			reason = "max_hours"
		default:
			if a.step(); !a.over {
				continue
			}
			reason = "job_gone"
		}
		a.last()
		return nil
	}
}

// pause is the time until there is something to do.
func (a *agent) pause() time.Duration {
	switch {
	case a.full:
		return 10 * time.Second
	case a.idle.on:
		return a.idle.pause()
	}
	return time.Duration(max(0, a.schedule.next()-a.clock.mono()))
}

// step does what is due.
func (a *agent) step() {
	now := a.clock.mono()
	switch {
	case a.full, a.idle.on:
		if a.over = a.removed(); !a.over && !a.full {
			a.sleepOn()
		}
		return
	case now < a.schedule.next():
		return // woken for something else
	}
	a.schedule.wake(now)
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

// empty drains the ring of code addresses before its time: it is half full of what
// a job that starts many programs does.
func (a *agent) empty() {
	if !a.full && !a.idle.on {
		a.drainOne(a.in.codeAt())
	}
}

// flush drains and writes, and looks after itself and the job.
func (a *agent) flush() {
	now := a.drain()
	a.watchStops(now)
	a.namePrograms(now)
	a.write(now)
	a.watch(now)
	a.learn(now)
	a.name(now)
	a.keepBudget(now)
	if a.idle.long(now, a.in.cpu.Alive()) {
		a.alone()
	}
	a.over = a.over || a.removed()
}

// removed reports whether the run directory was removed. No Epilog finds this agent then, and no program reads
// what it writes.
func (a *agent) removed() bool {
	if a.dir == "" {
		return false
	}
	_, err := os.Lstat(string(a.dir))
	return errors.Is(err, fs.ErrNotExist)
}

// drain empties all sources into the sampler and returns the time before: what
// was recorded until then has arrived.
func (a *agent) drain() int64 {
	now := a.clock.mono()
	for i := range a.in.sources {
		a.drainOne(i)
	}
	for k := range a.in.slow {
		a.schedule.done(k+1, now)
	}
	return now
}

func (a *agent) drainOne(i int) {
	if a.in.silent(i) {
		return
	}
	track := a.sampler.Track(i)
	if err := a.in.sources[i].Drain(track); err != nil && !a.failed[err.Error()] && len(a.failed) < 16 {
		a.failed[err.Error()] = true
		a.log(err)
	}
	// A reading that interrupts CPUs costs them what a record does.
	track.Drained(a.in.interrupts(i))
}

// write appends all complete blocks, and before them what changed.
func (a *agent) write(now int64) {
	for _, e := range a.sampler.Epochs() {
		a.keep(a.writer.Epoch(e))
	}
	for a.sampler.Emit(now, &a.block) {
		a.block.RealNS, a.block.MonoNS = a.clock.real(), a.clock.mono()
		a.block.AgentCPUNS = a.clock.cpu() + childrenNS()
		a.lost += a.block.LostRecords
		if a.rhythm != nil {
			a.rhythm.loop.follow(&a.block, a.header, a.in.rate.Hz)
		}
		if !a.full {
			a.keep(a.writer.Append(a.block))
		}
	}
	if a.in.gpuWindows != nil && !a.full {
		a.keep(a.writer.Windows(a.in.gpuWindows()))
	}
}

// keep is what becomes of a failed write: a full disk, mostly.
func (a *agent) keep(err error) {
	if err != nil && !a.full {
		a.log(err)
		a.full, a.filled = true, err
		a.quiet()
	}
}

// quiet stops the counters: their records are no longer read.
func (a *agent) quiet() {
	if err := a.in.stop(); err != nil {
		a.log(err)
	}
}

// last takes what was recorded up to now. The last step and a half may still be
// without a record and is left out. So it drains twice, three steps apart: the
// slots that are written reach beyond the first time, and have all of what was
// counted by then, not the part of it that interpolation gives them.
func (a *agent) last() {
	if a.full || a.idle.on {
		return
	}
	a.in.cpu.Whole()
	a.readGPUs()
	a.drain()
	a.clock.sleep(time.Duration(3*a.in.stepNS) + lastPause)
	now := a.drain()
	a.quiet()
	a.write(now + sampler.SafetyNS - 2*a.in.stepNS)
}

// readGPUs lets the GPUs be read a last time, and waits for that a tenth of a second: an
// energy counter takes up to 23 ms.
func (a *agent) readGPUs() {
	if a.in.gpuFlush == nil {
		return
	}
	a.in.gpuFlush()
	for waited := time.Duration(0); waited < gpuWait && !a.in.gpuFlushed(); waited += gpuPause {
		a.clock.sleep(gpuPause)
	}
}

const (
	gpuWait  = 100 * time.Millisecond
	gpuPause = 5 * time.Millisecond
)

// lastPause is what the second drain may begin too early by.
const lastPause = time.Millisecond
