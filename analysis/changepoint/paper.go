package changepoint

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// PaperParams are the parameters of algorithms 1 to 3 of the Albany Land-Ice
// report, by its own names where it has any.
type PaperParams struct {
	// Alpha is the significance level of one window. The report's figures and
	// its published page use .005; nothing controls it over time.
	Alpha float64
	// K is how many of the largest steps between neighbours are tried. The
	// critical value is that of K tests even where fewer exist.
	K int
	// Agree is m, how many windows in a row must name the same change.
	Agree int
	// Window is w, how far back a window reaches.
	Window int
	// TrimShare and TrimMAD bound what is left out of a half as outliers: at
	// most this share of it, and only values this many MAD from its median.
	TrimShare, TrimMAD float64
}

// DefaultPaper returns what the published page was made with.
func DefaultPaper() PaperParams {
	return PaperParams{Alpha: .005, K: 10, Agree: 3, Window: 30, TrimShare: .1, TrimMAD: 3}
}

// paperChange is one entry of the algorithm's list: the first run of the new
// level and the run with which it was seen.
type paperChange struct{ index, detected int }

// paperChanges is algorithm 3 on logarithms. Three resolutions of what the
// report leaves open matter to the result: the window begins at the change that
// was found last, the winner is the largest absolute sum of statistics (the
// report's signed one never finds an improvement), and after a change the scan
// repeats from there, so that an entry may be detected before an earlier one.
func paperChanges(x []float64, p PaperParams) []paperChange {
	var found []paperChange
	critical := criticalValues(p)
	votes := make([]map[int]float64, p.Agree)
	i, j := 0, 1
	for j <= len(x) {
		copy(votes, votes[1:])
		votes[p.Agree-1] = paperCandidates(x, i, j, p, critical)
		if nu, ok := agreed(votes); ok {
			found = append(found, paperChange{index: nu, detected: j - 1})
			i, j = nu, nu+1
			clear(votes)
			continue
		}
		j++
		i = max(i, j-p.Window)
	}
	return found
}

// criticalValues are those of |t| by the length of the window.
func criticalValues(p PaperParams) []float64 {
	c := make([]float64, p.Window+1)
	for n := 3; n <= p.Window; n++ {
		c[n] = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 2)}.Quantile(1 - p.Alpha/(2*float64(p.K)))
	}
	return c
}

// paperCandidates is algorithm 1 with outliers removed from each half: the
// splits of x[i:j) that are significant, with their statistics.
func paperCandidates(x []float64, i, j int, p PaperParams, critical []float64) map[int]float64 {
	w := x[i:j]
	if len(w) <= 2 {
		return nil
	}
	var kept map[int]float64
	for _, k := range largestSteps(w, p.K) {
		t := trimmedT(w[:k], w[k:], p)
		if math.Abs(t) >= critical[len(w)] {
			if kept == nil {
				kept = make(map[int]float64)
			}
			kept[i+k] = t
		}
	}
	return kept
}

// largestSteps are the places of the k largest steps between neighbours.
func largestSteps(w []float64, k int) []int {
	at := make([]int, len(w)-1)
	for q := range at {
		at[q] = q + 1
	}
	slices.SortStableFunc(at, func(a, b int) int {
		da, db := math.Abs(w[a]-w[a-1]), math.Abs(w[b]-w[b-1])
		switch {
		case da > db:
			return -1
		case da < db:
			return 1
		}
		return b - a
	})
	return at[:min(k, len(at))]
}

// trimmedT is Student's t of two halves without their outliers. The variances
// divide by n and the counts are those before trimming, as in the authors' own
// computation: with three against three it is 22 % above the textbook's value.
func trimmedT(a, b []float64, p PaperParams) float64 {
	ma, va := moments(trim(a, p))
	mb, vb := moments(trim(b, p))
	na, nb := float64(len(a)), float64(len(b))
	pooled := (va*(na-1) + vb*(nb-1)) / (na + nb - 2)
	return (mb - ma) / (math.Sqrt(pooled*(1/na+1/nb)) + 1e-8)
}

// trim leaves out values that are both among the farthest tenth from the median
// and more than three MAD away. Fewer than ten values are left alone.
func trim(x []float64, p PaperParams) []float64 {
	drop := int(p.TrimShare * float64(len(x)))
	if drop == 0 {
		return x
	}
	s := slices.Clone(x)
	slices.Sort(s)
	centre := middle(s)
	far := make([]float64, len(x))
	for i, v := range x {
		far[i] = math.Abs(v - centre)
	}
	copy(s, far)
	slices.Sort(s)
	limit := p.TrimMAD * 1.4826 * middle(s)
	least := s[len(s)-drop]
	kept := make([]float64, 0, len(x))
	for i, v := range x {
		// Of values equally far, the first are left out, and no more than drop.
		if drop > 0 && far[i] > 0 && far[i] >= least && far[i] >= limit {
			drop--
			continue
		}
		kept = append(kept, v)
	}
	return kept
}

// middle is the median of ascending values.
func middle(s []float64) float64 {
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// moments are the mean and the variance with divisor n.
func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	return mean, variance / float64(len(x))
}

// agreed is the change that all windows name, the strongest if several.
func agreed(votes []map[int]float64) (nu int, ok bool) {
	best := -1.0
	for c := range votes[0] {
		sum, all := 0.0, true
		for _, v := range votes {
			t, named := v[c]
			sum += t
			all = all && named
		}
		// The earlier of two equally strong ones, so that the order of a map
		// does not decide.
		if s := math.Abs(sum); all && (s > best || s == best && c < nu) {
			nu, best, ok = c, s, true
		}
	}
	return nu, ok
}
