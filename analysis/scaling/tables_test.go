package scaling

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/internal/parallel"
)

// Flags of TestPrintTables, behind -args.
var (
	tableNames = flag.String("tables", "", "tables to print, separated by commas")
	tableSeed  = flag.Uint64("seed", 1, "seed of the draws")
	tableDraws = flag.Int("draws", 20000, "series in each cell")
	tableList  = flag.Int("list", 664, "series in each list of the table chance")
)

// TestPrintTables prints the tables of MEASURED.md. The same seed gives the same
// series.
//
//	go test ./analysis/scaling -run PrintTables -v -timeout 0 -args -tables averaged,splits -seed 1
//
// averaged and splits repeat section 4.1 of Off-Road with the paper's method and the
// default one on the same series; measured are families of measured series with 95 %
// bounds, rough is noise that is not independent and proportional, chance the false
// changes expected and seen in lists of series (8,000 draws are enough), coverage the
// shares of prediction intervals that hold (500), badruns the laws that one or two bad
// runs leave as they are (20), thresholds the table of threshold.go (30,000).
func TestPrintTables(t *testing.T) {
	if *tableNames == "" {
		t.Skip("prints the tables that -args -tables names")
	}
	s := tableSettings{seed: *tableSeed, count: max(*tableDraws, 1), list: max(*tableList, 1)}
	for _, name := range strings.Split(*tableNames, ",") {
		if err := s.print(name, os.Stdout); err != nil {
			t.Error(err)
		}
	}
}

// tableSettings are the seed and the sizes of tables.
type tableSettings struct {
	seed  uint64
	count int
	list  int
}

// table is one thing to measure.
type table struct {
	name  string
	print func(tableSettings, io.Writer)
}

func allTables() []table {
	return []table{
		{"averaged", averaged},
		{"splits", splits},
		{"measured", measured},
		{"rough", rough},
		{"chance", chance},
		{"coverage", coverage},
		{"badruns", badRuns},
		{"thresholds", thresholds},
	}
}

// print writes the table of a name.
func (s tableSettings) print(name string, w io.Writer) error {
	all := allTables()
	i := slices.IndexFunc(all, func(t table) bool { return t.name == name })
	if i < 0 {
		return fmt.Errorf("no table %q", name)
	}
	all[i].print(s, w)
	return nil
}

// tableCell counts the verdicts on n series of a source.
type tableCell struct {
	seed uint64
	n    int
	draw func(drawSource) drawnSeries
	// paper says whether the paper's method runs as well.
	paper         bool
	ours, theirs  tally
	middle, drawn int // changes that are in the middle; series with one
}

// measure runs cells, several at once. What a cell counts does not depend on
// how many run.
func (s tableSettings) measure(cells []*tableCell) {
	parallel.Each(len(cells), func(i int) {
		cells[i].seed = s.seed<<20 + uint64(i)
		cells[i].run()
	})
}

func (c *tableCell) run() {
	src := newDraw(c.seed)
	d := NewDetector()
	for range c.n {
		s := c.draw(src)
		c.ours.add(d.Locate(s.P, s.Values, s.Groups), s.Cuts)
		if c.paper {
			y := make([]float64, len(s.P))
			for k, v := range s.Values {
				y[k] = v[0]
			}
			c.theirs.add(PaperVerdict(s.P, y), s.Cuts)
		}
		if len(s.Cuts) > 0 {
			c.drawn++
			if len(s.Cuts) == 1 && s.Cuts[0] == len(s.P)/2 {
				c.middle++
			}
		}
	}
}
