package slurm

import (
	"math"
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
func parseMemory(list string) *float64 { return parseSize(memoryItem(list), 1<<20) }

// memoryItem returns the text of mem= in a list of trackable resources, "" without one.
func memoryItem(list string) string {
	for item := range strings.SplitSeq(list, ",") {
		if text, ok := strings.CutPrefix(item, "mem="); ok {
			return text
		}
	}
	return ""
}

// maxSize is the largest size in bytes that is believed, 1 EB.
const maxSize = 1e18

// parseSize parses a size with a suffix K, M, G, T, P or E, powers of 1024 in capital or small letters, and returns
// bytes. bare is the unit of a number without suffix in bytes. All sizes that Slurm prints or that a user requests
// are read by it. It returns nil for 0, for a size beyond maxSize and for other text.
func parseSize(text string, bare float64) *float64 {
	unit := bare
	if n := len(text); n > 0 {
		if power := strings.IndexByte("KMGTPE", text[n-1]&^0x20); power >= 0 {
			text, unit = text[:n-1], math.Pow(1024, float64(power+1))
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if v *= unit; err != nil || !(v > 0) || v > maxSize {
		return nil
	}
	return &v
}
