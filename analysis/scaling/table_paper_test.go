package scaling

import (
	"fmt"
	"io"

	"jobgait/analysis/quantity"
)

// samplings is the four that the averaged table is over.
func samplings(in bool, noise float64) []drawCell {
	var out []drawCell
	for i := range 4 {
		out = append(out, drawCell{In: in, Noise: noise, Decades: i&1 == 1, Doubling: i&2 == 2})
	}
	return out
}

func spaceName(in bool) string {
	if in {
		return "in"
	}
	return "out"
}

// averaged is the paper's Fig. 5a as a table: ten points of one law, and five
// and five of two, over four samplings.
func averaged(s tableSettings, w io.Writer) {
	type line struct {
		in    bool
		noise float64
		cells []*tableCell
	}
	var lines []line
	var all []*tableCell
	for _, in := range []bool{true, false} {
		for _, noise := range []float64{0, 0.01, 0.02, 0.05, 0.1, 0.15} {
			l := line{in: in, noise: noise}
			for _, c := range samplings(in, noise) {
				for _, parts := range [][]int{{10}, {5, 5}} {
					l.cells = append(l.cells, &tableCell{n: (s.count + 3) / 4, paper: true,
						draw: func(src drawSource) drawnSeries { return src.Paper(c, parts...) }})
				}
			}
			lines = append(lines, l)
			all = append(all, l.cells...)
		}
	}
	s.measure(all)
	fmt.Fprintf(w, "Section 4.1: 10 points of one law, 5+5 of two; %d series in each cell\n", s.count)
	fmt.Fprintln(w, "(always answering the middle is exact in all of these: see the splits for location)")
	fmt.Fprintln(w, "               paper                            default")
	fmt.Fprintln(w, "space  noise   false   found   right   exact    false   found   right   exact   middle")
	for _, l := range lines {
		t, o, m := sums(l.cells)
		fmt.Fprintf(w, "%-4s  %6s  %s   %s  %6.3f\n", spaceName(l.in), quantity.Chosen(100*l.noise), tallyColumns(t),
			tallyColumns(o), m)
	}
}

// sums adds up cells: the tally of the paper's method, that of the default method, and the share of exact
// places when always choosing the middle.
func sums(cells []*tableCell) (theirs, ours tally, middle float64) {
	m, n := 0, 0
	for _, c := range cells {
		theirs.join(c.theirs)
		ours.join(c.ours)
		m += c.middle
		n += c.drawn
	}
	return theirs, ours, share(m, n)
}

// tallyColumns is false and true positives, their accuracy, and exact places as a
// share of all series with a change.
func tallyColumns(t tally) string {
	fp, tp := share(t.falsely, t.steady), share(t.found, t.changed)
	return fmt.Sprintf("%.5f %7.4f %7.4f %7.4f", fp, tp, (1-fp+tp)/2, share(t.exact, t.changed))
}

// splits is the paper's Fig. 5b with the place of the change: noise up to 5 %
// as the facts have it, functions in the space and out of it.
func splits(s tableSettings, w io.Writer) {
	parts := [][2]int{{5, 5}, {6, 4}, {7, 3}, {8, 2}, {5, 4}, {4, 5}, {6, 3}, {4, 4}, {5, 3}, {6, 2},
		{4, 3}, {5, 2}, {3, 3}, {4, 2}, {2, 4}, {5, 1}}
	var all []*tableCell
	lines := map[string][]*tableCell{}
	name := func(p [2]int, in bool) string { return fmt.Sprintf("%d+%d %s", p[0], p[1], spaceName(in)) }
	for _, p := range parts {
		for _, in := range []bool{true, false} {
			for _, noise := range []float64{0, 0.01, 0.02, 0.05} {
				for _, wide := range []bool{false, true} {
					c := drawCell{In: in, Noise: noise, Decades: wide, Doubling: wide}
					for _, pieces := range [][]int{{p[0] + p[1]}, {p[0], p[1]}} {
						l := &tableCell{n: (s.count + 7) / 8, paper: true,
							draw: func(src drawSource) drawnSeries { return src.Paper(c, pieces...) }}
						lines[name(p, in)] = append(lines[name(p, in)], l)
						all = append(all, l)
					}
				}
			}
		}
	}
	s.measure(all)
	fmt.Fprintf(w, "\nFig. 5b: splits of 6 to 10 points, noise 0 to 5 %%; %d series in each cell\n", s.count)
	fmt.Fprintln(w, "           paper                            default")
	fmt.Fprintln(w, "split      false   found   right   exact    false   found   right   exact   middle")
	var theirs, ours [2]tally
	for _, p := range parts {
		for i, in := range []bool{true, false} {
			t, o, m := sums(lines[name(p, in)])
			theirs[i].join(t)
			ours[i].join(o)
			fmt.Fprintf(w, "%-8s %s   %s  %6.3f\n", name(p, in), tallyColumns(t), tallyColumns(o), m)
		}
	}
	for i, in := range []bool{true, false} {
		fmt.Fprintf(w, "all %-4s %s   %s\n", spaceName(in), tallyColumns(theirs[i]), tallyColumns(ours[i]))
	}
}
