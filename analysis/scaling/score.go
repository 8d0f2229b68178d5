package scaling

import "math"

// prior scores laws by the evidence for them: Gaussian residuals whose standard
// deviation is one of a range of levels, summed over the levels.
type prior struct {
	sigma, weight []float64 // the levels and the logarithms of their weights
	// table[v] is the evidence with v free points by the logarithm of the residual sum of squares; computed at the
	// first use.
	table       [][]float64
	minVariance float64   // a variance that all levels include
	raised      []float64 // the levels with it
	between     []float64 // their weights: what is known of noise between points
}

const (
	// noiseLow to noiseHigh is the range of noise levels that a series may have,
	// as standard deviations relative to the value, in steps of noiseStep; their
	// weights fall with the level to the power of noiseTilt. A lower noiseLow lets
	// smaller misfits be changes, also those of laws that are not quite of the
	// space. The negative tilt distrusts fits that are too good: with it the
	// strength that one false change in a thousand exceeds is nearly the same at
	// all levels of noise.
	noiseLow, noiseHigh, noiseStep, noiseTilt = 0.003, 0.13, 1.5, -1
	// betweenTilt is noiseTilt where repetitions show a part of the noise: it is
	// of what comes between points beside that. At 0 a day's effect of 5 % gives
	// 3 % false changes at six points, at -0.5 it gives 1 %.
	betweenTilt = -0.5
)

// The tables span any residuals that differ: below, all levels fit alike.
const (
	tableLow, tableHigh = -30.0, 12.0
	tableStep           = 1.0 / 16
	tableSize           = int((tableHigh-tableLow)/tableStep) + 2
)

// newPrior returns the prior with its noise levels and their weights.
func newPrior() prior {
	p := prior{}
	for s := noiseLow; s < noiseHigh*1.001; s *= noiseStep {
		p.sigma = append(p.sigma, s)
	}
	p.weight = tilted(p.sigma, noiseTilt)
	p.between = tilted(p.sigma, betweenTilt)
	return p
}

// tilted returns the logarithms of weights proportional to the level to the power of -tilt, which add up to 1.
func tilted(sigma []float64, tilt float64) []float64 {
	w := make([]float64, len(sigma))
	total := 0.0
	for c, s := range sigma {
		w[c] = math.Pow(s, -tilt)
		total += w[c]
	}
	for c := range w {
		w[c] = math.Log(w[c] / total)
	}
	return w
}

// setLeastVariance sets the variance, measured from repetitions, that all noise levels include. The tables hold
// for 0.
func (p *prior) setLeastVariance(variance float64) {
	p.minVariance = variance
	if variance == 0 {
		return
	}
	p.raised = p.raised[:0]
	for _, s := range p.sigma {
		p.raised = append(p.raised, math.Sqrt(s*s+variance))
	}
}

// score returns the log evidence of laws with k coefficients and the given residual sum of squares on n points,
// less the penalty. Each coefficient takes one degree of freedom.
func (p *prior) score(residual float64, n, k int, penalty float64) float64 {
	v := n - k
	if p.minVariance > 0 {
		return logEvidence(p.raised, p.between, residual, v) - penalty
	}
	for len(p.table) <= v {
		p.table = append(p.table, nil)
	}
	if p.table[v] == nil {
		p.table[v] = p.tabulate(v)
	}
	x := (math.Log(residual) - tableLow) / tableStep
	if !(x > 0) { // the logarithm of 0 is -Inf
		x = 0
	} else if x > float64(tableSize-2) {
		x = float64(tableSize - 2)
	}
	i := int(x)
	t := p.table[v]
	return t[i] + (x-float64(i))*(t[i+1]-t[i]) - penalty
}

// tabulate returns the table of log evidence for the given number of free points.
func (p *prior) tabulate(free int) []float64 {
	t := make([]float64, tableSize)
	for i := range t {
		t[i] = logEvidence(p.sigma, p.weight, math.Exp(tableLow+float64(i)*tableStep), free)
	}
	return t
}

// logEvidence returns the log of the evidence summed over the noise levels.
func logEvidence(sigma, weight []float64, residual float64, free int) float64 {
	top, sum := math.Inf(-1), 0.0
	for c, s := range sigma {
		e := weight[c] - float64(free)*math.Log(s) - residual/(2*s*s)
		if e <= top {
			sum += math.Exp(e - top)
			continue
		}
		sum = sum*math.Exp(top-e) + 1
		top = e
	}
	return top + math.Log(sum)
}
