package slurm

import (
	"strconv"
	"strings"

	"jobgait/agent/job"
)

// parseTimeLimit parses a time limit as scontrol prints it, [days-]hours:minutes:seconds, and returns seconds;
// nil for UNLIMITED, 0, an invalid limit and unlimitedS.
func parseTimeLimit(s string) *float64 {
	days, clock, ok := strings.Cut(s, "-")
	if !ok {
		days, clock = "0", s
	}
	total, okDays := job.ParseCount(days)
	parts := strings.Split(clock, ":")
	if !okDays || len(parts) != 3 {
		return nil
	}
	seconds := 0.0
	for _, part := range parts {
		n, ok := job.ParseCount(part)
		if !ok {
			return nil
		}
		seconds = seconds*60 + float64(n)
	}
	seconds += 86400 * float64(total)
	if seconds == 0 || seconds == unlimitedS {
		return nil
	}
	return &seconds
}

// unlimitedS is the time limit in seconds that Slurm 22.05 prints for a running job without one, a year.
const unlimitedS = 365 * 86400

// endOfLimit returns when the time limit of a run that is not over ends it, in epoch seconds, nil if that is
// unlimitedS or more after its start.
func endOfLimit(start, end *int64) *int64 {
	if start != nil && end != nil && *end-*start >= unlimitedS {
		return nil
	}
	return end
}

// parseMemory returns mem= of a list of trackable resources (cpu=4,mem=16G,node=1), in bytes; a number without
// suffix is in MiB; nil if the list has no valid mem=.
func parseMemory(list string) *float64 {
	for item := range strings.SplitSeq(list, ",") {
		text, ok := strings.CutPrefix(item, "mem=")
		if !ok {
			continue
		}
		unit := 1.0 * (1 << 20) // slurm.conf's own
		for i, suffix := range []string{"K", "M", "G", "T", "P"} {
			if bare, ok := strings.CutSuffix(text, suffix); ok {
				text, unit = bare, float64(uint64(1)<<(10*(i+1)))
			}
		}
		v, err := strconv.ParseFloat(text, 64)
		if v *= unit; err != nil || !(v > 0) || v > 1e18 {
			return nil
		}
		return &v
	}
	return nil
}
