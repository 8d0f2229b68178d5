package phase

import (
	"math"

	"jobgait/analysis/internal/robust"
)

// event is something that may recur: a gap between cycles, whose size is its length in seconds, or a burst of writing,
// whose size is in bytes.
type event struct{ startS, size float64 }

// recurrence is what events must have in common to recur: there are at least minCount of about equal size, within a
// factor of sizeRatio of the median, and their distances have at most the coefficient of variation distanceCV.
type recurrence struct {
	minCount              int
	sizeRatio, distanceCV float64
}

// of returns the indexes of the events whose size is within a factor of sizeRatio of the median size, and the mean
// distance of their starts in seconds. It returns nil and 0 if they are fewer than r.minCount or their distances vary
// too much. The events must be in the order of time.
func (r recurrence) of(events []event) (same []int, everyS float64) {
	sizes := make([]float64, len(events))
	for i, e := range events {
		sizes[i] = e.size
	}
	median := robust.Median(sizes)
	var distances []float64
	for i, e := range events {
		if e.size > r.sizeRatio*median || e.size < median/r.sizeRatio {
			continue
		}
		if n := len(same); n > 0 {
			distances = append(distances, e.startS-events[same[n-1]].startS)
		}
		same = append(same, i)
	}
	mean, sd := robust.Mean(distances)
	if len(same) < r.minCount || sd > r.distanceCV*mean || math.IsNaN(mean) {
		return nil, 0
	}
	return same, mean
}
