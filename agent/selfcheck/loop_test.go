package selfcheck

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"

	"golang.org/x/sys/unix"
)

// half is one run of the loop, on or off.
type half struct {
	chunk float64 // wall nanoseconds of a typical chunk
	cpu   float64 // CPU nanoseconds of the thread, of a chunk
	wall  int64   // of the whole half
	hz    float64 // of the records while the load was on
	// stretch is the mean over all chunks divided by that of the quiet chunks.
	stretch float64
}

// loop is the work: the same number of steps in every chunk. Its clocks, its
// work and its chance are the machine's; tests give others.
type loop struct {
	now, cpu func() int64
	work     func(steps int)
	chance   func() float64 // from 0 to 1
	steps    int
	times    []int64
	scratch  []int64
	wild     float64
	cap      float64
	lanes    int // CPUs that the records are of
}

// newLoop is the machine's own.
func newLoop(p Params) *loop {
	state := uint64(1)
	l := &loop{now: now, cpu: threadCPU, work: func(steps int) { state = work(state, steps) },
		chance: rand.Float64}
	l.calibrate(p)
	return l
}

// calibrate finds how many steps make a chunk, from the fastest of several tries.
func (l *loop) calibrate(p Params) {
	n := int(p.HalfNS / p.ChunkNS)
	l.steps, l.wild, l.cap, l.lanes, l.times, l.scratch = 1<<12, p.Wild, p.Cap, 1, make([]int64, n), make([]int64, 0, n)
	best := int64(1 << 62)
	for range 50 {
		before := l.now()
		l.work(l.steps)
		best = min(best, max(1, l.now()-before))
	}
	l.steps = max(1, int(int64(l.steps)*p.ChunkNS/best))
}

// work is a chain in which each step needs the one before: nothing that another
// thread of the same core could take away but time.
//
//go:noinline
func work(x uint64, steps int) uint64 {
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// run does one half.
func (l *loop) run() half {
	cpu := l.cpu()
	begun := l.now()
	at := begun
	for i := range l.times {
		l.work(l.steps)
		t := l.now()
		l.times[i] = t - at
		at = t
	}
	return half{wall: at - begun, cpu: float64(l.cpu()-cpu) / float64(len(l.times)),
		chunk: typical(l.times, l.scratch, l.wild)}
}

// settle works on for a random part of a time, untimed: else timers that were
// just switched on would always be at the same point of their period, and a half
// of 10 ms have one record or two of a timer of 200 Hz, by a hair.
func (l *loop) settle(ns int64) {
	for until := l.now() + int64(l.chance()*float64(ns)); l.now() < until; {
		l.work(l.steps/16 + 1)
	}
}

// pair is the loop without and with the load.
type pair struct{ without, with half }

// pairs runs the loop on and off in random order. The first pair warms up.
func pairs(ctx context.Context, l *loop, x load, n int, settleNS int64) ([]pair, error) {
	out := make([]pair, 0, n)
	for i := range n + 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var p pair
		onFirst := l.chance() < 0.5
		for _, on := range []bool{onFirst, !onFirst} {
			h, err := l.half(x, on, settleNS)
			if err != nil {
				return nil, err
			}
			if on {
				p.with = h
			} else {
				p.without = h
			}
		}
		if i > 0 {
			out = append(out, p)
		}
	}
	return out, nil
}

// half does one half. Without the load it is switched on all the same, and off
// at once, so that nothing differs but whether it is on while the loop runs: to
// start sources, one sleeps until their phase, and after a sleep on a busy
// machine a loop was slower by 0.4 to 2.6 % with every timer off.
func (l *loop) half(x load, on bool, settleNS int64) (half, error) {
	if err := x.on(); err != nil {
		return half{}, err
	}
	if !on {
		if err := x.off(); err != nil {
			return half{}, err
		}
	}
	begun := l.now()
	l.settle(settleNS)
	h := l.run()
	wall := l.now() - begun
	if on {
		if err := x.off(); err != nil {
			return half{}, err
		}
	}
	records, err := x.drain()
	h.hz = float64(records) / float64(max(1, wall)) * 1e9
	h.stretch = stretch(l.times, l.scratch, l.cap, h.hz/float64(l.lanes)*h.chunk/1e9)
	return h, err
}

// pinned runs f on one CPU. The thread is not used again: its affinity would
// follow it.
func pinned(cpu int, f func(cpu int) error) error {
	done := make(chan error)
	go func() {
		// Never unlocked: the runtime ends the thread with the goroutine.
		runtime.LockOSThread()
		done <- func() error {
			var set unix.CPUSet
			if cpu < 0 {
				if err := unix.SchedGetaffinity(0, &set); err != nil {
					return fmt.Errorf("read CPUs of this process: %w", err)
				}
				for i := range 8 * len(set) * 8 {
					if set.IsSet(i) {
						cpu = i
					}
				}
			}
			set.Zero()
			set.Set(cpu)
			if err := unix.SchedSetaffinity(0, &set); err != nil {
				return fmt.Errorf("pin to CPU %d: %w", cpu, err)
			}
			return f(cpu)
		}()
	}()
	return <-done
}

func now() int64       { return clock(unix.CLOCK_MONOTONIC) }
func threadCPU() int64 { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

func clock(id int32) int64 {
	var ts unix.Timespec
	// Both clocks exist on every Linux: the call cannot fail.
	_ = unix.ClockGettime(id, &ts)
	return ts.Nano()
}
