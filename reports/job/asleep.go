package job

import (
	"fmt"
	"strings"

	"jobgait/analysis/run"
)

// leastCause is the least share of the sleep at which a cause is named.
const leastCause = 0.2

// leastOutside is the least share of the sleep that must have a more precise cause for the others to be left out: a
// process that waits for another process of the run, as timeout(1) by a signal, sleeps for the cause of that one.
const leastOutside = 0.1

// asleepFor says what processes of the run waited for while they slept: "in sleep calls, and for the network"; "" where
// that was not recorded.
func (r Report) asleepFor() string {
	byCause, total := map[run.SleepCause]float64{}, 0.0
	for _, s := range r.Resources.Time.Asleep {
		byCause[s.Cause] += s.S
		total += s.S
	}
	if !(total > 0) {
		return ""
	}
	for _, inside := range [][]run.SleepCause{
		{run.SleepProcess, run.SleepSignal, run.SleepLock}, {run.SleepProcess, run.SleepSignal}, {run.SleepSignal}} {
		rest := total - byCause[run.SleepOther] // which is no more precise
		for _, c := range inside {
			rest -= byCause[c]
		}
		if rest >= leastOutside*total {
			for _, c := range inside {
				total -= byCause[c]
				delete(byCause, c)
			}
			break
		}
	}
	var parts []string
	for _, s := range r.Resources.Time.Asleep { // the longest first
		if words := causeWords(s.Cause); words != "" && byCause[s.Cause] >= leastCause*total && len(parts) < 2 {
			parts = append(parts, words)
		}
	}
	return strings.Join(parts, ", and ")
}

// causeWords returns the words for a cause of sleep, "" for run.SleepOther.
func causeWords(c run.SleepCause) string {
	return map[run.SleepCause]string{
		run.SleepTime: "in sleep calls", run.SleepNetwork: "for the network", run.SleepEvent: "for an event (poll)",
		run.SleepProcess: "for other processes", run.SleepLock: "for a lock or another thread",
		run.SleepFiles: "for files", run.SleepSignal: "for a signal",
	}[c]
}

// leastAsleepNamed is the least share of the run asleep at which its cause is named.
const leastAsleepNamed = 0.1

// asleepWords returns "asleep" with what the run waited for, if it slept for leastAsleepNamed of the run or more.
func (r Report) asleepWords(share float64) string {
	if share < leastAsleepNamed {
		return "asleep"
	}
	if words := r.asleepFor(); words != "" {
		return fmt.Sprintf("asleep (%s)", words)
	}
	return "asleep (cause not recorded)"
}
