package scatter

import "math"

// expTable holds 2^(k/expCells).
var expTable = func() (table [expCells]float64) {
	for k := range table {
		table[k] = math.Exp2(float64(k) / expCells)
	}
	return table
}()

const (
	expCells   = 128
	expLogTwo  = 7 // binary logarithm of expCells
	perLn2     = expCells / math.Ln2
	ln2High    = 0x1.62e42fefap-1 / expCells // ln 2 with 20 zero bits at its end, so that its multiples are exact
	ln2Low     = 0x1.cf79abc9e3b39p-40 / expCells
	roundToInt = 1.5 * (1 << 52) // adding it leaves the integer part of a float64 in its low bits
)

// expOf returns exp(x) for x from -700 to 700 with a relative error below 1e-15. It is math.Exp without the cases
// beyond, in two thirds of the time: the residuals of runs take a third of all time of an analysis of changes.
func expOf(x float64) float64 {
	shifted := x*perLn2 + roundToInt
	cells := shifted - roundToInt
	k := int64(math.Float64bits(shifted)<<13) >> 13
	r := (x - cells*ln2High) - cells*ln2Low
	rest := r + r*r*(1./2+r*(1./6+r*(1./24+r*(1./120))))
	t := expTable[k&(expCells-1)]
	return math.Float64frombits(math.Float64bits(t+t*rest) + uint64(k>>expLogTwo)<<52)
}
