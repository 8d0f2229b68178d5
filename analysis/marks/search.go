package marks

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
)

const (
	apart   = 1.4 // least factor between the medians of two levels of loops
	levels  = 3   // told at most
	minBins = 60  // of a scale that is looked at
	// maxBins of a scale are learnt from, those in the middle: the states of a long run
	// are the same in all of it, and each bin costs 60 fits.
	maxBins = 2048
)

// prices of a switch of state in nats: low for short stays, high against noise. Between
// them, 3 found nothing more; 3 alone finds 29 of 38.
var prices = [...]float64{2, 6}

// A search looks for trains of marks in a run's code.
type search struct {
	CodeBins
	pages []int
}

func newSearch(c CodeBins) search { return search{c, c.busy()} }

// best returns the best train of each level of loops of the whole run.
func (s search) best() []train {
	var out []train
	for _, t := range s.trains(0, s.Len()) {
		if t.score < least || len(out) == levels {
			break
		}
		if slices.ContainsFunc(out, t.like) {
			continue
		}
		if s.Len()/t.scale > maxBins && (!s.follow(&t, 0, s.Len()) || t.score < least) {
			continue
		}
		out = append(out, t)
	}
	slices.SortStableFunc(out, regular)
	return out
}

// trains returns the trains of marks that are learnt from the bins from..to, the most
// regular first; where trains are given, on their scales only.
func (s search) trains(from, to int, of ...train) []train {
	var out []train
	seen := map[uint64]bool{}
	for scale := 1; (to-from)/scale >= minBins; scale *= 2 {
		if len(of) > 0 && !slices.ContainsFunc(of, func(t train) bool { return t.scale == scale }) {
			continue
		}
		n := min((to-from)/scale, maxBins) * scale
		begin := from + (to-from-n)/2
		b := s.merged(s.pages, scale, begin, begin+n)
		for _, at := range starts(b) {
			for _, price := range prices {
				st, label := learn(b, at.label, at.k, price)
				for _, t := range st.trains(at.k, scale) {
					if t.of(label, b.len()) && !seen[t.key()] {
						seen[t.key()] = true
						out = append(out, t)
					}
				}
			}
		}
	}
	slices.SortStableFunc(out, regular)
	return out
}

func regular(a, b train) int { return cmp.Compare(b.score, a.score) }

// trains are the ways in and out of k states.
func (s states) trains(k, scale int) []train {
	var out []train
	for state := range uint8(k) {
		out = append(out, train{states: s, state: state, enter: true, scale: scale},
			train{states: s, state: state, scale: scale})
	}
	return out
}

// key tells trains with other marks from each other.
func (t *train) key() uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, m := range t.marks {
		binary.LittleEndian.PutUint64(b[:], uint64(m))
		h.Write(b[:])
	}
	return h.Sum64()
}

// like says whether two trains are of one level of loops.
func (t *train) like(o train) bool { return max(o.median/t.median, t.median/o.median) < apart }

// follow sets the marks of a train to those of the bins from..to; false: too few.
func (s search) follow(t *train, from, to int) bool {
	b := s.merged(s.pages, t.scale, from, to)
	label := make([]uint8, b.len())
	t.relabel(b, label)
	return t.of(label, b.len())
}

// elsewhere returns how regular the best of the trains that are like t is in the bins from..to, from which it
// was not learnt; 0 if no train is like t, or the bins have another cycle.
func (s search) elsewhere(trains []train, t train, from, to int) float64 {
	i := slices.IndexFunc(trains, func(o train) bool { return t.like(o) })
	if i < 0 {
		return 0
	}
	o := trains[i]
	if !s.follow(&o, from, to) || !t.like(o) {
		return 0
	}
	return o.score
}
