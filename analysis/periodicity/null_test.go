package periodicity

import "testing"

// equalOccurrences returns successive occurrences of one length; dot is their product with the template, which
// has an energy of 2.
func equalOccurrences(from, n, length int, dot float64) (out []occurrence) {
	for i := range n {
		var o occurrence
		for q := range o.at {
			o.at[q] = from + i*length + q*length/parts
		}
		o.dot, o.energy = dot, 2
		out = append(out, o)
	}
	return out
}

func TestLongestAlike(t *testing.T) {
	run := equalOccurrences(0, 9, 40, 1)
	for _, c := range []struct {
		name string
		occ  []occurrence
		want int
	}{
		{"nine", run, 9},
		{"a gap after five", append(equalOccurrences(0, 5, 40, 1), equalOccurrences(260, 4, 40, 1)...), 5},
		{"one that differs after four",
			append(append(equalOccurrences(0, 4, 40, 1), equalOccurrences(160, 1, 40, 0.8)...),
				equalOccurrences(200, 3, 40, 1)...), 4},
		{"one that is longer after four",
			append(append(equalOccurrences(0, 4, 40, 1), equalOccurrences(160, 1, 44, 1)...),
				equalOccurrences(204, 3, 40, 1)...), 4},
	} {
		if got := longestAlike(c.occ); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// A sequence of equal cycles is significant, however flat the rest of its stretch is.
func TestLongRunsAreObvious(t *testing.T) {
	for _, c := range []struct {
		n, periods int
		energy     float64
		want       bool
	}{{9, 1, 400, true}, {4, 2, 400, true}, {4, 1, 400, false}, {9, 1, 200, false}} {
		x := fit{occ: equalOccurrences(0, c.n, 40, 1), b: 4000, t: template{energy: c.energy, periods: c.periods}}
		if got := isObvious(x, 1); got != c.want {
			t.Errorf("%d occurrences of %d periods, energy %g: %v", c.n, c.periods, c.energy, got)
		}
	}
}
