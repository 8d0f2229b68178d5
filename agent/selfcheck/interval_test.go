package selfcheck

// Interval is an estimate with its 95 % interval.
type Interval struct {
	Value float64
	Lo    float64
	Hi    float64
}

// scale multiplies an interval.
func (x Interval) scale(by float64) Interval { return Interval{x.Value * by, x.Lo * by, x.Hi * by} }

// Known reports whether the value is certainly above zero.
func (x Interval) Known() bool { return x.Lo > 0 }

// AtMost is the upper end of the interval, and not less than 0.
func (x Interval) AtMost() float64 { return max(0, x.Hi) }

// Result is what one node's sampling costs.
type Result struct {
	CPU int
	// Scope is "cpu" for timers of a whole CPU, "task" where only those of
	// the own thread are permitted.
	Scope string
	// Hz is the rate at which records were written.
	Hz    float64
	Pairs int
	// CostNS is what one record takes from the CPU, by wall time; CPUCostNS
	// what the kernel accounts of it to the program.
	CostNS    Interval
	CPUCostNS Interval
	// Sources is the slowdown by the sources as they are, nil if not measured.
	Sources *Direct
}

// Direct is a slowdown that was measured without amplification.
type Direct struct {
	Pairs int
	// Pct is how much longer the loop took, by its quiet chunks.
	Pct Interval
	// WholePct is the same for the means of whole halves, with the changes that quiet chunks show: the part that is
	// only noise, as far as that can be determined.
	WholePct Interval
	// CPUPct is the same in CPU time of the loop's thread.
	CPUPct Interval
	// RecordsPerS is over all CPUs.
	RecordsPerS float64
}

// InterruptNS is the cost of a record to reckon with: the estimate, or the most
// that it can be where it is not known.
func (r Result) InterruptNS() float64 {
	if r.CostNS.Known() {
		return r.CostNS.Value
	}
	return r.CostNS.AtMost()
}
