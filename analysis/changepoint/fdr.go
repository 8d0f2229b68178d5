package changepoint

import "math"

// Chance is the chance that n runs without a change give at least one event
// this strong; not ok where the noise was never calibrated. Beyond the rarest
// that was counted it falls by a factor e in four nats. The counted rates fall
// faster, but among a thousand users somebody's noise has a tail: without any
// fall no list of a thousand could hold an entry.
func (c Change) Chance(n int) (p float64, ok bool) {
	if c.FalsePer1000 == nil {
		return 1, false
	}
	rate := *c.FalsePer1000 * math.Exp(-c.Beyond/tailFold)
	return -math.Expm1(-rate * float64(n) / 1000), true
}

// tailFold is that number of nats.
const tailFold = 4

// beyond is by how many nats a margin exceeds the one of the floor.
func (r Rate) beyond(margin float64) float64 {
	if !(r.Floor > 0) || !(r.PerThousand > r.Floor) {
		return 0
	}
	return math.Max(0, margin-r.Fold*math.Log(r.PerThousand/r.Floor))
}

// ExpectedByChance is how many of the changes listed chance alone would give:
// in each series the rate of its weakest listed change times its runs.
func ExpectedByChance(results []Result) float64 {
	sum := 0.0
	for _, r := range results {
		sum += expected(r)
	}
	return sum
}
