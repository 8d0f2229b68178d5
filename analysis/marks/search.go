package marks

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
)

const (
	minLevelRatio = 1.4 // least factor between the medians of two levels of loops
	maxLevels     = 3   // reported at most
	minBins       = 60  // of a scale that is searched
	// maxBins of a scale are learnt from, those in the middle: the states of a long run
	// are the same in all of it, and each bin costs 60 fits.
	maxBins = 2048
)

// switchPrices lists the prices of a switch of state that are tried, in nats: a low one for short stays, a high
// one against noise. Between them, 3 found nothing more; 3 alone finds 29 of 38.
var switchPrices = [...]float64{2, 6}

// A search finds trains of marks in a run's code; pages are the indexes of the frequent pages.
type search struct {
	CodeBins
	pages []int
}

// newSearch prepares a search over the frequent pages of c.
func newSearch(c CodeBins) search { return search{c, c.frequentPages()} }

// best returns at most maxLevels trains of the whole run, the most regular first: of each level of loops (see
// sameLevel) the one with the highest score, if that is at least minScore. A train that was learnt from only the middle
// of a long run gets its marks and its score from all of it.
func (s search) best() []train {
	var out []train
	for _, t := range s.trains(0, s.Len()) {
		if t.score < minScore || len(out) == maxLevels {
			break
		}
		if slices.ContainsFunc(out, t.sameLevel) {
			continue
		}
		if s.Len()/t.scale > maxBins && (!s.relocateMarks(&t, 0, s.Len()) || t.score < minScore) {
			continue
		}
		out = append(out, t)
	}
	slices.SortStableFunc(out, byScore)
	return out
}

// trains returns the trains of marks that are learnt from the bins [from, to), the most regular first, on every scale
// that leaves at least minBins bins. If trains are given in of, it uses only their scales.
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
		for _, at := range initialGuesses(b) {
			for _, price := range switchPrices {
				st, label := fitStates(b, at.label, at.k, price)
				for _, t := range st.trains(at.k, scale) {
					if t.setMarks(label, b.len()) && !seen[t.key()] {
						seen[t.key()] = true
						out = append(out, t)
					}
				}
			}
		}
	}
	slices.SortStableFunc(out, byScore)
	return out
}

// byScore orders trains by descending score.
func byScore(a, b train) int { return cmp.Compare(b.score, a.score) }

// trains returns two trains for each of k states, its entries and its exits, without marks.
func (s states) trains(k, scale int) []train {
	var out []train
	for state := range uint8(k) {
		out = append(out, train{states: s, state: state, enter: true, scale: scale},
			train{states: s, state: state, scale: scale})
	}
	return out
}

// key returns a hash of the marks, by which equal trains are recognized.
func (t *train) key() uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, m := range t.marks {
		binary.LittleEndian.PutUint64(b[:], uint64(m))
		h.Write(b[:])
	}
	return h.Sum64()
}

// sameLevel reports whether two trains belong to one level of loops: their median intervals differ by a factor
// below minLevelRatio.
func (t *train) sameLevel(o train) bool {
	return max(o.median/t.median, t.median/o.median) < minLevelRatio
}

// relocateMarks replaces the marks of a train, and their median and score, by those that its states give in the bins
// [from, to). It returns false if these have fewer than minMarks marks.
func (s search) relocateMarks(t *train, from, to int) bool {
	b := s.merged(s.pages, t.scale, from, to)
	label := make([]uint8, b.len())
	t.relabel(b, label)
	return t.setMarks(label, b.len())
}

// crossCheckScore returns a score for t in the bins [from, to) of states that were learnt elsewhere. trains are those
// learnt from the other bins, the most regular first; the first one of the level of t is applied to [from, to). The
// score is 0 if no train has that level, or if its marks in [from, to) are too few or of another level.
func (s search) crossCheckScore(trains []train, t train, from, to int) float64 {
	i := slices.IndexFunc(trains, func(o train) bool { return t.sameLevel(o) })
	if i < 0 {
		return 0
	}
	o := trains[i]
	if !s.relocateMarks(&o, from, to) || !t.sameLevel(o) {
		return 0
	}
	return o.score
}
