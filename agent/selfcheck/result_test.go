package selfcheck

import (
	"encoding/json"
	"strings"
	"testing"
)

func example(cost Interval) Result {
	r := Result{Schema: Schema, CPU: 1, Virtual: true, Scope: "cpu", Hz: 4000, Pairs: 30, Level: 0.95,
		CostNS: cost, CPUCostNS: cost}
	for _, hz := range Default().RatesHz {
		r.Slowdown = append(r.Slowdown, Slowdown{hz, cost.scale(hz * 1e-7)})
	}
	return r
}

func TestResultSays(t *testing.T) {
	known := example(Interval{12000, 11000, 13500})
	known.Sources = &Direct{What: "counters", Pairs: 60, Pct: Interval{0.3, -0.1, 0.7}, RecordsPerS: 400}
	for name, c := range map[string]struct {
		r         Result
		want      string
		interrupt float64
	}{
		"known": {known, "One record costs a CPU of this virtual machine 12.00 us (95 % interval 11.00 to 13.50; 30 pairs on CPU 1, 4000 records a second). " +
			"A busy loop becomes slower by 0.24 % (0.22 to 0.27) at 200 Hz, 1.20 % (1.10 to 1.35) at 1000 Hz, 2.40 % (2.20 to 2.70) at 2000 Hz. " +
			"Measured as it is, counters: at most 0.70 % (too noisy to say more) (60 pairs, 400 records a second on all CPUs).", 12000},
		"too noisy": {example(Interval{3000, -2000, 9000}), "Too noisy to say what one record costs a CPU of this virtual machine: at most 9.00 us " +
			"(30 pairs on CPU 1, 4000 records a second). A busy loop becomes slower by at most 0.18 % (too noisy to say more) at 200 Hz, " +
			"at most 0.90 % (too noisy to say more) at 1000 Hz, at most 1.80 % (too noisy to say more) at 2000 Hz.", 9000},
		"faster": {example(Interval{-30, -40, -20}), "at most 0.00 us", 0},
	} {
		if got := c.r.String(); !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
		if got := c.r.InterruptNS(); got != c.interrupt {
			t.Errorf("%s: an interrupt of %v ns", name, got)
		}
		b, err := json.Marshal(c.r)
		var back Result
		if err != nil || json.Unmarshal(b, &back) != nil || back.String() != c.r.String() {
			t.Errorf("%s: %v, %s", name, err, b)
		}
	}
}
