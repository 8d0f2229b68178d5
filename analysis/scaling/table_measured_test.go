package scaling

import (
	"fmt"
	"io"
	"math"
)

// measured is the families of measured series, the paper's splits of 6 to 10
// points and series with two changes, pooled over noise, with 95 % bounds.
func measured(s tableSettings, w io.Writer) {
	fmt.Fprintf(w, "\nFamilies of measured series, splits and two changes, with 95 %% bounds; %d series in each cell\n",
		s.count)
	fmt.Fprintln(w, "family      noise   false                  found                  exact")
	quiet, loud := []float64{0, 0.01, 0.02, 0.05}, []float64{0.1}
	for i, noises := range [][]float64{quiet, loud} {
		band := []string{"<= 5%", "10%"}[i]
		draw := func(f func(drawSource, float64) drawnSeries) *tableCell {
			n := 0
			return &tableCell{n: s.count, draw: func(src drawSource) drawnSeries {
				n++
				return f(src, noises[n%len(noises)])
			}}
		}
		var names []string
		var cells []*tableCell
		add := func(name string, f func(drawSource, float64) drawnSeries) {
			names, cells = append(names, name), append(cells, draw(f))
		}
		for _, family := range append(append([]string(nil), steadyFamilies...), changedFamilies...) {
			add(family, func(src drawSource, noise float64) drawnSeries { return src.Measured(family, noise) })
		}
		add("split", split)
		add("two changes", func(src drawSource, noise float64) drawnSeries { return src.Twice(noise) })
		s.measure(cells)
		var real tally
		for k, c := range cells {
			if names[k] != "split" && names[k] != "two changes" {
				real.join(c.ours)
			}
			fmt.Fprintf(w, "%-11s %-6s %s\n", names[k], band, bounded(c.ours))
		}
		fmt.Fprintf(w, "%-11s %-6s %s\n", "measured", band, bounded(real))
	}
}

// split draws one of the paper's splits, or as many points of one law, of
// functions in the space.
func split(src drawSource, noise float64) drawnSeries {
	parts := [][]int{{6, 4}, {7, 3}, {8, 2}, {5, 4}, {4, 4}, {5, 3}, {4, 3}, {5, 2}, {3, 3}, {4, 2}, {5, 1}}
	p := parts[src.Below(len(parts))]
	if src.Below(3) == 0 {
		p = []int{p[0] + p[1]}
	}
	wide := src.Below(2) == 0
	return src.Paper(drawCell{In: true, Decades: wide, Doubling: wide, Noise: noise}, p...)
}

func bounded(t tally) string {
	return shareWithBounds(t.falsely, t.steady) + "   " + shareWithBounds(t.found, t.changed) + "   " +
		shareWithBounds(t.exact, t.changed)
}

// shareWithBounds is a share and its bounds, blank where there is nothing to share.
func shareWithBounds(k, n int) string {
	p := share(k, n)
	if math.IsNaN(p) {
		return fmt.Sprintf("%20s", "")
	}
	lo, hi := bounds(k, n)
	return fmt.Sprintf("%.4f %.4f-%.4f", p, lo, hi)
}

// rough prints false changes under noise for which the detector was not calibrated.
func rough(s tableSettings, w io.Writer) {
	fmt.Fprintf(w, "\nNo change, noise of other kinds: false changes at 6, 8 and 10 points; %d series in each cell\n",
		s.count)
	var cells []*tableCell
	sizes := []int{6, 8, 10}
	for _, family := range roughFamilies {
		for _, n := range sizes {
			cells = append(cells, &tableCell{n: s.count, draw: func(src drawSource) drawnSeries {
				return src.Disturbed(family, n)
			}})
		}
	}
	s.measure(cells)
	for i, family := range roughFamilies {
		fmt.Fprintf(w, "%-24s", family)
		for k := range sizes {
			t := cells[i*len(sizes)+k].ours
			fmt.Fprintf(w, " %s", shareWithBounds(t.falsely, t.steady))
		}
		fmt.Fprintln(w)
	}
}
