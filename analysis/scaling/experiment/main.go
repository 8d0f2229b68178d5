// Program experiment repeats section 4.1 of Off-Road with the paper's method and
// the default one on the same series, and measures the default on what the paper
// does not have. The same seed gives the same series.
//
//	experiment                      the paper's two tables
//	experiment -tables measured     families of measured series, with 95 % bounds
//	experiment -tables rough        noise that is not independent and proportional
//	experiment -tables chance       false changes expected and seen in lists of series; -count 8000 is enough
//	experiment -tables coverage     shares of prediction intervals that hold; -count 500 is enough
//	experiment -count 1000          fewer series in each cell
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"jobgait/analysis/internal/parallel"
	"jobgait/analysis/scaling"
	"jobgait/analysis/scaling/experiment/draw"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are the flags.
type settings struct {
	seed  uint64
	count int
	list  int
}

// table is one thing to measure.
type table struct {
	name  string
	print func(settings, io.Writer)
}

// tables is all of them, in the order in which they are printed.
func tables() []table {
	return []table{
		{"averaged", averaged},
		{"splits", splits},
		{"measured", measured},
		{"rough", rough},
		{"chance", chance},
		{"coverage", coverage},
	}
}

func run(args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("experiment", flag.ContinueOnError)
	fs.SetOutput(stderr)
	var s settings
	fs.Uint64Var(&s.seed, "seed", 1, "seed of the draws")
	fs.IntVar(&s.count, "count", 20000, "series in each cell")
	fs.IntVar(&s.list, "list", 664, "series in each list of the table chance")
	names := fs.String("tables", "averaged,splits", "tables to print: averaged, splits, measured, rough, chance, coverage")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	if s.count < 1 || s.list < 1 {
		fmt.Fprintln(stderr, "experiment: -count, -list: at least 1")
		return 2
	}
	wanted := strings.Split(*names, ",")
	for _, name := range wanted {
		if !slices.ContainsFunc(tables(), func(t table) bool { return t.name == name }) {
			fmt.Fprintf(stderr, "experiment: -tables: no table %q\n", name)
			return 2
		}
	}
	for _, t := range tables() {
		if slices.Contains(wanted, t.name) {
			t.print(s, stdout)
		}
	}
	return 0
}

// cell counts the verdicts on n series of a source.
type cell struct {
	seed uint64
	n    int
	draw func(draw.Source) draw.Series
	// paper is whether the paper's method is asked too.
	paper         bool
	ours, theirs  tally
	middle, drawn int // changes that are in the middle; series with one
}

// measure runs cells, several at once. What a cell counts does not depend on
// how many run.
func (s settings) measure(cells []*cell) {
	parallel.Each(len(cells), func(i int) {
		cells[i].seed = s.seed<<20 + uint64(i)
		cells[i].run()
	})
}

func (c *cell) run() {
	src := draw.New(c.seed)
	d := scaling.NewDetector()
	for range c.n {
		s := c.draw(src)
		c.ours.add(d.Locate(s.P, s.Values, s.Groups), s.Cuts)
		if c.paper {
			y := make([]float64, len(s.P))
			for k, v := range s.Values {
				y[k] = v[0]
			}
			c.theirs.add(scaling.PaperVerdict(s.P, y), s.Cuts)
		}
		if len(s.Cuts) > 0 {
			c.drawn++
			if len(s.Cuts) == 1 && s.Cuts[0] == len(s.P)/2 {
				c.middle++
			}
		}
	}
}
