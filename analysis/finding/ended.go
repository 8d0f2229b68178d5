package finding

import (
	"fmt"

	"golang.org/x/sys/unix"

	q "jobgait/analysis/quantity"
)

// single returns one finding without action and cost.
func single(text string, e map[string]any) []Finding { return []Finding{{Text: text, Evidence: e}} }

// nearLimit is the share of the time limit above which the next run may exceed it: run times of one application
// scatter by some percent.
const nearLimit = 0.95

// fullMap is the share of the memory that a process might map above which, if the run failed, that limit was
// probably the reason: its last request is not included.
const fullMap = 0.75

// mapFull reports whether a run failed after a process had mapped nearly all memory that it might.
func mapFull(r RunFacts) bool {
	m := r.Memory
	return !r.InOrder && m.Mappable != nil && m.Peak != nil && *m.Peak >= fullMap**m.Mappable && !endedAtLimit(r)
}

// mappable adds to the finding of a failed run a sentence about how much memory a process could map, if there
// is a limit.
func mappable(r RunFacts, f []Finding) []Finding {
	if m := r.Memory.Mappable; m != nil {
		f[0].Text += fmt.Sprintf(" A process of it could map %s of memory at most (ulimit -v).", q.Amount(*m, "B"))
		f[0].Evidence["mappable_bytes"] = *m
	}
	return f
}

// outOfMemory finds runs that ran out of memory: by the scheduler's state, because the kernel killed processes of a
// failed run for want of memory, or because a failed run had nearly reached the limit of its address space (mapFull).
func outOfMemory(r RunFacts) []Finding {
	killed := r.Memory.OOMKills != nil && *r.Memory.OOMKills > 0
	if r.State != "OUT_OF_MEMORY" && !(killed && !r.InOrder) {
		if !mapFull(r) {
			return nil
		}
		f := mappable(r, single("The run ran out of memory: "+r.Ended+".",
			map[string]any{"ended": r.Ended, "peak_bytes": *r.Memory.Peak}))
		f[0].Action = action("Raise the limit: ulimit -v unlimited.")
		f[0].CostCoreS = r.costOf(1)
		return f
	}
	e := map[string]any{"ended": r.Ended}
	if killed {
		e["oom_kills"] = *r.Memory.OOMKills
	}
	f := single("The run ran out of memory: "+r.Ended+".", e)
	if m := r.Memory.Requested; m != nil && r.NNodes == 1 {
		e["requested_bytes"] = *m
		f[0].Text = fmt.Sprintf("The run ran out of memory, of which it had %s.", q.Amount(*m, "B"))
		if r.Batch {
			f[0].Action = action("Ask for more than %s of memory (sbatch --mem).", q.Amount(*m, "B"))
		}
	}
	f[0].CostCoreS = r.costOf(1)
	return f
}

// timeLimit finds runs that were ended at their time limit.
func timeLimit(r RunFacts) []Finding {
	if !endedAtLimit(r) {
		return nil
	}
	e := map[string]any{"elapsed_s": r.ElapsedS, "state": r.State}
	f := single("The run was ended at its time limit: "+r.Ended+".", e)
	if r.LimitS != nil {
		e["limit_s"] = *r.LimitS
		f[0].Text = fmt.Sprintf("The run was ended at its time limit of %s.", q.Duration(*r.LimitS))
		if r.SilentS <= 0 { // more time would not have helped a run that had stalled
			f[0].Action = action("Ask for more than %s (sbatch --time).", q.Clock(*r.LimitS))
		}
	}
	f[0].CostCoreS = r.costOf(1)
	return f
}

// endedAtLimit reports whether a run was ended at its time limit: the scheduler's state says so, or, without a
// state, a signal ended it after the limit. Without a state a cancelled job cannot be distinguished from one
// that reached its limit.
func endedAtLimit(r RunFacts) bool {
	if r.State == "TIMEOUT" || r.State == "DEADLINE" {
		return true
	}
	return r.State == "" && (r.ExitSignal == 15 || r.ExitSignal == 9) && r.LimitS != nil && *r.LimitS > 0 &&
		r.ElapsedS >= *r.LimitS
}

// endedBySignal finds runs that a signal ended, for no other reported reason.
func endedBySignal(r RunFacts) []Finding {
	if r.ExitSignal == 0 || r.InOrder || len(outOfMemory(r)) > 0 || endedAtLimit(r) {
		return nil
	}
	f := mappable(r, single("The run did not end in order: "+r.Ended+".",
		map[string]any{"signal": r.ExitSignal, "state": r.State}))
	f[0].CostCoreS = r.costOf(1)
	switch r.ExitSignal {
	case int(unix.SIGILL), int(unix.SIGABRT), int(unix.SIGBUS), int(unix.SIGFPE), int(unix.SIGSEGV):
		f[0].Action = action("Find the line that failed: build it with -g and run it in a debugger, such as gdb.")
	}
	return f
}

// failed finds runs that failed without a signal, for no other reported reason.
func failed(r RunFacts) []Finding {
	if r.ExitSignal != 0 || r.InOrder || len(outOfMemory(r)) > 0 || endedAtLimit(r) {
		return nil
	}
	f := mappable(r, single("The run did not end in order: "+r.Ended+".",
		map[string]any{"state": r.State, "ended": r.Ended}))
	f[0].CostCoreS = r.costOf(1)
	switch r.ExitCode {
	case timeoutCode:
		if len(endedIdle(r)) == 0 && r.SilentS <= 0 {
			f[0].Action = action("If timeout ended it and it needs longer: raise the limit of timeout.")
		}
	case 126:
		f[0].Action = action("Make the command executable: chmod +x FILE.")
	case 127:
		f[0].Action = action("Correct the name or the path of the command.")
	}
	return f
}

// failedInPhase says in which phase a failed run stopped.
func failedInPhase(r RunFacts) []Finding {
	if r.InOrder || r.Stopped == "" {
		return nil
	}
	return single("It stopped "+r.Stopped+".", map[string]any{"stopped": r.Stopped})
}

// timeLimitNear finds runs that ended in order after at least nearLimit of their time limit.
func timeLimitNear(r RunFacts) []Finding {
	if !r.InOrder || r.LimitS == nil || *r.LimitS <= 0 || r.ElapsedS < nearLimit**r.LimitS {
		return nil
	}
	return single(fmt.Sprintf("The run took %s of its time limit of %s.", q.Share(min(1, r.ElapsedS / *r.LimitS)),
		q.Duration(*r.LimitS)),
		map[string]any{"elapsed_s": r.ElapsedS, "limit_s": *r.LimitS})
}

// action formats the action of a finding.
func action(format string, args ...any) *string {
	text := fmt.Sprintf(format, args...)
	return &text
}
