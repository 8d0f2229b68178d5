package kernel

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"jobgait/agent/rawcall"
	"jobgait/analysis/run"
)

// sleepCauseOf returns what a thread waits for that sleeps in the named function of the kernel, as in
// /proc/PID/task/TID/wchan. The names differ between versions of the kernel, so parts of them decide.
func sleepCauseOf(function string) run.SleepCause {
	for _, c := range []struct {
		cause run.SleepCause
		parts []string
	}{
		{run.SleepTime, []string{"nanosleep"}},
		{run.SleepEvent, []string{"poll", "select"}},
		// before processes: futex_do_wait contains do_wait
		{run.SleepLock, []string{"futex", "semtimedop"}},
		{run.SleepProcess, []string{"do_wait", "wait4", "waitid", "pipe_", "unix_", "msgrcv", "msgsnd", "mqueue",
			"wq_sleep"}},
		{run.SleepNetwork, []string{"inet_", "tcp_", "udp_", "sk_wait", "skb_wait", "wait_woken", "_recv_"}},
		{run.SleepFiles, []string{"fuse_", "request_wait_answer", "locks_lock", "flock", "setlk"}},
		{run.SleepSignal, []string{"pause", "sigsuspend", "sigtimedwait"}},
	} {
		if slices.ContainsFunc(c.parts, func(part string) bool { return strings.Contains(function, part) }) {
			return c.cause
		}
	}
	return run.SleepOther
}

// sleepTimes are for how long, in ns, main threads of processes slept, by cause.
type sleepTimes map[run.SleepCause]uint64

// readCause returns what a sleeping thread waits for, from its file wchan in the directory dir of /proc; SleepOther
// where the kernel does not say that. Reading it waits for no lock of the process.
func readCause(dir string, buf []byte) run.SleepCause {
	b, err := rawcall.ReadRecord(filepath.Join(dir, "wchan"), buf, maxStat)
	if err != nil {
		return run.SleepOther
	}
	return sleepCauseOf(string(b))
}

// list returns the causes with their times in seconds, the longest first.
func (t sleepTimes) list() (out []run.Sleep) {
	for _, cause := range run.SleepCauses() {
		if ns := t[cause]; ns > 0 {
			out = append(out, run.Sleep{Cause: cause, S: math.Round(float64(ns)/1e6) / 1e3})
		}
	}
	slices.SortStableFunc(out, func(a, b run.Sleep) int { return cmp.Compare(b.S, a.S) })
	return out
}
