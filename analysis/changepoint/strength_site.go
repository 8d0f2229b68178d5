package changepoint

import (
	"math"
	"math/rand/v2"
)

// blockRuns is how many consecutive runs stay together when a history is
// shuffled: what runs of one night share is kept, changes are not.
const blockRuns = 5

// EstimateRate measures how often chance gives an event in histories of one's
// own (logarithms in time order): every run is taken off its level, blocks of
// runs are shuffled and scanned again, draws times. Events whose rate would not
// be given are not counted. The second result is how many runs were scanned: a rate of
// less than a few per that many runs is not known, and the floor says so.
func EstimateRate(histories [][]float64, p Params, draws int, seed uint64) (Rate, int) {
	r := rand.New(rand.NewPCG(seed, 0))
	runs, events, beyond := 0, 0, 0.0
	for _, x := range histories {
		flat := levelled(x, p)
		for range draws {
			for _, d := range Detect(shuffled(flat, r), nil, p) {
				if d.Rate != nil {
					events++
					beyond += d.Margin
				}
			}
			runs += len(flat)
		}
	}
	rate := p.Rate
	if runs == 0 {
		return rate, 0
	}
	rate.PerThousand = 1000 * (float64(events) + 0.5) / float64(runs)
	rate.Floor = math.Min(rate.PerThousand, 500/float64(runs))
	if events >= 5 {
		rate.Fold = beyond / float64(events)
	}
	return rate, runs
}

// levelled returns x with every run taken off the level of its regime.
func levelled(x []float64, p Params) []float64 {
	if len(x) == 0 {
		return nil
	}
	sc := scanner{history: history{x: x}, p: p}
	bounds := []int{0}
	for _, e := range sc.sequence() {
		bounds = append(bounds, e.index)
		if e.resumed > e.index {
			bounds = append(bounds, e.resumed)
		}
	}
	out := make([]float64, 0, len(x))
	for _, st := range sc.stays(bounds) {
		for _, v := range x[st.first : st.last+1] {
			out = append(out, v-st.mu)
		}
	}
	return out
}

// shuffled returns x with its blocks in another order.
func shuffled(x []float64, r *rand.Rand) []float64 {
	n := (len(x) + blockRuns - 1) / blockRuns
	out := make([]float64, 0, len(x))
	for _, b := range r.Perm(n) {
		out = append(out, x[b*blockRuns:min(len(x), (b+1)*blockRuns)]...)
	}
	return out
}
