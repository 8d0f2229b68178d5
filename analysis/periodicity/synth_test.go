package periodicity

import (
	"math"
	"math/rand/v2"

	"jobgait/analysis/series"
)

// loop simulates the instructions per cycle of an iterative application: runs of iterations with plateaus and
// short dips, and aperiodic stretches in between.
type loop struct {
	rng *rand.Rand
	x   series.Values
	at  []Instance
}

func newLoop(seed uint64) *loop { return &loop{rng: rand.New(rand.NewPCG(seed, 7))} }

// shape is an iteration of n samples: plateaus and dips, the first at 0.
func (l *loop) shape(n, plateaus, dips int) []float64 {
	s := make([]float64, n)
	for p := range plateaus {
		level := 1.1 + 0.3*(2*l.rng.Float64()-1)
		for i := p * n / plateaus; i < (p+1)*n/plateaus; i++ {
			s[i] = level
		}
	}
	for d := range dips {
		at, width := 0, max(4, n/30)
		if d > 0 {
			at, width = l.rng.IntN(n), 3+l.rng.IntN(max(1, n/40))
		}
		for i := range width {
			s[(at+i)%n] = 0.35
		}
	}
	return s
}

// run appends n iterations, each varied by a normal share jitter and scaled by stretch.
func (l *loop) run(s []float64, n int, jitter, stretch float64) {
	for range n {
		m := max(2, int(math.Round(float64(len(s))*stretch*(1+jitter*l.rng.NormFloat64()))))
		l.at = append(l.at, Instance{First: len(l.x), Length: m})
		for i := range m {
			l.x = append(l.x, float32(s[i*len(s)/m]))
		}
	}
}

// other appends n samples without a rhythm.
func (l *loop) other(n int) {
	for end := len(l.x) + n; len(l.x) < end; {
		level := 0.9 + 0.5*(2*l.rng.Float64()-1)
		for w := 4 + l.rng.IntN(150); w > 0 && len(l.x) < end; w-- {
			l.x = append(l.x, float32(level))
		}
	}
}

// app appends runs of some iterations between other stretches, n samples in all.
func (l *loop) app(s []float64, n, run int, share, jitter float64) {
	for end := len(l.x) + n; len(l.x) < end-len(s); {
		k := max(2, int(float64(run)*(0.6+0.8*l.rng.Float64())))
		k = min(k, (end-len(l.x))/len(s))
		l.run(s, k, jitter, 1)
		l.other(int(float64(k*len(s)) * (1 - share) / share))
	}
}

// set adds white noise and returns the profile.
func (l *loop) set(noise float64) series.Set {
	for i := range l.x {
		l.x[i] += float32(noise * l.rng.NormFloat64())
	}
	return series.Set{StepS: 0.005,
		Columns: []series.Column{{Name: "ipc", Unit: "1", Scope: series.JobScope, Values: l.x}}}
}

// agrees returns the share of the samples on which truth and periods agree
// whether they lie in an instance.
func (l *loop) agrees(periods []Period) float64 {
	in := make([]bool, len(l.x))
	for _, p := range periods {
		for _, i := range p.Instances {
			for k := range i.Length {
				in[i.First+k] = true
			}
		}
	}
	truth := make([]bool, len(l.x))
	for _, i := range l.at {
		for k := range i.Length {
			truth[i.First+k] = true
		}
	}
	same := 0
	for i := range in {
		if in[i] == truth[i] {
			same++
		}
	}
	return float64(same) / float64(len(in))
}
