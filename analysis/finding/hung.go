package finding

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	q "jobgait/analysis/quantity"
)

// hung finds runs that did nothing any more when they were ended from outside. A run that ended by itself was
// waiting for something.
func hung(r RunFacts) []Finding {
	if r.InOrder || r.Idle {
		return nil
	}
	missing := "no cycle"
	if r.NoLoop {
		missing = "none of its own code ran"
	}
	return silent(r, fmt.Sprintf("It hung: %s for the last %s before %s, its processes %s", missing,
		q.Duration(r.SilentS), endOf(r), r.Doing))
}

// idleSince finds runs without a loop that ended in order, and whose processes slept until its end (Idle).
func idleSince(r RunFacts) []Finding {
	if !r.Idle || !r.InOrder {
		return nil
	}
	return asleepUntilEnd(r, "None")
}

// idleSinceAndEnded finds runs without a loop that did not end in order, and whose processes slept until its end
// (Idle). For runs without that it returns what endedIdle does.
func idleSinceAndEnded(r RunFacts) []Finding {
	switch {
	case !r.Idle:
		return endedIdle(r)
	case r.InOrder:
		return nil
	}
	return asleepUntilEnd(r, "It hung: none")
}

// asleepUntilEnd returns the finding of a run whose processes slept until its end; none begins its sentence.
func asleepUntilEnd(r RunFacts, none string) []Finding {
	return silent(r, fmt.Sprintf("%s of its processes ran for the last %s before %s: they were %s, and its nodes idle",
		none, q.Duration(r.SilentS), endOf(r), r.Doing))
}

// A run that something outside ended is reported as idle before if its processes neither used nor wanted a CPU for
// leastQuietS and leastQuietShare of the run.
const leastQuietS, leastQuietShare = 10.0, 0.25

// asleepAtEnd is the least share of all sleep of the run that its idle end must be for the cause of the sleep to be
// that of the end: the cause is known of all sleep together.
const asleepAtEnd = 0.75

// timeoutCode is the exit code of timeout(1) when it ends a command.
const timeoutCode = 124

// endedIdle finds runs without a known stall that did nothing any more when something outside ended them.
func endedIdle(r RunFacts) []Finding {
	endedFromOutside := slices.Contains([]int{int(unix.SIGINT), int(unix.SIGKILL), int(unix.SIGTERM)}, r.ExitSignal) ||
		r.ExitCode == timeoutCode || endedAtLimit(r)
	if r.SilentS > 0 || !endedFromOutside || r.TrailingIdleS < leastQuietS || r.TrailingIdleS > r.ElapsedS ||
		r.TrailingIdleS < leastQuietShare*r.ElapsedS || len(outOfMemory(r)) > 0 {
		return nil
	}
	what := "; it waited for something"
	if r.AsleepFor != "" && r.AsleepS != nil && r.TrailingIdleS >= asleepAtEnd**r.AsleepS {
		what = "; it waited " + r.AsleepFor
	}
	f := single(fmt.Sprintf("It hung: from %s until it was ended %s later no process of it ran%s, as in a deadlock.",
		q.Duration(r.ElapsedS-r.TrailingIdleS), q.Duration(r.TrailingIdleS), what),
		map[string]any{"quiet_s": r.TrailingIdleS})
	f[0].CostCoreS = r.costOf(r.TrailingIdleS / r.ElapsedS)
	f[0].Action = action("See where it waits: run it again, and `jobgait stack` while it hangs.")
	return f
}

// silent returns the finding, with the given text, of a run that did nothing before it ended; nil if its
// silence is unknown.
func silent(r RunFacts, text string) []Finding {
	if r.SilentS <= 0 || r.SilentS > r.ElapsedS {
		return nil
	}
	hours := r.SilentS / 3600 * float64(max(1, r.NNodes))
	f := single(fmt.Sprintf("%s, which cost %s node hours.", text, q.Figures(hours, 2)),
		map[string]any{"silent_s": r.SilentS, "doing": r.Doing, "node_hours": hours})
	if r.Stacks != "" {
		f[0].Text += " When last seen: " + r.Stacks
		f[0].Evidence["stacks"] = r.Stacks
	}
	f[0].CostCoreS = r.costOf(r.SilentS / r.ElapsedS)
	return f
}

// endOf returns how the run ended, as part of a sentence: at its time limit, cancelled, or otherwise.
func endOf(r RunFacts) string {
	switch {
	case endedAtLimit(r):
		return "its time limit ended it"
	case r.State == "CANCELLED", r.State == "" && (r.ExitSignal == 15 || r.ExitSignal == 9 || r.ExitSignal == 2):
		return "it was cancelled"
	}
	return "it ended"
}
