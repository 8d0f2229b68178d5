package scaling_test

import (
	"fmt"

	"jobgait/analysis/scaling"
)

// The example of Off-Road: p^2 up to five, 30 + p from six on; both laws hold
// at six.
func ExampleAnalyse() {
	s := scaling.Series{ID: "solver", Parameter: "nodes", Metric: "step_s"}
	for i, v := range []float64{1, 4, 9, 16, 25, 36, 37, 38, 39, 40} {
		s.Observations = append(s.Observations, scaling.Observation{P: float64(i + 1), Value: v})
	}
	r := scaling.Analyse([]scaling.Series{s}, scaling.Likelihood)[0]
	fmt.Println("as one law:", r.Whole.Formula)
	for _, g := range r.Segments {
		fmt.Printf("points %d to %d: %s\n", g.First, g.Last, g.Model.Formula)
	}
	fmt.Println("both hold at", *r.Changes[0].Common)
	// Output:
	// as one law: 0.9471 + 3.833 * log2(nodes)^(2)
	// points 0 to 5: 0 + 1 * nodes^(2)
	// points 5 to 9: 30 + 1 * nodes^(1)
	// both hold at 6
}
