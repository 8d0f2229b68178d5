package scaling

import (
	"math"
	"slices"
)

// SharedChange is one change that many series of one application share: the paper's
// HOMME has it in 25 of 664 kernels.
type SharedChange struct {
	// After and Before are the parameter values that the change lies between.
	After  float64 `json:"after"`
	Before float64 `json:"before"`
	// Strength is the log evidence of all series for it over that for none.
	Strength float64 `json:"strength"`
	// Members lists the indexes of the series that more likely than not have the common change; Share is their
	// estimated share.
	Share   float64 `json:"share"`
	Members []int   `json:"members"`
}

// jointStrength is the least evidence of a change common to many series.
const jointStrength = 4

// FindSharedChange searches for one change that several series over the same parameter share. Series that are too weak
// to be segmented alone contribute their evidence, so that many weak ones together are strong, and one strong series
// does not make a common change. ok is false where the evidence is below jointStrength, or fewer than two series are
// members.
func FindSharedChange(series []Series) (c SharedChange, ok bool) {
	d := newDetector()
	profiles := make([]profile, len(series))
	for i, s := range series {
		profiles[i] = d.profile(s)
	}
	best := math.Inf(-1)
	var sum []float64
	for _, gap := range gaps(profiles) {
		odds := make([]float64, len(profiles))
		for i, p := range profiles {
			odds[i] = p.at(gap)
		}
		strength, share := sharing(odds)
		sum = append(sum, strength)
		if strength > best {
			best = strength
			c = SharedChange{After: gap[0], Before: gap[1], Share: share, Members: members(odds, share)}
		}
	}
	if len(sum) == 0 {
		return c, false
	}
	c.Strength = logSumExp(sum) - math.Log(float64(len(sum)))
	return c, c.Strength > jointStrength && len(c.Members) >= 2
}

// profile holds the evidence of one series for a change at each of its cuts: the log odds against one law.
type profile struct {
	p    []float64
	odds []float64 // by cut, -Inf where there can be none
}

// profile returns the log odds of a change at each cut of a series, against the best single law; a kink at a point
// counts for the cuts on both sides. The profile is empty if the series has too few or too many points or a value that
// is not positive.
func (d *detector) profile(s Series) profile {
	points, _ := order(s)
	if len(points) < leastPoints || len(points) > MaxLikelihoodPoints {
		return profile{}
	}
	g := newGrid(points)
	for _, y := range g.y {
		if !(y > 0) {
			return profile{}
		}
	}
	out := d.detect(g)
	n := len(g.y)
	d.searched = 0
	whole := d.oneLaw(math.Inf(1))
	p := profile{p: g.p, odds: make([]float64, n+1)}
	for c := range p.odds {
		v := out.split[c]
		// A kink at a point belongs to the cuts on both sides of it.
		if c > 0 {
			v = max(v, out.split[n+c])
		}
		if c < n {
			v = max(v, out.split[n+1+c])
		}
		p.odds[c] = v - whole
	}
	return p
}

// at returns the largest log odds of a change within a gap of parameter values.
func (p profile) at(gap [2]float64) float64 {
	best := math.Inf(-1)
	for c := 1; c < len(p.p); c++ {
		if p.p[c-1] < gap[1] && p.p[c] > gap[0] {
			best = max(best, p.odds[c])
		}
	}
	return best
}

// gaps returns the ranges between neighbouring parameter values of all series.
func gaps(profiles []profile) [][2]float64 {
	var all []float64
	for _, p := range profiles {
		all = append(all, p.p...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	var out [][2]float64
	for i := 1; i < len(all); i++ {
		out = append(out, [2]float64{all[i-1], all[i]})
	}
	return out
}

// sharing returns the share of the series that have a change for which the evidence is largest, and that log evidence
// over no change. odds has the log odds of each series for the change. Both are 0 if no share has positive evidence.
func sharing(odds []float64) (strength, share float64) {
	value := func(share float64) float64 {
		sum := 0.0
		for _, o := range odds {
			if o > 30 {
				sum += math.Log(share) + o
				continue
			}
			sum += math.Log1p(share * math.Expm1(o))
		}
		return sum
	}
	for i := 1; i <= jointShares; i++ {
		s := float64(i) / jointShares
		s *= s // small shares are looked at more closely
		if s == 1 {
			s = 0.9999
		}
		if v := value(s); v > strength {
			strength, share = v, s
		}
	}
	return strength, share
}

// jointShares is the number of shares tried.
const jointShares = 64

// members returns the indexes of the series that more likely than not have the change.
func members(odds []float64, share float64) []int {
	out := []int{}
	for i, o := range odds {
		if share > 0 && o+math.Log(share/(1-share)) > 0 {
			out = append(out, i)
		}
	}
	return out
}
