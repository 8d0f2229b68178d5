package changepoint

import (
	"math"
	"math/rand/v2"
	"testing"
)

// If the runs next to an event differ from the rest of its side, the level is moved towards them and its
// uncertainty grows.
func TestAdjacent(t *testing.T) {
	const s = 0.02
	r := rand.New(rand.NewPCG(3, 1))
	flat, bent := make([]float64, 30), make([]float64, 30)
	for i := range flat {
		flat[i] = s * r.NormFloat64()
		bent[i] = flat[i]
		if i >= 20 {
			bent[i] += 2 * s
		}
	}
	weak := newUnseen(3, 90, runCorrelation{})
	look := func(x []float64, atEnd bool) (shift, sd float64) {
		sc := scanner{history: history{x: x}, p: Default()}
		shift, v := sc.levelNextToEvent(sc.fitLevel(0, len(x)), atEnd, s, weak)
		return shift, math.Sqrt(v)
	}
	if shift, sd := look(flat, true); math.Abs(shift) > 0.1*s || sd > 0.35*s {
		t.Errorf("one level: moved by %.4f +- %.4f", shift, sd)
	}
	if shift, sd := look(bent, true); shift < 0.3*s || shift > 1.4*s || sd < 0.3*s {
		t.Errorf("ten higher runs at the end: moved by %.4f +- %.4f", shift, sd)
	}
	if shift, _ := look(bent, false); shift > 0 {
		t.Errorf("twenty lower runs at the start: moved by %.4f", shift)
	}
	for n := range 4 {
		if shift, sd := look(flat[:n+1], true); n < 2 && (shift != 0 || sd != 0) || math.IsNaN(shift+sd) {
			t.Errorf("%d runs: moved by %v +- %v", n+1, shift, sd)
		}
	}
}

// Changes that hide near found ones do not make intervals too narrow: weak and
// strong ones in turn, 12 runs apart.
func TestEffectsBesideUnseenChanges(t *testing.T) {
	t.Parallel()
	found, covered := 0, 0
	for seed := range uint64(70) {
		x := drawn(seed, 96, 0.02, 0, map[int]float64{12: 0.02, 24: 0.06, 36: -0.02, 48: -0.06, 60: -0.02, 72: 0.06,
			84: 0.02})
		for _, e := range scan(history{x: x}, Default()).events {
			step, ok := map[int]float64{24: 0.06, 48: -0.06, 72: 0.06}[e.index]
			if !ok {
				continue
			}
			found++
			if e.lo <= step && step <= e.hi {
				covered++
			}
		}
	}
	// Without the function adjacent it was .71, with it .84; the standard error is .03.
	if share := float64(covered) / float64(found); found < 90 || share < 0.78 {
		t.Errorf("%d found, %.3f of their intervals held the truth", found, share)
	}
}
