package draw

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// MachineSpell is a time during which all runs on the machine take longer by Log, in log units.
type MachineSpell struct {
	From, To float64 // seconds of the campaign
	Log      float64
}

// DrawCampaign draws many unrelated series on one machine, their runs interleaved over an hour. The machine has a
// slow spell and then an equally fast one, each of about a tenth of that time, and a slow wave of a per cent.
// Every second series changes once by 3 to 20 %. Shuffled runs are executed in random order, so that the
// machine's mood is independent of their place in the history.
func DrawCampaign(r *rand.Rand, series int, shuffled bool) ([]DrawnHistory, []MachineSpell) {
	const span = 3600.0
	size := .03 + .05*r.Float64()
	first := span * (.15 + .2*r.Float64())
	second := span * (.55 + .2*r.Float64())
	spells := []MachineSpell{{first, first + span*.12, size}, {second, second + span*.08, -size}}
	wave := span * (.3 + .4*r.Float64())
	mood := func(t float64) float64 {
		x := .01 * math.Sin(2*math.Pi*t/wave)
		for _, s := range spells {
			if t >= s.From && t < s.To {
				x += s.Log
			}
		}
		return x
	}
	list := make([]DrawnHistory, series)
	for q := range list {
		h := &list[q]
		h.ID = fmt.Sprintf("s%02d", q)
		n, sd := 60+r.IntN(41), loguniform(r, .01, .03)
		change, size := n, 0.0
		if q%2 == 1 {
			change, size = 15+r.IntN(n-30), effect(r, .03, .2)
			h.Changes = []PlantedChange{{change, size, Strength(size, sd, change, n-change)}}
		}
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		if shuffled {
			order = r.Perm(n)
		}
		h.T = days(r, n)
		for i := range n {
			start := (float64(order[i]) + r.Float64()) / float64(n) * span
			x := mood(start) + sd*r.NormFloat64()
			if i >= change {
				x += size
			}
			h.Start = append(h.Start, start)
			h.Y = append(h.Y, seconds(x))
		}
	}
	return list, spells
}
