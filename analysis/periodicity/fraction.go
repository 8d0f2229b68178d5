package periodicity

import "math"

// A counter that one process of a shell loop advances as much as the next shows a half or a third of the loop's cycle:
// the page faults of `date` and of `sleep` are alike. Other columns, such as busy CPUs, show the whole cycle.

const (
	// leastWorkShare is the least use of CPUs of a stretch as long as a cycle, as a share of the mean, for the stretch
	// to be a cycle.
	leastWorkShare = 0.1
	// mostLost is the largest share of the energy of a cycle that may be lost if equal parts of it are taken for one.
	mostLost = 0.5
	// cyclePoints is the number of points of each part.
	cyclePoints = 8
)

// rulesOutFraction reports whether a source that shows period p also shows that no m-th of p is the period: each cycle
// has a stretch as long as an m-th in which the CPUs do next to nothing, or its parts use the CPUs in different ways.
// It returns false unless the source is a single column of a job that idles by itself.
func (s source) rulesOutFraction(p Period, m int) bool {
	if !s.voluntaryIdle || len(s.cols) != 1 {
		return false
	}
	points := m * cyclePoints
	cycle := resampledCycle(p, s.cols[0].Values, points)
	mean, least := mean32(cycle), math.Inf(1)
	for i := range cycle {
		used := float32(0) // in the m-th of a cycle from point i on
		for k := range cyclePoints {
			used += cycle[(i+k)%points]
		}
		least = min(least, float64(used/cyclePoints))
	}
	return least < leastWorkShare*float64(mean) || newTemplate([][]float32{cycle}, 1, 1, 0).lostByFolding(m) > mostLost
}

// resampledCycle returns the mean of the instances of a period, each resampled to the given number of points.
func resampledCycle(p Period, v []float32, points int) []float32 {
	sum, count := make([]float32, points), make([]float32, points)
	for _, in := range p.Instances {
		for i := range points {
			at := in.First + (2*i+1)*in.Length/(2*points)
			if at < len(v) && !isUnusable(float64(v[at])) {
				sum[i] += v[at]
				count[i]++
			}
		}
	}
	for i := range sum {
		sum[i] /= max(1, count[i])
	}
	return sum
}
