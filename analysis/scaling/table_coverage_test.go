package scaling

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"jobgait/analysis/internal/parallel"
	"jobgait/analysis/quantity"
)

// coverage prints how many of the 95 % intervals of predictions at 1, 2 and 4
// times the largest p hold one new run there, and how many of the law's hold
// the law. The constants of the predictions were chosen on other draws, by a
// program with other seeds.
//
// The families: one term in and out of the paper's space, sums of two, a serial
// part with a falling one, and work, serial part and communication together;
// 5 to 12 points, p = 1..n or powers of two; noise of 0 to 10 %, uniform as in
// the paper or normal; one law, or two with a cut anywhere that leaves two
// points on each side.
func coverage(s tableSettings, w io.Writer) {
	fmt.Fprintf(w, "\nPredictions: shares of intervals at 1, 2 and 4 times the largest p; %d series of each family\n",
		s.count)
	var cells []*coverageCell
	for _, segmented := range []bool{false, true} {
		for _, normal := range []bool{false, true} {
			for _, f := range coverageFamilies() {
				cells = append(cells, &coverageCell{segmented: segmented, normal: normal, family: f,
					n: s.count, seed: s.seed<<20 + uint64(len(cells)), rows: coverageTable{rows: map[string]*coverageRow{}}})
			}
		}
	}
	parallel.Each(len(cells), func(i int) { cells[i].run() })
	table := coverageTable{rows: map[string]*coverageRow{}}
	for _, c := range cells {
		table.merge(&c.rows)
	}
	table.print(w)
}

// coverageCell is one family of series.
type coverageCell struct {
	segmented, normal bool
	family            coverageFamily
	n                 int
	seed              uint64
	rows              coverageTable
}

// coverageNoises is cycled through by the series of a cell.
func coverageNoises() []float64 { return []float64{0, 0.01, 0.02, 0.05, 0.10} }

func (c *coverageCell) run() {
	r := rand.New(rand.NewPCG(c.seed, 2))
	laws := "one law"
	if c.segmented {
		laws = "two laws"
	}
	kind := "uniform"
	if c.normal {
		kind = "normal"
	}
	for k := range c.n {
		noise := coverageNoises()[k%len(coverageNoises())]
		d := c.draw(r, noise)
		result := Analyse([]Series{d.series}, Likelihood)[0]
		c.rows.count(d, result, "all", laws,
			fmt.Sprintf("%s, %s noise", laws, kind),
			fmt.Sprintf("%s, %s", laws, c.family.name),
			fmt.Sprintf("%s, noise %4s", laws, quantity.Chosen(100*noise)),
			fmt.Sprintf("%s, %2d points", laws, len(d.series.Observations)))
	}
}

// coverageTable counts rows by name.
type coverageTable struct {
	names []string
	rows  map[string]*coverageRow
}

type coverageRow struct {
	draws    int
	runs     [3]int // intervals that hold a new run, at 1, 2 and 4 times
	laws     [3]int
	narrower [3]int // intervals with ends less than a factor of two apart
}

// row is the row of a name, new if it is.
func (t *coverageTable) row(name string) *coverageRow {
	if t.rows[name] == nil {
		t.rows[name] = &coverageRow{}
		t.names = append(t.names, name)
	}
	return t.rows[name]
}

func (t *coverageTable) count(d coverageDraw, result Result, names ...string) {
	var one coverageRow
	one.draws = 1
	for i, p := range result.Predictions {
		law := d.law(p.P)
		run := d.again(law)
		if run >= p.Lo && run <= p.Hi {
			one.runs[i]++
		}
		// An exact law may differ from an exact interval by rounding.
		if law >= p.LawLo*(1-1e-9) && law <= p.LawHi*(1+1e-9) {
			one.laws[i]++
		}
		if p.Hi < 2*p.Lo {
			one.narrower[i]++
		}
	}
	for _, name := range names {
		t.row(name).add(one)
	}
}

func (r *coverageRow) add(o coverageRow) {
	r.draws += o.draws
	for i := range r.runs {
		r.runs[i] += o.runs[i]
		r.laws[i] += o.laws[i]
		r.narrower[i] += o.narrower[i]
	}
}

func (t *coverageTable) merge(o *coverageTable) {
	for _, name := range o.names {
		t.row(name).add(*o.rows[name])
	}
}

func (t *coverageTable) print(w io.Writer) {
	const head = "%-24s %7s  %-19s  %-19s  %s\n"
	fmt.Fprintf(w, head, "", "series", "hold a new run", "hold the law", "ends within a factor of 2")
	fmt.Fprintf(w, head, "", "", "1x    2x    4x", "1x    2x    4x", "1x    2x    4x")
	slices.Sort(t.names)
	for _, name := range t.names {
		row := t.rows[name]
		fmt.Fprintf(w, "%-24s %7d", name, row.draws)
		for _, counts := range [][3]int{row.runs, row.laws, row.narrower} {
			fmt.Fprint(w, "  ")
			for _, c := range counts {
				fmt.Fprintf(w, "%.3f ", float64(c)/float64(row.draws))
			}
		}
		fmt.Fprintln(w)
	}
}
