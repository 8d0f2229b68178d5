package tables

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"jobgait/analysis/changepoint"
)

// grown are families in which the noise grows or shrinks by a factor at one
// run, between a quarter and three quarters of the history.
func grown() []family {
	var all []family
	for _, f := range []float64{1.5, 2, 2.5, 3.3} {
		all = append(all,
			family{fmt.Sprintf("grows %.1f", f), scatter(f, false, false)},
			family{fmt.Sprintf("shrinks %.1f", f), scatter(1/f, false, false)},
			family{fmt.Sprintf("%.1f, outliers", f), scatter(f, true, false)},
			family{fmt.Sprintf("%.1f, several changes", f), scatter(f, false, true)})
	}
	return all
}

// scatter draws a history whose noise changes by factor f, perhaps with outliers
// and with changes of level.
func scatter(f float64, outliers, several bool) func(*rand.Rand, int, float64) history {
	return func(r *rand.Rand, n int, sd float64) history {
		h := noise(r, n, sd, 0)
		h.noisy, h.factor = n/4+r.IntN(n/2), f
		for i := h.noisy; i < n; i++ {
			h.x[i] = math.Log(100) + f*(h.x[i]-math.Log(100))
		}
		for i := 15 + r.IntN(30); several && i < n-4; i += 15 + r.IntN(30) {
			h.step(i, sign(r)*(0.02+0.3*r.Float64()+4*sd*max(1, f)), sd)
		}
		if outliers {
			h = spikes(r, h)
		}
		return h
	}
}

// spreads counts notes of changed noise.
type spreads struct {
	runs, series, notes, there, held int
	ratio                            float64 // sum of logarithms
	off                              []int   // runs from the place that is named to the true one
}

// add adds the result of one history.
func (t *spreads) add(h history, p changepoint.Params) {
	day := make([]int, len(h.x))
	for i := range h.x {
		day[i] = int(h.day[i])
	}
	t.runs, t.series = t.runs+len(h.x), t.series+1
	if h.noisy > 0 {
		t.there++
	}
	s, ok := changepoint.DetectSpread(h.x, day, p)
	if !ok {
		return
	}
	t.notes++
	if h.noisy == 0 {
		return
	}
	t.off = append(t.off, max(s.First-h.noisy, h.noisy-s.First))
	t.ratio += math.Log(s.Ratio)
	if s.Lo <= h.factor && h.factor <= s.Hi {
		t.held++
	}
}

func (t *spreads) print(w io.Writer, name string) {
	notes := float64(t.notes)
	fmt.Fprintf(w, "%-26s %6d runs, %4d series: %4d notes, %.2f per 1000 runs", name, t.runs, t.series, t.notes,
		1000*notes/float64(t.runs))
	if t.there > 0 && t.notes > 0 {
		slices.Sort(t.off)
		fmt.Fprintf(w, "; of %d found %.3f, half within %d and nine tenths within %d runs, factor %.2f, held %.3f", t.there,
			notes/float64(t.there),
			t.off[len(t.off)/2], t.off[len(t.off)*9/10], math.Exp(t.ratio/notes), float64(t.held)/notes)
	}
	fmt.Fprintln(w)
}

// measureSpread prints for each family how many notes of changed noise there
// are: false ones of families in which the noise stays, found ones of the others.
func measureSpread(w io.Writer, families []family, o options, p changepoint.Params) {
	for _, f := range families {
		if !strings.Contains(f.name, o.only) {
			continue
		}
		r := rand.New(rand.NewPCG(o.seed, 11))
		var t spreads
		for t.runs < o.runs {
			t.add(f.draw(r, 60+r.IntN(91), 0.005*math.Pow(20, r.Float64())), p)
		}
		t.print(w, f.name)
	}
}
