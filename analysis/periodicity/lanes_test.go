package periodicity

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The loops give bit-identical numbers, whether many places are computed at a time or one by one.
func TestLanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		return x
	}
	for range 300 {
		n, m := 1+rng.IntN(150), 1+rng.IntN(70)
		out, x, y, w := random(n), random(n+m), random(n), random(m)
		from := random(n + 2*maxShift)
		for name, loop := range map[string]func(out []float32, a int){
			"convolve": func(out []float32, a int) { convolve(out, x[a:], w, true) },
			"product":  func(out []float32, a int) { convolve(out, x[a:], w, false) },
			"ends":     func(out []float32, a int) { addEnds(out, from[a:], y[a:], 0.1, 0.4) },
			"begins":   func(out []float32, a int) { addBegins(out, x[a:], y[a:]) },
			"unlevel":  func(out []float32, a int) { subtractLevel(out, x[a:a+len(out)], 0, 0.7) },
			"invert":   func(out []float32, a int) { invert(out, 0.1, 0.5, 3) },
			"scale":    func(out []float32, a int) { scale(out, x[a:a+len(out)], 0, 0.3, 0.2) },
		} {
			many, few, step := slices.Clone(out), slices.Clone(out), 7
			if name == "convolve" || name == "product" {
				step = 28 // it does four at a time in Go, too
			}
			loop(many, 0)
			for a := 0; a < n; a += step {
				loop(few[a:min(a+step, n)], a)
			}
			if !slices.Equal(many, few) {
				t.Fatalf("%s of %d places and %d points: %v, want %v", name, n, m, many, few)
			}
		}
	}
}

// With maxShift places to either side, and not beyond the ends of what is given.
func TestEnds(t *testing.T) {
	for n := 1; n < 20; n++ {
		for i := range n + 2*maxShift {
			from := make([]float32, n+2*maxShift)
			from[i] = 10
			out := make([]float32, n)
			addEnds(out, from, make([]float32, n), 1, 4)
			for k, got := range out {
				want := map[int]float32{0: 6, 1: 9, 2: 10, 3: 9, 4: 6}[i-k]
				if got != want {
					t.Fatalf("%d places, the best at %d: %v at %d, want %v", n, i, got, k, want)
				}
			}
		}
	}
}

// Sums that overflow end nothing: occurrences are still in order and inside.
func TestTrackOverflow(t *testing.T) {
	for _, n := range []int{100, 333, 1000} {
		x := make([]float32, n)
		for i := range x {
			x[i] = []float32{1e30, -3e30, 2, 1e38}[i*i%7%4]
		}
		v := vector{c: [][]float32{x}, noise: 1}
		var d tracker
		end := 0
		for _, o := range d.over(v).track(firstTemplate(v, 40, 1, 0), false) {
			if o.at[0] < end || o.at[parts] <= o.at[0] || o.at[parts] > n {
				t.Fatalf("%d samples: %v after %d", n, o.at, end)
			}
			end = o.at[parts]
		}
	}
}
