package job

import (
	"fmt"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

const (
	// minMissingShare is the largest share of samples without a record of some CPU that is not reported.
	minMissingShare = 0.05
	// minSeenShare is the share of the job's CPU time that the samples of its code must contain for the samples to
	// count as complete. Both measurements have an error of some percent: samples are counted in whole ms, /proc
	// in ticks.
	minSeenShare = 0.95
)

// missing reports samples without a record of some CPU if they are more than minMissingShare of all: as a doubt if the
// job's own busy time may be affected, else in a note. A virtual CPU that idles writes no records: with one busy
// process on two CPUs, 13 % of the samples lacked a record although the job's CPU time was sampled in full. An idle
// CPU's count between two readings is known, but not for each sample.
func (r Report) missing() (doubt string, notes []Note) {
	share := r.Quality.MissingShare
	if share == nil || *share <= minMissingShare {
		return "", nil
	}
	seen := r.seenBusy()
	if seen == nil || *seen < minSeenShare {
		return quantity.Share(*share) + " of the samples are missing.", nil
	}
	text := fmt.Sprintf("%s of the samples lack a record of some CPU, an idle one: the job's own CPU time was sampled "+
		"in full",
		quantity.Share(*share))
	return "", []Note{{note.LostSamples, text, []string{}}}
}

// seenBusy returns the share of the job's CPU time, as counted by the kernel up to the end, that is in the
// samples of its code; nil where either was not measured.
func (r Report) seenBusy() *float64 {
	sampled, exact := 0.0, 0.0
	for _, c := range r.Counters {
		switch {
		case c.Scope != "job":
		case c.Name == "cpu_time" && c.Unit == "s":
			sampled = c.Total
			if c.Share != nil {
				sampled /= *c.Share
			}
		case cpuTime(c.Name) && c.Unit == "ns":
			exact = max(exact, c.Total/1e9)
		}
	}
	if !(sampled > 0) || !(exact > 0) {
		return nil
	}
	share := sampled / exact
	return &share
}
