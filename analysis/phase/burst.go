package phase

// Burst is a stretch in which a job wrote files: it begins after StartS and ends before EndS.
type Burst struct{ StartS, EndS, Bytes float64 }

const (
	// minBursts is the least number of bursts of about equal size, at about equal distances, that are checkpoints.
	minBursts = 4
	// equalBursts is the share of the bursts that must be of about equal size: within a factor of maxBurstRatio of the
	// median.
	equalBursts, maxBurstRatio = 0.7, 2
	// maxBurstCV is the largest coefficient of variation of their distances.
	maxBurstCV = 0.35
	// minCyclesApart is their least mean distance in cycles of the loop: a program that writes a file in each cycle writes
	// results.
	minCyclesApart = 3
	// maxExactRatio replaces maxBurstRatio without a loop, or where they are fewer cycles apart: a restart file keeps its
	// size, and what a compiler writes does not. minApartS is their least mean distance in seconds there.
	maxExactRatio, minApartS = 1.15, 3
)

// LongestCheckpointWriteS returns the length in seconds of the longest checkpoint among the bursts of a job, 0 if they
// are not checkpoints: of about equal size and at about equal distances. periodS is the period of the job's loop in
// seconds, 0 if no loop was found; table has the loops and the gaps between them. A checkpoint begins with the gap that
// it makes and ends with the burst; without a gap it is no longer than the burst.
func LongestCheckpointWriteS(bursts []Burst, table []Phase, periodS float64) float64 {
	events := make([]event, len(bursts))
	for i, b := range bursts {
		events[i] = event{startS: b.StartS, size: b.Bytes}
	}
	r := recurrence{minCount: minBursts, sizeRatio: maxBurstRatio, distanceCV: maxBurstCV}
	same, everyS := r.of(events)
	if periodS <= 0 || everyS < minCyclesApart*periodS {
		r.sizeRatio = maxExactRatio
		if same, everyS = r.of(events); everyS < minApartS {
			return 0
		}
	}
	if float64(len(same)) < equalBursts*float64(len(bursts)) {
		return 0
	}
	longest := 0.0
	for _, i := range same {
		longest = max(longest, bursts[i].withGap(table))
	}
	return longest
}

// withGap returns the length of a burst together with a gap of the loop in which it began: from the begin of both to
// the end of the burst. Cycles are recognized late after a gap, so that it ends after the writing.
func (b Burst) withGap(table []Phase) float64 {
	from := b.StartS
	for _, p := range table {
		if p.Kind == Gap && p.StartS < b.EndS && p.EndS > b.StartS {
			from = min(from, p.StartS)
		}
	}
	return b.EndS - from
}
