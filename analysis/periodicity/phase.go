package periodicity

import (
	"math"

	"jobgait/analysis/series"
)

// A loop that no window shows is followed by a hidden Markov model: the state is the phase of
// the cycle, in equal bins, or outside of the loop. From slot to slot the phase advances by
// what the period says, give or take; each phase has shares of the columns of its own.

const (
	// phasesPerSlot is the number of phases that pass in a slot, and maxPhases bounds them.
	phasesPerSlot, maxPhases = 4, 64
	// phaseJitter is the standard deviation of the length of one cycle, as a share, and
	// minPhaseJitter that of the advance in one slot, in phases.
	phaseJitter, minPhaseJitter = 0.05, 0.4
	// phaseReach is by how many phases a slot may advance more, or less, than its mean.
	phaseReach = 2
	// priorSamples is the number of samples of the mean shares that each phase begins with.
	priorSamples = 3
	// changeCost is the log-probability of entering or leaving the loop.
	changeCost = -9
	// The model is learnt from phaseSeeds places, of as many cycles as the run keeps time, at
	// most maxSeedCycles, in phaseTrials passes; the best of them in phasePasses more.
	phaseSeeds, maxSeedCycles, phaseTrials, phasePasses = 6, 32, 3, 8
	// phaseLearnt bounds the slots that are learnt from, phaseChunk those followed at a time.
	phaseLearnt, phaseChunk = 1 << 13, 1 << 16
	// onlyInside is the gain of a slot outside of the loop with which none is.
	onlyInside = -1e3
	// outsideShare is the share of the mean gain of a slot below which a stretch is outside.
	outsideShare = 0.5
)

// slotHits holds the samples of one slot: the columns that have any, and the count of each.
type slotHits struct {
	column []int16
	count  []float32
}

// hitsOf returns the samples of the slots from..to.
func hitsOf(columns []series.Column, from, to int) []slotHits {
	hits := make([]slotHits, to-from)
	for c, column := range columns {
		for i, v := range column.Values[from:to] {
			if v > 0 {
				hits[i].column = append(hits[i].column, int16(c))
				hits[i].count = append(hits[i].count, v)
			}
		}
	}
	return hits
}

// sharesOf returns each column's share of all samples of the slots.
func sharesOf(hits []slotHits, columns int) []float64 {
	mean := make([]float64, columns)
	all := 0.0
	for _, h := range hits {
		for k, c := range h.column {
			mean[c] += float64(h.count[k])
			all += float64(h.count[k])
		}
	}
	for c := range mean {
		mean[c] /= max(all, 1)
	}
	return mean
}

// advance is by how many phases a slot may advance, and the logarithm of its probability over
// that of the mean.
type advance struct {
	phases int
	log    float64
}

// phaseModel is the cycle of a loop by its phases.
type phaseModel struct {
	slots   float64 // in a cycle
	phases  int
	advance []advance
	gain    [][]float32 // [phase][column]: log of the share against the mean share
	mean    []float64   // shares of the columns
}

// newPhaseModel returns a model of a cycle of the given length in slots, with the mean shares of the columns. It has
// the probabilities of advances, but learn must set the shares of the phases.
func newPhaseModel(slots float64, mean []float64) *phaseModel {
	m := &phaseModel{slots: slots, mean: mean}
	m.phases = min(int(math.Round(phasesPerSlot*slots)), maxPhases)
	step := float64(m.phases) / slots
	sd := max(minPhaseJitter, phaseJitter*float64(m.phases)/math.Sqrt(slots))
	for d := math.Floor(step) - phaseReach; d <= math.Floor(step)+phaseReach+1; d++ {
		if d >= 0 {
			m.advance = append(m.advance, advance{int(d), -square((d-step)/sd) / 2})
		}
	}
	return m
}

// learn sets the shares of the columns in every phase, from the samples of the slots and the phase of each slot,
// negative outside of the loop. Shares are smoothed over neighbouring phases and drawn to the mean shares.
func (m *phaseModel) learn(hits []slotHits, phase []int16) {
	counts := make([][]float64, m.phases)
	for b := range counts {
		counts[b] = make([]float64, len(m.mean))
	}
	for i, b := range phase {
		if b < 0 {
			continue
		}
		for k, c := range hits[i].column {
			counts[b][c] += float64(hits[i].count[k])
		}
	}
	m.gain = make([][]float32, m.phases)
	width := max(1, int(math.Round(float64(m.phases)/m.slots/2)))
	for b := range m.gain {
		row := make([]float64, len(m.mean))
		n := 0.0
		for d := -width; d <= width; d++ {
			w := 1 - math.Abs(float64(d))/float64(width+1)
			for c, x := range counts[((b+d)%m.phases+m.phases)%m.phases] {
				row[c] += w * x
				n += w * x
			}
		}
		m.gain[b] = make([]float32, len(row))
		for c, x := range row {
			m.gain[b][c] = float32(math.Log((x/max(m.mean[c], 1e-9) + priorSamples) / (n + priorSamples)))
		}
	}
}

// follow returns the most likely phase of every slot, -1 outside of the loop, and total, the log-likelihood of the
// slots over that of the mean shares, in nats. outside is the gain, in nats, of each slot outside of the loop.
func (m *phaseModel) follow(hits []slotHits, outside float64) (phase []int16, total float64) {
	n := m.phases
	best, next := make([]float64, n+1), make([]float64, n+1) // the last is outside
	from := make([]int8, len(hits)*n)                        // index of the advance, -1: from outside
	entered := make([]int16, len(hits))
	for i := range hits {
		top, at := 0, best[0]
		for b, x := range best[:n] {
			if x > at {
				top, at = b, x
			}
		}
		next[n], entered[i] = best[n]+outside, -1
		if i > 0 && at+changeCost > best[n] {
			next[n], entered[i] = at+changeCost+outside, int16(top)
		}
		for b := range n {
			next[b] = best[n] + changeCost
			from[i*n+b] = -1
		}
		if i > 0 {
			for a, d := range m.advance {
				for b := range n {
					to := b + d.phases
					if to >= n {
						to -= n
					}
					if x := best[b] + d.log; x > next[to] {
						next[to], from[i*n+to] = x, int8(a)
					}
				}
			}
		}
		for b := range n {
			e := 0.0
			for k, c := range hits[i].column {
				e += float64(hits[i].count[k] * m.gain[b][c])
			}
			next[b] += e
		}
		best, next = next, best
	}
	return m.trace(best, from, entered)
}

// trace returns the phase of every slot on the most likely path, followed back from its end, -1 outside of the
// loop, and the gain of the path in nats.
func (m *phaseModel) trace(best []float64, from []int8, entered []int16) (phase []int16, total float64) {
	n := m.phases
	at := n
	for b, x := range best {
		if x > best[at] {
			at = b
		}
	}
	total = best[at]
	phase = make([]int16, len(entered))
	for i := len(phase) - 1; i >= 0; i-- {
		if at == n {
			phase[i] = -1
			if b := entered[i]; b >= 0 {
				at = int(b)
			}
			continue
		}
		phase[i] = int16(at)
		switch a := from[i*n+at]; {
		case a < 0:
			at = n
		default:
			at = ((at-m.advance[a].phases)%n + n) % n
		}
	}
	return phase, total
}

// learnPhases learns the model of a cycle from the middle of a run, at most phaseLearnt slots. slots is the length of
// the cycle, cycles the number of consecutive cycles over which the run keeps time. It starts at several places and
// keeps the most likely model. gain is the mean gain of a slot over the mean shares, in nats.
func learnPhases(columns []series.Column, slots float64, cycles int) (m *phaseModel, gain float64) {
	n := len(columns[0].Values)
	from := max(0, (n-phaseLearnt)/2)
	n = min(n, phaseLearnt)
	hits := hitsOf(columns, from, from+n)
	mean := sharesOf(hits, len(columns))
	seed := min(n/4, int(float64(min(cycles, maxSeedCycles))*slots))
	best := math.Inf(-1)
	for s := range phaseSeeds {
		x := newPhaseModel(slots, mean)
		phase := make([]int16, seed)
		for i := range phase {
			phase[i] = int16(int(float64(i)/slots*float64(x.phases)) % x.phases)
		}
		x.learn(hits[(2*s+1)*(n-seed)/(2*phaseSeeds):][:seed], phase)
		if total := x.improve(hits, phaseTrials); total > best {
			best, m = total, x
		}
	}
	gain = m.improve(hits, phasePasses) / float64(n)
	m.rotate()
	return m, gain
}

// improve alternates follow and learn for the given number of passes, and returns the gain of the last pass, in
// nats.
func (m *phaseModel) improve(hits []slotHits, passes int) (total float64) {
	for range passes {
		var phase []int16
		phase, total = m.follow(hits, onlyInside)
		m.learn(hits, phase)
	}
	return total
}

// rotate renumbers the phases so that the one at which the shares change most is the first.
func (m *phaseModel) rotate() {
	first, most := 0, 0.0
	for b, row := range m.gain {
		before := m.gain[(b+m.phases-1)%m.phases]
		change := 0.0
		for c, g := range row {
			change += m.mean[c] * math.Abs(math.Exp(float64(g))-math.Exp(float64(before[c])))
		}
		if change > most {
			first, most = b, change
		}
	}
	m.gain = append(m.gain[first:len(m.gain):len(m.gain)], m.gain[:first]...)
}

// begins returns the places, in slots and fractions of them, at which cycles begin (the phase returns to its start),
// one list for each run of cycles in the loop. outside is the gain, in nats, of a slot outside of the loop.
func (m *phaseModel) begins(columns []series.Column, outside float64) (runs [][]float64) {
	step := float64(m.phases) / m.slots
	slots := len(columns[0].Values)
	for from := 0; from < slots; from += phaseChunk {
		phase, _ := m.follow(hitsOf(columns, from, min(from+phaseChunk, slots)), outside)
		var run []float64
		last := int16(-1)
		for i, b := range append(phase, -1) {
			switch {
			case b < 0 && len(run) > 0:
				runs, run = append(runs, run), nil
			case b >= 0 && last >= 0 && b < last:
				run = append(run, float64(from+i)-float64(b)/step)
			}
			last = b
		}
	}
	return runs
}
