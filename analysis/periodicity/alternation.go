package periodicity

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

// A loop of two or three similar parts, such as commands of a shell that each end with a sleep, repeats itself in CPU
// time after each part. If the parts take different times, their lengths alternate, and the cycle is all of them.

const (
	// leastAlternation is by how much lengths correlate more with those one cycle later than with those of the other
	// parts between, and leastAlternationError the same in standard errors. Lengths of equal cycles do not correlate.
	leastAlternation, leastAlternationError = 0.6, 4.5
	// leastDifference is the least median difference of neighbors that alternate, as a share of their mean length, and
	// leastDifferenceSamples that in samples: whole samples let equal lengths alternate by one.
	leastDifference, leastDifferenceSamples = 0.08, 2
	// mostAlternating is the largest number of parts that are joined.
	mostAlternating = 3
)

// withAlternatingCyclesJoined returns a period of equal cycles with its instances joined in twos or threes if their
// lengths alternate (see alternatingParts). It drops instances that do not follow each other in such a group. It
// returns the period unchanged if they do not alternate or fewer than minInstances would remain.
func (p Period) withAlternatingCyclesJoined(set series.Set) Period {
	if p.Kind != Equal {
		return p
	}
	m := p.alternatingParts()
	if m < 2 {
		return p
	}
	var in []Instance
	for i := 0; i+m <= len(p.Instances); {
		last := p.Instances[i+m-1]
		joined := Instance{First: p.Instances[i].First, Length: last.First + last.Length - p.Instances[i].First}
		if !followEachOther(p.Instances[i : i+m]) {
			i++
			continue
		}
		in = append(in, joined)
		i += m
	}
	if len(in) < minInstances {
		return p
	}
	p.CPUS *= float64(m)
	if p.Axis != series.CPU {
		p.setTypicalLength(set, in, typicalLength(groupsOf(in)))
	}
	return p.withInstances(set, in)
}

// followEachOther reports whether each instance begins where the one before it ends.
func followEachOther(in []Instance) bool {
	for i := 1; i < len(in); i++ {
		if in[i].First != in[i-1].First+in[i-1].Length {
			return false
		}
	}
	return true
}

// alternatingParts returns the number of instances, 2 or 3, of which a cycle consists by their lengths; 1 if these do
// not alternate. It compares the correlation of the lengths' ranks at this distance with that at shorter ones. Ranks
// are used because other programs make some instances much longer.
func (p Period) alternatingParts() int {
	n := len(p.Instances)
	if n < 2*minInstances {
		return 1
	}
	differences, sum := make([]float64, n-1), 0.0
	for i := range differences {
		differences[i] = math.Abs(float64(p.Instances[i+1].Length - p.Instances[i].Length))
		sum += float64(p.Instances[i].Length)
	}
	if robust.Median(differences) < max(leastDifferenceSamples, leastDifference*sum/float64(n-1)) {
		return 1
	}
	ranks := lengthRanks(p.Instances)
	var correlations, pairs [mostAlternating + 1]float64
	variance := 0.0
	for _, r := range ranks {
		variance += square(r) / float64(n)
	}
	for k := 1; k <= mostAlternating; k++ {
		for i := 0; i+k < n; i++ {
			if followEachOther(p.Instances[i : i+k+1]) {
				correlations[k] += ranks[i] * ranks[i+k]
				pairs[k]++
			}
		}
		correlations[k] /= max(1, pairs[k]) * max(variance, 1e-9)
	}
	for m := 2; m <= mostAlternating; m++ {
		between := slices.Max(correlations[1:m])
		if correlations[m]-between >= max(leastAlternation, leastAlternationError/math.Sqrt(max(1, pairs[m]))) {
			return m
		}
	}
	return 1
}

// lengthRanks returns the ranks of the lengths of instances, less their mean; equal lengths have the mean of their
// ranks.
func lengthRanks(in []Instance) []float64 {
	order := make([]int, len(in))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(in[a].Length, in[b].Length) })
	ranks := make([]float64, len(in))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && in[order[to]].Length == in[order[from]].Length {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to-len(order)) / 2
		}
		from = to
	}
	return ranks
}
