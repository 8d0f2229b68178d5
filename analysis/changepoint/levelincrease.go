package changepoint

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// Requirements for the newest runs to be reported before a change is committed.
const (
	// newestFewest and newestMost limit the number of newest runs: fewer than three agree by chance, and if thirty
	// are still not a committed change, the detector has good reasons.
	newestFewest, newestMost = 3, 30
	// olderFewest is the least number of older runs, which define the usual level.
	olderFewest = 4
	// newestChance is the probability of so high a median by chance, for one number of newest runs.
	newestChance = 1e-4
)

// NewestLevelIncrease returns how many of the newest runs agree on a level above that of the runs before them, and by
// how much in percent; 0 if none do. y are the positive values of the newest regime in time order. It is weaker than a
// commit, for which a level of three runs may be a run of outliers. What runs that resemble each other do by chance,
// and what came and went before for as long, does not count: .001 of histories of 12 to 71 independent runs are
// reported, .008 with outliers, .002 and .007 at correlation .3 and .5, .01 to .07 where two levels take turns.
func NewestLevelIncrease(y []float64) (runs int, pct float64) {
	best := 0.0
	for k := newestFewest; k <= min(newestMost, len(y)/2) && len(y)-k >= olderFewest; k++ {
		old, newest := y[:len(y)-k], y[len(y)-k:]
		usual, level := robust.Median(old), robust.Median(newest)
		bar, quarter := (usual+level)/2, usual+(level-usual)/4 // runs of one level may scatter, as 60, 90 and 75 above 50
		if !(usual > 0) || slices.Min(newest) <= usual || newest[0] <= quarter || seenBefore(old, bar, k) {
			continue
		}
		s := math.Max(robust.MAD(old), scatter.LeastNoise*usual)
		phi := resemblance(old, usual, s)
		// A median knows two thirds of what a mean does.
		se := s * math.Sqrt(1.5*(varianceInflation(phi, float64(k))/float64(k)+
			varianceInflation(phi, float64(len(old)))/float64(len(old))))
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(old) - 1)}
		if z := (level - usual) / se; t.Survival(z) < newestChance && z > best {
			best, runs, pct = z, k, 100*(level/usual-1)
		}
	}
	return runs, pct
}

// seenBefore reports whether x contains k or more consecutive runs above the bar that are followed by one that
// is not.
func seenBefore(x []float64, bar float64, k int) bool {
	streak := 0
	for _, v := range x {
		if v > bar {
			streak++
			continue
		}
		if streak >= k {
			return true
		}
		streak = 0
	}
	return false
}

// resemblance returns the lag-1 correlation of x around mu, with residuals limited to three s; 0 to 0.8.
func resemblance(x []float64, mu, s float64) float64 {
	at := func(i int) float64 { return max(-3, min(3, (x[i]-mu)/s)) }
	product, square := 0.0, 0.0
	for i := range x {
		square += sq(at(i))
		if i > 0 {
			product += at(i) * at(i-1)
		}
	}
	if square == 0 {
		return 0
	}
	return max(0, min(0.8, product/square))
}
