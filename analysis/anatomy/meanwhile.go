package anatomy

// Meanwhile is the CPU time of a cycle while GPUs are idle, and while they are not.
type Meanwhile struct {
	idle       []float64 // which part of each part of the cycle they are idle
	busy, rest float64
}

// MeanwhileOf divides the CPU time of a cycle, which the lists of within add up to.
func MeanwhileOf(idle []float64, within ...[]float64) Meanwhile {
	m := Meanwhile{idle: idle}
	all := make([]float64, len(idle))
	for _, list := range within {
		for i, v := range list {
			all[i] += v
		}
	}
	m.busy, m.rest = m.divided(all)
	return m
}

// divided is how much of values lies in the idle parts, and how much in the rest.
func (m Meanwhile) divided(values []float64) (in, out float64) {
	for i, v := range values {
		if i < len(m.idle) {
			in, out = in+v*m.idle[i], out+v*(1-m.idle[i])
		}
	}
	return in, out
}

// hardlyCPUs is below how many CPUs nothing runs.
const hardlyCPUs = 0.05

// Hardly says that next to nothing runs then on the CPUs, in cycles of that length.
func (m Meanwhile) Hardly(periodS float64) bool {
	parts := 0.0
	for _, v := range m.idle {
		parts += v
	}
	return parts*periodS > 0 && m.busy/(parts*periodS/float64(len(m.idle))) < hardlyCPUs
}

// mostWhile is the share of the CPU time in idle parts from which code is named, and
// moreWhile how many times that of the rest of the cycle it must be: what runs at all
// times says nothing of why a GPU waits.
const mostWhile, moreWhile = 0.5, 1.3

// Names says whether the code that runs so within the cycle is why.
func (m Meanwhile) Names(within []float64) bool {
	in, out := m.divided(within)
	return m.busy > 0 && in >= mostWhile*m.busy && (m.rest <= 0 || in/m.busy >= moreWhile*out/m.rest)
}
