package kernel

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"jobgait/agent/counter"
	"jobgait/agent/counter/countertest"
	"jobgait/agent/peek"
	"jobgait/analysis/run"
)

// The functions of Linux 6.18 in which programs sleep, and older names of the same.
func TestSleepCauseOf(t *testing.T) {
	for function, want := range map[string]run.SleepCause{
		"hrtimer_nanosleep": run.SleepTime, "do_nanosleep": run.SleepTime, "anon_pipe_read": run.SleepProcess,
		"pipe_wait": run.SleepProcess, "do_wait": run.SleepProcess, "kernel_waitid": run.SleepProcess,
		"unix_stream_read_generic": run.SleepProcess, "futex_do_wait": run.SleepLock, "futex_wait_queue_me": run.SleepLock,
		"do_epoll_wait": run.SleepEvent, "do_poll.constprop.0": run.SleepEvent, "do_select": run.SleepEvent,
		"wait_woken": run.SleepNetwork, "inet_csk_accept": run.SleepNetwork, "request_wait_answer": run.SleepFiles,
		"do_sigtimedwait.isra.0": run.SleepSignal, "0": run.SleepOther, "": run.SleepOther} {
		if got := sleepCauseOf(function); got != want {
			t.Errorf("%s: %s, want %s", function, got, want)
		}
	}
}

// useOf returns the totals of a process of one program, whose threads read reads at intervals of 100 s.
func useOf(t *testing.T) (x tree, totals UseTotals, read func()) {
	t.Helper()
	x = tree{t, t.TempDir()}
	x.set(10, "solver", 1, 1, 0)
	now := int64(0)
	clock := func() int64 { return now }
	cpu := NewJobCPU(x.root, peek.Direct{Proc: x.root}, &list{10}, clock, 1e9)
	sources, totals := NewJobUse(x.root, peek.Direct{Proc: x.root}, cpu, clock)
	return x, totals, func() {
		t.Helper()
		now += 100e9
		for _, s := range append([]counter.Source{cpu}, sources...) {
			if err := s.Drain(&countertest.Sink{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// putThread writes the files of a thread of process 10: its CPU time in seconds, its state and what it sleeps in.
func (x tree) putThread(id, ranS int, state, function string) {
	x.t.Helper()
	dir := filepath.Join("10", "task", strconv.Itoa(id))
	put(x.t, x.root, filepath.Join(dir, "schedstat"), strconv.Itoa(ranS*1e9)+" 0 "+strconv.Itoa(ranS+1)+"\n")
	put(x.t, x.root, filepath.Join(dir, "stat"), threadStat(id, state))
	put(x.t, x.root, filepath.Join(dir, "wchan"), function)
}

// threadStat returns a line of /proc/PID/task/TID/stat.
func threadStat(id int, state string) string {
	line := strconv.Itoa(id) + " (solver) " + state
	for range 49 {
		line += " 0"
	}
	return line + "\n"
}

// A main thread that sleeps is counted under its cause; the sleep of other threads is not.
func TestSleepIsCountedByCause(t *testing.T) {
	x, totals, read := useOf(t)
	x.putThread(10, 0, "S", "hrtimer_nanosleep")
	x.putThread(11, 0, "S", "futex_do_wait")
	read()
	read()
	x.putThread(10, 30, "S", "anon_pipe_read") // it computed for 30 of 100 s
	read()
	want := []run.Sleep{{Cause: run.SleepTime, S: 100}, {Cause: run.SleepProcess, S: 70}}
	if got := totals.Sleeps(); !slices.Equal(got, want) {
		t.Errorf("sleeps %v, want %v", got, want)
	}
	if got := totals.MostActiveS(); got != 30 {
		t.Errorf("the busiest thread was active for %g s, want 30", got)
	}
}

// The CPU time of the main program is divided among threads that lived as long as the busiest one.
func TestThreadWork(t *testing.T) {
	life := func(ran, first, last uint64) workedThread { return workedThread{ran * 1e9, first * 1e9, last * 1e9} }
	p := threadsByProgram{}
	p.add("make", life(3, 0, 100))
	for _, thread := range []workedThread{life(90, 0, 100), life(20, 5, 100), life(0, 0, 90), life(30, 0, 40)} {
		p.add("solver", thread)
	}
	want := run.ThreadWork{Program: "solver", Threads: 3, BusiestS: 90, TotalS: 110}
	if got := p.workOf(); got == nil || *got != want {
		t.Errorf("%+v", got)
	}
	if got := (threadsByProgram{}).workOf(); got != nil {
		t.Errorf("no thread was read: %+v", got)
	}
	many := threadsByProgram{}
	for i := range uint64(1000) {
		many.add("make", life(i, 0, 1))
	}
	if n, got := len(many["make"].kept), many.workOf(); n >= 2*maxEndedThreads || got.BusiestS != 999 {
		t.Errorf("%d threads are kept, the busiest with %g s", n, got.BusiestS)
	}
}

// A program that ends after maxThreadPrograms others is kept if it has more CPU time than one of them.
func TestThreadWorkOfALateProgram(t *testing.T) {
	p := threadsByProgram{}
	for i := range uint64(maxThreadPrograms) {
		p.add(fmt.Sprintf("tool%d", i), workedThread{ranNS: (i + 2) * 1e9, lastNS: 1e9})
	}
	p.add("small", workedThread{ranNS: 1e9, lastNS: 1e9})
	p.add("solver", workedThread{ranNS: 1000e9, lastNS: 1e9})
	if _, small := p["small"]; small || len(p) != maxThreadPrograms {
		t.Errorf("%d programs are kept, small %v", len(p), small)
	}
	if _, least := p["tool0"]; least {
		t.Error("the program with the least CPU time is kept")
	}
	if got := p.workOf(); got == nil || got.Program != "solver" {
		t.Errorf("%+v, want the program solver", got)
	}
}

// A program is ranked by the CPU time of all its threads, not only of those that are kept.
func TestThreadWorkOfManyShortThreads(t *testing.T) {
	p := threadsByProgram{}
	p.add("tool", workedThread{ranNS: 4000e9, lastNS: 1e9})
	for range 5000 {
		p.add("solver", workedThread{ranNS: 1e9, lastNS: 1e9})
	}
	if got := p.workOf(); got == nil || got.Program != "solver" {
		t.Errorf("%+v, want the program solver", got)
	}
}
