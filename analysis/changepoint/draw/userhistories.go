package draw

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// seconds converts a log level to a run time: 0 is 100 s.
func seconds(log float64) float64 { return 100 * math.Exp(log) }

// DrawUserHistories draws four shapes of one user's application over 100 days. Two things
// happen in that time (a rebuild, a library), by 2 to 10 %; each shape takes
// part in each with the chance share, its effect within 30 %; three in ten
// change once more by themselves.
func DrawUserHistories(r *rand.Rand, user string, share float64) []DrawnHistory {
	const span = 100
	type happening struct{ day, log float64 }
	draw := func() happening { return happening{math.Floor(10 + r.Float64()*80), effect(r, .02, .1)} }
	both := []happening{draw(), draw()}
	shapes := make([]DrawnHistory, 4)
	for s := range shapes {
		h := &shapes[s]
		h.ID, h.User = fmt.Sprintf("%s.%d", user, s), user
		var own []happening
		for _, b := range both {
			if r.Float64() < share {
				own = append(own, happening{b.day, b.log * (.7 + .6*r.Float64())})
			}
		}
		if r.Float64() < .3 {
			own = append(own, draw())
		}
		gap, sd := .7+1.3*r.Float64(), loguniform(r, .01, .04)
		for t := r.Float64(); t < span; t += gap * (.5 + r.Float64()) {
			h.T = append(h.T, t)
		}
		d := someDisturbed(r)
		for i, t := range h.T {
			x := sd*r.NormFloat64() + d.add(r)
			for _, o := range own {
				if t < o.day {
					continue
				}
				x += o.log
				if i > 0 && h.T[i-1] < o.day {
					h.Changes = append(h.Changes, PlantedChange{i, o.log, Strength(o.log, sd, i, len(h.T)-i)})
				}
			}
			h.Y = append(h.Y, seconds(x))
		}
	}
	return shapes
}

// DrawPair draws n days of two cases that share the machine's shift, spread shared,
// beside noise of their own, and in which each has a share of disturbed runs.
// b takes longer by the logarithm apart.
func DrawPair(r *rand.Rand, n int, shared, own, disturbed, apart float64) (a, b DrawnHistory) {
	spike := func() float64 {
		if r.Float64() < disturbed {
			return .05 + .95*r.Float64()
		}
		return 0
	}
	for i := range n {
		mood := shared * r.NormFloat64()
		a.T, b.T = append(a.T, float64(i)), append(b.T, float64(i))
		a.Y = append(a.Y, seconds(mood+own*r.NormFloat64()+spike()))
		b.Y = append(b.Y, seconds(mood+own*r.NormFloat64()+spike()+apart))
	}
	return a, b
}
