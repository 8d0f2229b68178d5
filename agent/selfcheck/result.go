package selfcheck

import (
	"fmt"
	"strings"
)

// Interval is an estimate with its 95 % interval.
type Interval struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"ci_lo"`
	Hi    float64 `json:"ci_hi"`
}

// scale multiplies an interval.
func (x Interval) scale(by float64) Interval { return Interval{x.Value * by, x.Lo * by, x.Hi * by} }

// Known tells whether it is surely more than nothing.
func (x Interval) Known() bool { return x.Lo > 0 }

// AtMost is the upper end of the interval, and not less than 0.
func (x Interval) AtMost() float64 { return max(0, x.Hi) }

// Result is what one node's sampling costs.
type Result struct {
	Schema string `json:"schema"`
	CPU    int    `json:"cpu"`
	// Virtual is whether the node is a virtual machine.
	Virtual bool `json:"virtual"`
	// Scope is "cpu" for timers of a whole CPU, "task" where only those of
	// the own thread are permitted.
	Scope string `json:"scope"`
	// Hz is the rate at which records were written.
	Hz    float64 `json:"hz"`
	Pairs int     `json:"pairs"`
	Level float64 `json:"level"`
	// CostNS is what one record takes from the CPU, by wall time; CPUCostNS
	// what the kernel accounts of it to the program.
	CostNS    Interval `json:"cost_ns"`
	CPUCostNS Interval `json:"cpu_cost_ns"`
	// Slowdown is that at other rates.
	Slowdown []Slowdown `json:"slowdown"`
	// Sources is the slowdown by the sources as they are, null if not measured.
	Sources *Direct `json:"sources"`
}

// Slowdown is by how many percent a busy loop takes longer.
type Slowdown struct {
	Hz  float64  `json:"hz"`
	Pct Interval `json:"pct"`
}

// Direct is a slowdown that was measured without amplification.
type Direct struct {
	What  string `json:"what"`
	Pairs int    `json:"pairs"`
	// Pct is how much longer the loop took, by its quiet chunks.
	Pct Interval `json:"pct"`
	// WholePct is the same by the mean of a whole half, with what quiet
	// chunks changed: of nothing but noise, as far as could be seen.
	WholePct Interval `json:"whole_pct"`
	// CPUPct is the same in CPU time of the loop's thread.
	CPUPct Interval `json:"cpu_pct"`
	// RecordsPerS is over all CPUs.
	RecordsPerS float64 `json:"records_per_s"`
}

// Schema of the JSON.
const Schema = "jobgait.selfcheck/1"

// InterruptNS is the cost of a record to reckon with: the estimate, or the most
// that it can be where it is not known.
func (r Result) InterruptNS() float64 {
	if r.CostNS.Known() {
		return r.CostNS.Value
	}
	return r.CostNS.AtMost()
}

// String is one paragraph.
func (r Result) String() string {
	var b strings.Builder
	machine := "this machine"
	if r.Virtual {
		machine = "this virtual machine"
	}
	how := fmt.Sprintf("%d pairs on CPU %d, %.0f records a second", r.Pairs, r.CPU, r.Hz)
	us := r.CostNS.scale(1e-3)
	if us.Known() {
		fmt.Fprintf(&b, "One record costs a CPU of %s %.2f us (95 %% interval %.2f to %.2f; %s).", machine, us.Value, us.Lo, us.Hi, how)
	} else {
		fmt.Fprintf(&b, "Too noisy to say what one record costs a CPU of %s: at most %.2f us (%s).", machine, us.AtMost(), how)
	}
	for i, s := range r.Slowdown {
		if i == 0 {
			b.WriteString(" A busy loop becomes slower by ")
		} else {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s at %.0f Hz", percent(s.Pct), s.Hz)
	}
	if len(r.Slowdown) > 0 {
		b.WriteString(".")
	}
	if d := r.Sources; d != nil {
		fmt.Fprintf(&b, " Measured as it is, %s: %s (%d pairs, %.0f records a second on all CPUs).", d.What, percent(d.Pct), d.Pairs, d.RecordsPerS)
	}
	return b.String()
}

// percent says a slowdown.
func percent(x Interval) string {
	if !x.Known() {
		return fmt.Sprintf("at most %.2f %% (too noisy to say more)", x.AtMost())
	}
	return fmt.Sprintf("%.2f %% (%.2f to %.2f)", x.Value, x.Lo, x.Hi)
}
