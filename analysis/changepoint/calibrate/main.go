// Calibrate measures the sequential change detector on noise that it draws itself:
// false events per 1000 runs in families without a change, and beside patterns of
// weekdays what is found of one (-weeks). What is found of changes elsewhere, and how
// well their effects are covered, experiment -what fields tells. The figures of
// MEASURED.md are its output; the settings were chosen on seeds 1 to 9, the figures
// are of others.
package main

import (
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"jobgait/analysis/changepoint"
)

// options say what is drawn.
type options struct {
	runs   int    // of each family
	seed   uint64 // of the draws
	only   string // families with this in their name
	length int    // of each history, 0: 60 to 150
	sd     float64
}

func main() {
	var o options
	week := flag.Bool("weeks", false, "families with a pattern of weekdays")
	spread := flag.Bool("spread", false, "notes of changed noise instead, in families where it stays and where it changes")
	flag.IntVar(&o.runs, "runs", 20000, "runs of each family")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the draws")
	flag.StringVar(&o.only, "only", "", "families with this in their name")
	flag.IntVar(&o.length, "length", 0, "runs of each history (default 60 to 150)")
	flag.Float64Var(&o.sd, "sd", 0, "noise in log units (default 0.005 to 0.1)")
	flag.Parse()
	switch {
	case *spread:
		measureSpread(os.Stdout, append(nulls(), grown()...), o, changepoint.Default())
	case *week:
		measure(os.Stdout, weeks(), o, changepoint.Default())
	default:
		measure(os.Stdout, nulls(), o, changepoint.Default())
	}
}

// measure prints one line for each family.
func measure(w io.Writer, families []family, o options, p changepoint.Params) {
	for _, f := range families {
		if strings.Contains(f.name, o.only) {
			t := one(f, o, p)
			t.print(w, f.name)
		}
	}
}

// one draws and judges histories of one family.
func one(f family, o options, p changepoint.Params) tally {
	r := rand.New(rand.NewPCG(o.seed, 7))
	var t tally
	for t.score[0].Runs < o.runs {
		n, sd := o.length, o.sd
		if n == 0 {
			n = 60 + r.IntN(91)
		}
		if sd == 0 {
			sd = 0.005 * math.Pow(20, r.Float64())
		}
		h := f.draw(r, n, sd)
		t.add(h, changepoint.Analyse([]changepoint.Series{h.series()}, changepoint.Sequential, p).Series[0].Changes)
	}
	return t
}
