// Calibrate measures the sequential change detector on histories that it draws
// itself: false events per 1000 runs in families of noise without a change
// (-nulls), and what is found of true changes, how fast and how well their
// effects are covered (-changes). The figures of MEASURED.md are its
// output; the settings were chosen on seeds 1 to 9, the figures are of others.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"jobgait/analysis/changepoint"
)

// options say what is drawn.
type options struct {
	runs    int    // of each family
	seed    uint64 // of the draws
	only    string // families with this in their name
	length  int    // of each history, 0: 60 to 150
	sd      float64
	verbose bool
}

func main() {
	var o options
	changes := flag.Bool("changes", false, "families with true changes instead of those without")
	week := flag.Bool("weeks", false, "families with a pattern of weekdays")
	spread := flag.Bool("spread", false, "notes of changed noise instead, in families where it stays and where it changes")
	flag.IntVar(&o.runs, "runs", 20000, "runs of each family")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the draws")
	flag.StringVar(&o.only, "only", "", "families with this in their name")
	flag.IntVar(&o.length, "length", 0, "runs of each history (default 60 to 150)")
	flag.Float64Var(&o.sd, "sd", 0, "noise in log units (default 0.005 to 0.1)")
	flag.BoolVar(&o.verbose, "v", false, "print every false event")
	flag.Parse()
	families := nulls()
	if *changes {
		families = steps()
	}
	if *week {
		families = weeks()
	}
	if *spread {
		measureSpread(os.Stdout, append(nulls(), grown()...), o, changepoint.Default())
		return
	}
	measure(os.Stdout, families, o, changepoint.Default())
}

// measure prints one line for each family and their sum.
func measure(w io.Writer, families []family, o options, p changepoint.Params) {
	var all tally
	for _, f := range families {
		if !strings.Contains(f.name, o.only) {
			continue
		}
		t := one(w, f, o, p)
		t.print(w, f.name)
		all.merge(t)
	}
	if all.changes() > 0 {
		all.print(w, "all")
	}
}

// one draws and scans histories of one family.
func one(w io.Writer, f family, o options, p changepoint.Params) tally {
	r := rand.New(rand.NewPCG(o.seed, 7))
	var t tally
	for t.runs < o.runs {
		n, sd := o.length, o.sd
		if n == 0 {
			n = 60 + r.IntN(91)
		}
		if sd == 0 {
			sd = 0.005 * math.Pow(20, r.Float64())
		}
		h := f.draw(r, n, sd)
		day := make([]int, len(h.x))
		for i, d := range h.day {
			day[i] = int(d)
		}
		found := changepoint.Detect(h.x, day[:len(h.x)], p)
		t.add(h, found)
		if o.verbose {
			show(w, h, sd, found)
		}
	}
	return t
}

// show prints events that are no true change, with the runs before and since.
func show(w io.Writer, h history, sd float64, found []changepoint.Detection) {
	for _, d := range found {
		if h.near(d.Index, 3) {
			continue
		}
		fmt.Fprintf(w, "  sd %.3f, run %d of %d, seen after %d, margin %.1f:", sd, d.Index, len(h.x), d.Detected-d.Index+1, d.Margin)
		for i := max(0, d.Index-8); i <= d.Detected; i++ {
			if i == d.Index {
				fmt.Fprint(w, " |")
			}
			fmt.Fprintf(w, " %.1f", (h.x[i]-math.Log(100))/sd)
		}
		fmt.Fprintln(w)
	}
}
