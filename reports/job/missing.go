package job

import (
	"fmt"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

const (
	// muchMissing is the share of samples without a record of some CPU from which it is reported.
	muchMissing = 0.05
	// allSeen is the share of the job's CPU time that the samples of its code
	// must hold for none of it to be missing. Both clocks have an error of
	// some per cent: samples are counted in whole ms, /proc in ticks.
	allSeen = 0.95
)

// missing tells of samples without a record of some CPU: as a doubt if the
// job's own busy time may be affected, else in a note. A virtual CPU that idles
// writes no records, and with one busy process on two CPUs 13 % of the samples
// lacked one, while the job's CPU time was sampled in full: what an idle CPU
// counts between two readings is known, only not to the sample.
func (r Report) missing() (doubt string, notes []Note) {
	share := r.Quality.MissingShare
	if share == nil || *share <= muchMissing {
		return "", nil
	}
	seen := r.seenBusy()
	if seen == nil || *seen < allSeen {
		return quantity.Share(*share) + " of the samples are missing.", nil
	}
	text := fmt.Sprintf("%s of the samples lack a record of some CPU, an idle one: the job's own CPU time was sampled "+
		"in full",
		quantity.Share(*share))
	return "", []Note{{note.LostSamples, text, []string{}}}
}

// seenBusy is the share of the job's CPU time, as the kernel counts it to the
// end, that is in the samples of its code; nil where one of them was not taken.
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
