package dashboard

import (
	"strings"

	"jobgait/analysis/note"
	"jobgait/reports/text"
)

// reasonText returns why a job has no report or no period in words, for the codes of week_coverage; the words of
// another code are the code's own.
func reasonText(code string) string {
	for _, r := range note.NoPeriodReasons() {
		if r.Code == note.Code(code) {
			return r.Brief
		}
	}
	switch note.Code(code) {
	case "not_sampled":
		return "no node recorded it"
	case note.NoReportDir:
		return "no directory to write to"
	case note.AgentDied:
		return "the agent ended early"
	case note.ProfileBad:
		return "samples unreadable"
	case note.SpoolFull, note.SpoolFailed:
		return "node's disk full or failing"
	case note.CollectFailed:
		return "shared directory failed"
	case note.Requeued:
		return "requeued"
	case note.NoPerf, note.SlowProc:
		return "sampled too slowly"
	}
	return codeText(code)
}

// FindingName returns the name of a finding for people; of a code without a name, its words.
func FindingName(code string) string {
	switch code {
	case "crowded":
		return "CPUs taken by other jobs"
	case "oversubscribed":
		return "more threads than CPUs"
	case "throttled":
		return "held back by a CPU limit"
	case "stolen":
		return "CPUs taken by the VM's host"
	case "cpus_idle":
		return "CPUs idle"
	case "node_idle":
		return "nodes idle"
	case "memory_unused":
		return "memory requested, not used"
	case "files_slow":
		return "waiting for files"
	case "time_limit":
		return "ended at the time limit"
	case "failed", "ended_by_signal":
		return "failed or killed"
	case "drifting":
		return "becoming slower"
	}
	return codeText(code)
}

// codeText returns a code as words.
func codeText(code string) string { return strings.ReplaceAll(text.Clean(code), "_", " ") }
