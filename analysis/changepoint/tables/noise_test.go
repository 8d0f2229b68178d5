package tables

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/draw"
)

// options say what is drawn.
type options struct {
	runs   int    // of each family
	seed   uint64 // of the draws
	only   string // families with this in their name
	length int    // of each history, 0: 60 to 150
	sd     float64
}

// measure prints one line for each family.
func measure(w io.Writer, families []family, o options, p changepoint.Params) {
	for _, f := range families {
		if strings.Contains(f.name, o.only) {
			t := judgeFamily(f, o, p)
			t.print(w, f.name)
		}
	}
}

// judgeFamily draws and judges histories of one family.
func judgeFamily(f family, o options, p changepoint.Params) tally {
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

func TestMeasurePrintsEveryFamily(t *testing.T) {
	var b bytes.Buffer
	o := options{runs: 100, seed: 1, length: 60, sd: 0.01}
	measure(&b, nulls(), o, changepoint.Default())
	for _, f := range nulls() {
		if !strings.Contains(b.String(), f.name) {
			t.Errorf("no line for %q in\n%s", f.name, b.String())
		}
	}
}

func TestFamiliesHaveTheirProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	correlation := func(x []float64) float64 {
		mean, product, square := 0.0, 0.0, 0.0
		for _, v := range x {
			mean += v / float64(len(x))
		}
		for i, v := range x {
			square += (v - mean) * (v - mean)
			if i > 0 {
				product += (v - mean) * (x[i-1] - mean)
			}
		}
		return product / square
	}
	if phi := correlation(noise(r, 20000, 0.02, 0.5).x); math.Abs(phi-0.5) > 0.03 {
		t.Errorf("correlation .5 is %.3f", phi)
	}
	h := spikes(r, noise(r, 20000, 0.01, 0))
	far := 0
	for _, v := range h.x {
		if math.Abs(v-math.Log(100)) > 0.06 {
			far++
		}
	}
	if share := float64(far) / 20000; share < 0.01 || share > 0.1 {
		t.Errorf("share of outliers %.3f, want 2 to 10 %%", share)
	}
	for range 200 { // changes begin with a new day, and are where the level moves
		h := noise(r, 100, 0.02, 0)
		before := slices.Clone(h.x)
		h = stepAt(r, h, 0.1, 0.02)
		at := h.changes[0].Index
		if at < 12 || int(h.day[at]) == int(h.day[at-1]) || h.x[at-1] != before[at-1] ||
			math.Abs(h.x[at]-before[at]-h.changes[0].Log) > 1e-9 {
			t.Fatalf("a change at %d, days %v and %v", at, h.day[at-1], h.day[at])
		}
	}
}

// A reported change counts for one true change, and is false if no true change is near.
func TestTally(t *testing.T) {
	h := history{x: make([]float64, 50), day: make([]float64, 50),
		changes: []draw.PlantedChange{{Index: 10, Z: 9}, {Index: 13, Z: 9}, {Index: 30, Z: 9}}}
	var a tally
	rate := 0.005
	a.add(h, []changepoint.Change{{Index: 12}, {Index: 40, FalsePer1000: &rate, ExcessNats: 1}})
	if s := a.score[1]; s.Found != 1 || s.Asked != 3 || s.False != 1 || a.rated != 1 || a.beyond != 1 || a.events != 2 ||
		a.with != 1 {
		t.Errorf("%+v", a)
	}
}

func TestMeasureSpreadPrintsEveryFamily(t *testing.T) {
	var b bytes.Buffer
	families := append(nulls(), grown()...)
	measureSpread(&b, families, options{runs: 200, seed: 1}, changepoint.Default())
	for _, f := range families {
		if !strings.Contains(b.String(), f.name) {
			t.Errorf("no line for %q in\n%s", f.name, b.String())
		}
	}
	if !strings.Contains(b.String(), "found") {
		t.Error("no change of noise was found in any family")
	}
}

func TestWeeks(t *testing.T) {
	var b bytes.Buffer
	measure(&b, weeks(), options{runs: 60, seed: 1, length: 60, sd: 0.01}, changepoint.Default())
	for _, f := range weeks() {
		if !strings.Contains(b.String(), f.name) {
			t.Errorf("no line for %q in\n%s", f.name, b.String())
		}
		h := f.draw(rand.New(rand.NewPCG(1, 1)), 80, 0.01)
		if len(h.x) != 80 || len(h.day) != 80 || !slices.IsSorted(h.day) ||
			strings.Contains(f.name, "change") != (len(h.changes) == 1) {
			t.Errorf("%s: %d runs, %d days, %d changes", f.name, len(h.x), len(h.day), len(h.changes))
		}
	}
}
