package phase

// Checkpoint is a gap that recurs at regular distances. Only Totals distinguishes it from other gaps; Table
// does not.
const Checkpoint Stage = "checkpoint"

// Total is the time that a run spent in phases of one kind.
type Total struct {
	Kind    Stage   `json:"kind"`
	Pattern string  `json:"pattern,omitempty"`
	Count   int     `json:"count"`
	S       float64 `json:"s"`
	Share   float64 `json:"share"`
}

const (
	// minCheckpoints is the least number of gaps that can be regular.
	minCheckpoints = 3
	// maxDistanceCV is the largest coefficient of variation of the distances between checkpoints. Gaps after 0.6
	// to 1.4 times the mean number of iterations, at random, have 0.23.
	maxDistanceCV = 0.12
	// maxGapRatio is the largest ratio, either way, of the length of a gap to the median for it to count as a
	// checkpoint.
	maxGapRatio = 3.0
)

// Totals adds up the phases of a table by kind and pattern, in the order in which
// they first appear. Where gaps within one pattern recur at regular distances
// they are counted as checkpoints.
func Totals(table []Phase) []Total {
	kinds := kindsOf(table)
	at := map[[2]string]int{}
	var out []Total
	for i, p := range table {
		key := [2]string{string(kinds[i]), p.Pattern}
		k, ok := at[key]
		if !ok {
			k = len(out)
			at[key] = k
			out = append(out, Total{Kind: kinds[i], Pattern: p.Pattern})
		}
		out[k].Count++
		out[k].S += p.EndS - p.StartS
		out[k].Share += p.Share
	}
	return out
}

// Checkpoints returns the phases of a table that are checkpoints, in order.
func Checkpoints(table []Phase) []Phase {
	kinds := kindsOf(table)
	var list []Phase
	for i, p := range table {
		if kinds[i] == Checkpoint {
			list = append(list, p)
		}
	}
	return list
}

// LongestCheckpoint returns the length of the longest checkpoint of a table in seconds, 0 without one.
func LongestCheckpoint(table []Phase) float64 {
	longest := 0.0
	for _, p := range Checkpoints(table) {
		longest = max(longest, p.EndS-p.StartS)
	}
	return longest
}

// kindsOf returns the kind of each phase. Gaps between two loops of one pattern are Checkpoint if at least
// minCheckpoints of them have about equal lengths and recur at about equal distances (see recurrence).
func kindsOf(table []Phase) []Stage {
	kinds := make([]Stage, len(table))
	inner := map[string][]int{} // gaps between two loops of one pattern
	for i, p := range table {
		kinds[i] = p.Kind
		if p.Kind != Gap || i == 0 || i+1 == len(table) {
			continue
		}
		before, after := table[i-1], table[i+1]
		if before.Kind == Loop && after.Kind == Loop && before.Pattern == after.Pattern {
			inner[before.Pattern] = append(inner[before.Pattern], i)
		}
	}
	for _, gaps := range inner {
		events := make([]event, len(gaps))
		for k, i := range gaps {
			events[k] = event{startS: table[i].StartS, size: table[i].EndS - table[i].StartS}
		}
		same, _ := recurrence{minCount: minCheckpoints, sizeRatio: maxGapRatio, distanceCV: maxDistanceCV}.of(events)
		for _, k := range same {
			kinds[gaps[k]] = Checkpoint
		}
	}
	return kinds
}
