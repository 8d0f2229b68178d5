package anatomy

// GPUIdleWork is the CPU time of a cycle while GPUs are idle, and in the rest of the cycle.
type GPUIdleWork struct {
	idle       []float64 // the idle share of each bin of the cycle
	busy, rest float64
}

// NewGPUIdleWork divides the CPU time of a cycle between GPU idle time and the rest. idle is the idle share of
// each bin of the cycle; the lists of within add up to the CPU time of each bin.
func NewGPUIdleWork(idle []float64, within ...[]float64) GPUIdleWork {
	m := GPUIdleWork{idle: idle}
	all := make([]float64, len(idle))
	for _, list := range within {
		for i, v := range list {
			all[i] += v
		}
	}
	m.busy, m.rest = m.split(all)
	return m
}

// split returns how much of values, given by bin, lies in idle time, and how much in the rest.
func (m GPUIdleWork) split(values []float64) (in, out float64) {
	for i, v := range values {
		if i < len(m.idle) {
			in, out = in+v*m.idle[i], out+v*(1-m.idle[i])
		}
	}
	return in, out
}

// maxIdleCPUs is the mean number of busy CPUs below which the CPUs count as idle.
const maxIdleCPUs = 0.05

// CPUsIdle reports whether the CPUs are idle too while the GPUs are: fewer than maxIdleCPUs are busy. periodS
// is the length of the cycle in seconds.
func (m GPUIdleWork) CPUsIdle(periodS float64) bool {
	parts := 0.0
	for _, v := range m.idle {
		parts += v
	}
	return parts*periodS > 0 && m.busy/(parts*periodS/float64(len(m.idle))) < maxIdleCPUs
}

// minIdleShare is the least share of the CPU time in GPU idle time for code to be named as the reason, and
// minIdleRatio the least ratio of that share to the share in the rest of the cycle: code that runs at all times
// does not explain why a GPU waits.
const minIdleShare, minIdleRatio = 0.5, 1.3

// ExplainsIdle reports whether code with this CPU time by bin runs mostly while the GPUs are idle, so that it
// may be what they wait for.
func (m GPUIdleWork) ExplainsIdle(within []float64) bool {
	in, out := m.split(within)
	return m.busy > 0 && in >= minIdleShare*m.busy && (m.rest <= 0 || in/m.busy >= minIdleRatio*out/m.rest)
}
