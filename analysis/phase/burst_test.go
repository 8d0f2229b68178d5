package phase

import (
	"math"
	"math/rand/v2"
	"testing"
)

// burstsAt returns bursts of equal size and length at times.
func burstsAt(bytes, lengthS float64, at ...float64) (list []Burst) {
	for _, s := range at {
		list = append(list, Burst{s, s + lengthS, bytes})
	}
	return list
}

// Bursts of equal size at equal distances are checkpoints: they begin with the gap of the loop in which they
// lie, or without one with the burst.
func TestLongestWrittenCheckpoint(t *testing.T) {
	gaps := func(lengthS float64, at ...float64) (table []Phase) {
		for _, s := range at {
			table = append(table, Phase{Kind: Loop, StartS: s - 1, EndS: s}, Phase{Kind: Gap, StartS: s, EndS: s + lengthS})
		}
		return table
	}
	regular := burstsAt(1e6, 1.2, 10, 30, 50, 71, 90)
	for _, c := range []struct {
		name   string
		bursts []Burst
		table  []Phase
		want   float64
	}{
		{"without gaps", regular, nil, 1.2},
		{"gaps of the writing", regular, gaps(2.5, 9, 29, 49, 70), 2.2},
		{"gaps elsewhere", regular, gaps(2.5, 20, 40, 60), 1.2},
		{"a result of another size among them", append(burstsAt(1e8, 3, 1), regular...), nil, 1.2},
		{"three", regular[:3], nil, 0},
		{"at random distances", burstsAt(1e6, 1.2, 10, 13, 40, 44, 80, 120), nil, 0},
		{"of random sizes", []Burst{{10, 11, 1e5}, {30, 31, 1e6}, {50, 51, 1e7}, {70, 71, 1e8}, {90, 91, 2e5}}, nil, 0},
		{"in each cycle", burstsAt(1e6, 0.5, 1, 2, 3, 4, 5, 6), nil, 0},
		{"in each cycle of the checkpoints", burstsAt(1e6, 1.5, 1, 8, 15, 22.5, 29), nil, 1.5},
		{"none", nil, nil, 0},
	} {
		if got := LongestCheckpointWriteS(c.bursts, c.table, 0.9); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g s, want %g", c.name, got, c.want)
		}
	}
	for periodS, want := range map[float64]float64{0: 1.2, 20: 1.2, 100: 1.2} { // no loop, that of the checkpoints
		if got := LongestCheckpointWriteS(regular, nil, periodS); math.Abs(got-want) > 1e-9 {
			t.Errorf("period %g s: %g s, want %g", periodS, got, want)
		}
	}
	if got := LongestCheckpointWriteS(burstsAt(1e6, 0.5, 2, 4, 6, 8, 10), nil, 0); got != 0 {
		t.Errorf("every 2 s without a loop: %g s", got)
	}
}

// Bursts at times of a Poisson process are rarely taken for checkpoints.
func TestRandomBurstsAreRarelyCheckpoints(t *testing.T) {
	r, taken := rand.New(rand.NewPCG(44, 11)), 0
	const draws = 2000
	for range draws {
		var bursts []Burst
		at := 0.0
		for range 6 + r.IntN(30) {
			at += 20 * r.ExpFloat64()
			bursts = append(bursts, Burst{at, at + 1, 1e6})
		}
		if LongestCheckpointWriteS(bursts, nil, 1) > 0 {
			taken++
		}
	}
	if taken > draws/50 {
		t.Errorf("%d of %d", taken, draws)
	}
}

// Without a loop, regular bursts of sizes that differ as those of object files are not checkpoints.
func TestBurstsOfACompilerAreNotCheckpoints(t *testing.T) {
	r, taken := rand.New(rand.NewPCG(44, 12)), 0
	const draws = 1000
	for range draws {
		var bursts []Burst
		for i := range 4 + r.IntN(30) {
			at := 5*float64(i) + r.Float64()
			bursts = append(bursts, Burst{at, at + 1, 2e5 + 4e6*r.Float64()})
		}
		if LongestCheckpointWriteS(bursts, nil, 0) > 0 {
			taken++
		}
	}
	if taken > draws/50 {
		t.Errorf("%d of %d", taken, draws)
	}
}
