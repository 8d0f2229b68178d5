package phase

import "testing"

// A table calls all pauses of a loop gaps: those that recur at regular distances are checkpoints, of which the longest
// counts. Fewer than three pauses, or pauses at other distances, are not checkpoints.
func TestLongestCheckpoint(t *testing.T) {
	tableOf := func(lengths, distances []float64) []Phase {
		table := []Phase{{Kind: StartUp, EndS: 1}}
		at := 1.0
		for i, l := range lengths {
			table = append(table, Phase{Kind: Loop, Pattern: "A", StartS: at, EndS: at + distances[i]},
				Phase{Kind: Gap, StartS: at + distances[i], EndS: at + distances[i] + l})
			at += distances[i] + l
		}
		return append(table, Phase{Kind: Loop, Pattern: "A", StartS: at, EndS: at + 1})
	}
	for _, c := range []struct {
		lengths, distances []float64
		want               float64
	}{
		{[]float64{0.5, 0.75, 0.5, 0.5}, []float64{10, 10, 10, 10}, 0.75},
		{[]float64{0.5, 0.5}, []float64{10, 10}, 0},
		{[]float64{0.5, 0.5, 0.5, 0.5, 0.5}, []float64{3, 10, 1, 7, 20}, 0},
		{nil, nil, 0},
	} {
		if got := LongestCheckpoint(tableOf(c.lengths, c.distances)); got != c.want {
			t.Errorf("%v after %v: %g, want %g", c.lengths, c.distances, got, c.want)
		}
	}
}
