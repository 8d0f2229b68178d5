package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/profile"
	"jobgait/agent/sampler"
	"jobgait/analysis/note"
)

// agent drains the inputs, and writes what the sampler makes of them.
type agent struct {
	run     job.Run
	in      *inputs
	sampler *sampler.Sampler
	grid    sampler.Grid
	writer  writer
	block   profile.Block
	log     func(error)
	// full is set when the spool has no room: nothing is written any more,
	// but the agent lives on until it is stopped.
	full   bool
	lost   int64
	failed map[string]bool // errors of drains that were logged
	idle   idle
	// over is set when there is nothing more to come.
	over bool
	// dir takes what is learned of the job; "" learns nothing.
	dir     job.RunDir
	learner learner
	// atStart are the notes of the header.
	atStart []note.Note
	// written is when blocks were last written.
	written int64
}

// writer is the profile; tests give one that fails.
type writer interface {
	Append(profile.Block) error
	Seal(profile.Footer) error
	Close() error
}

func newAgent(r job.Run, in *inputs, log func(error)) *agent {
	return &agent{run: r, in: in, log: log, failed: map[string]bool{}}
}

// begin starts the counters and creates the profile.
func (a *agent) begin(path string) error {
	if err := a.in.start(); err != nil {
		return err
	}
	a.grid = sampler.NewGrid(a.in.stepNS, perf.Now())
	h := a.in.header(a.run)
	h.BaseNS, h.RunNS, h.RunReal = a.grid.BaseNS, int64(a.run.StartMono*1e9), a.run.StartReal
	if late := float64(h.BaseNS-h.RunNS) / 1e9; late > lateS {
		h.Notes = append(h.Notes, note.New(note.AgentLate, "sampling began %.1f s after the run", late))
	}
	a.atStart = h.Notes
	w, err := profile.Create(path, h)
	if err != nil {
		return err
	}
	a.writer = w
	a.sampler = sampler.New(sampler.Default(a.grid), a.in.code != nil, a.in.shapes()...)
	a.drain() // the baseline of every count
	return nil
}

// lateS is how late sampling may begin without a note: starting the agent
// takes some 50 ms.
const lateS = 2

// live drains until it is told to stop, then seals. A panic is sealed too: the
// profile is worth more than its last second.
func (a *agent) live(stop <-chan os.Signal, limit time.Duration) (err error) {
	reason := "stopped"
	defer func() {
		if p := recover(); p != nil {
			reason, err = "failed", fmt.Errorf("failed and sealed what there is: %v", p)
		}
		if serr := a.seal(reason); err == nil {
			err = serr
		}
	}()
	end := time.NewTimer(limit)
	defer end.Stop()
	wake := time.NewTimer(a.pause())
	defer wake.Stop()
	for {
		select {
		case <-stop:
			a.last()
			return nil
		case <-end.C:
			reason = "max_hours"
			a.last()
			return nil
		case <-wake.C:
			a.step()
			if a.over {
				reason = "job_gone"
				a.last()
				return nil
			}
			wake.Reset(a.pause())
		}
	}
}

// pause is the time to the next drain. It is random, because a drain takes a
// CPU away from the job for a millisecond: done every second it would be a
// period of one second in every profile. Without perf events /proc is read at
// about 10 Hz.
func (a *agent) pause() time.Duration {
	switch {
	case a.full:
		return 10 * time.Second
	case a.idle.on:
		return a.idle.pause()
	case a.in.code == nil:
		return between(80, 120)
	}
	return between(700, 900)
}

func between(lo, hi int) time.Duration {
	return time.Duration(lo*1000+rand.IntN((hi-lo)*1000)) * time.Microsecond
}

// blockNS is the least time between two writes of blocks.
const blockNS = 650e6

func (a *agent) step() {
	switch {
	case a.full:
	case a.idle.on:
		a.sleepOn()
	default:
		now := a.drain()
		if now-a.written >= blockNS {
			a.write(now)
		}
		a.learn(now)
		if a.idle.long(now, a.in.cpu.Alive()) {
			a.alone()
		}
	}
}

// drain empties all sources into the sampler and returns the time before: what
// was recorded until then has arrived.
func (a *agent) drain() int64 {
	now := perf.Now()
	for i, s := range a.in.sources {
		if err := s.Drain(a.sampler.Track(i)); err != nil && !a.failed[err.Error()] && len(a.failed) < 16 {
			a.failed[err.Error()] = true
			a.log(err)
		}
	}
	return now
}

// write appends all complete blocks.
func (a *agent) write(now int64) {
	a.written = now
	for a.sampler.Emit(now, &a.block) {
		a.block.RealNS, a.block.MonoNS = time.Now().UnixNano(), perf.Now()
		a.block.AgentCPUNS = ownCPU()
		a.lost += a.block.LostRecords
		if a.full {
			continue
		}
		if err := a.writer.Append(a.block); err != nil {
			a.log(err)
			a.full = true
			a.quiet()
		}
	}
}

// quiet stops the counters: nobody takes their records any more.
func (a *agent) quiet() {
	if err := a.in.stop(); err != nil {
		a.log(err)
	}
}

// last takes what was recorded up to now. The last step and a half may still be
// without a record; it is left out.
func (a *agent) last() {
	if a.full || a.idle.on {
		return
	}
	now := a.drain()
	a.quiet()
	a.write(now + sampler.Default(a.grid).SafetyNS - 2*a.in.stepNS)
}

func (a *agent) seal(reason string) error {
	if a.writer == nil {
		return nil
	}
	program := mainProgram(a.in.programs())
	f := profile.Footer{Reason: reason, Executable: program, BuildID: a.in.build(program)}
	if a.full {
		f.Reason = "spool_full"
		f.Notes = append(f.Notes, note.New(note.SpoolFull, "there was no room for more samples"))
	}
	if a.lost > 0 {
		f.Notes = append(f.Notes, note.New(note.LostSamples, "%d records were lost", a.lost))
	}
	f.Notes = append(f.Notes, a.late()...)
	return errors.Join(a.writer.Seal(f), a.writer.Close())
}

// late returns the notes of sources that came up only while they counted.
func (a *agent) late() []note.Note {
	var late []note.Note
	begun := map[note.Code]bool{}
	for _, n := range a.atStart {
		begun[n.Code] = true
	}
	for _, s := range a.in.sources {
		for _, n := range s.Notes() {
			if !begun[n.Code] {
				late = append(late, n)
			}
		}
	}
	return late
}

// ownCPU is the CPU time of this process.
func ownCPU() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
