package past

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/application"
	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
	"jobgait/analysis/scaling"
)

const (
	// mostGrowing is how many functions are told to grow, leastGrowth from which factor
	// on, from the largest size to four times it.
	mostGrowing, leastGrowth = 3, 1.5
)

// growing names the functions whose CPU time in a cycle grows worst with the size, in
// a sentence; none where names or sizes are too few.
func growing(h application.Histories, found changepoint.Report) []string {
	list := h.ScalingBy(application.ByFunction, found, application.ScalingOptions{})
	if len(list) == 0 {
		return nil
	}
	type grows struct {
		name string
		by   float64
	}
	var worst []grows
	for i, r := range scaling.Analyse(list, scaling.Likelihood) {
		sizes := scaling.Sizes(list[i].Observations)
		if by := r.Growth(sizes[len(sizes)-1]); by >= leastGrowth {
			worst = append(worst, grows{r.ID, by})
		}
	}
	if len(worst) == 0 {
		return nil
	}
	slices.SortStableFunc(worst, func(a, b grows) int { return cmp.Compare(b.by, a.by) })
	var said []string
	for _, g := range worst[:min(len(worst), mostGrowing)] {
		said = append(said, fmt.Sprintf("%s %s times", g.name, quantity.Plain(g.by, 2)))
	}
	return []string{fmt.Sprintf("CPU time in a cycle on one node, from the largest size to four times it, by its law: %s (jobgait scaling --by function).", strings.Join(said, ", "))}
}
