package marks

import "math"

// states is a hidden Markov model of a run: each state is a mixture of pages, and a switch of state has a
// price.
type states struct {
	logs  [][]float64 // of the share of each page, by state
	phi   float64     // how many times as much the bins scatter as samples drawn from the mixtures would
	price float64     // of a switch, in nats
}

const (
	maxStates = 4
	rounds    = 4   // of EM at most; six found no more
	prior     = 0.5 // samples that every page has in every state
)

// fitStates fits k states to bins by hard EM from first guesses of the state of each, and returns them with the
// states that the bins then have.
func fitStates(b *bins, label []uint8, k int, price float64) (states, []uint8) {
	s := states{price: price}
	label = append([]uint8(nil), label...)
	for range rounds {
		s.setMixtures(b, label, k)
		s.setDispersion(b, label)
		if !s.relabel(b, label) {
			break
		}
	}
	return s, label
}

// setMixtures sets the logarithm of the share of each page in each of k states, from the bins with that label.
func (s *states) setMixtures(b *bins, label []uint8, k int) {
	pages := len(b.total)
	s.logs = make([][]float64, k)
	for i := range s.logs {
		s.logs[i] = make([]float64, pages)
	}
	var sum [maxStates]float64
	for i, l := range label {
		for _, h := range b.hitsOf(i) {
			s.logs[l][h.page] += float64(h.n)
		}
		sum[l] += b.n[i]
	}
	for i, row := range s.logs {
		for p, x := range row {
			row[p] = math.Log((x + prior) / (sum[i] + prior*float64(pages)))
		}
	}
}

// setDispersion sets phi, the variance of the bins' evidence for their states divided by that of samples drawn
// from the mixtures; at least 1.
func (s *states) setDispersion(b *bins, label []uint8) {
	against := make([]float64, len(b.total)) // evidence for a state is against the mean of all
	for _, row := range s.logs {
		for p, x := range row {
			against[p] += x / float64(len(s.logs))
		}
	}
	var mean, variance [maxStates]float64
	for i, row := range s.logs {
		for p, x := range row {
			t, w := math.Exp(x), x-against[p]
			mean[i] += t * w
			variance[i] += t * w * w
		}
		variance[i] -= mean[i] * mean[i]
	}
	got, want := 0.0, 1e-9
	for i, l := range label {
		d := -mean[l] * b.n[i]
		for _, h := range b.hitsOf(i) {
			d += float64(h.n) * (s.logs[l][h.page] - against[h.page])
		}
		got += d * d
		want += variance[l] * b.n[i]
	}
	s.phi = max(1, got/want)
}

// relabel sets the label of every bin to its state on the most likely path through all states (Viterbi), and
// reports whether any label changed.
func (s *states) relabel(b *bins, label []uint8) bool {
	k := len(s.logs)
	var d [maxStates]float64
	// weight[page*k+state] is the evidence of one sample.
	weight := make([]float64, len(b.total)*k)
	for j, row := range s.logs {
		for p, x := range row {
			weight[p*k+j] = x / s.phi
		}
	}
	// From bin i-1 in state best[i] every state of bin i was entered whose bit
	// in came[i] is set; the others stayed.
	came, best := make([]uint8, len(label)), make([]uint8, len(label))
	for i := range label {
		top := 0
		for j := 1; j < k; j++ {
			if d[j] > d[top] {
				top = j
			}
		}
		best[i] = uint8(top)
		for j := range k {
			if d[j] -= d[top]; d[j] < -s.price {
				d[j] = -s.price
				came[i] |= 1 << j
			}
		}
		for _, h := range b.hitsOf(i) {
			n := float64(h.n)
			for j, w := range weight[int(h.page)*k : int(h.page)*k+k] {
				d[j] += n * w
			}
		}
	}
	at := uint8(0)
	for j := 1; j < k; j++ {
		if d[j] > d[at] {
			at = uint8(j)
		}
	}
	changed := false
	for i := len(label) - 1; i >= 0; i-- {
		changed = changed || label[i] != at
		label[i] = at
		if came[i]&(1<<at) != 0 {
			at = best[i]
		}
	}
	return changed
}
