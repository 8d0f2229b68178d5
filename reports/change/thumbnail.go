package change

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"jobgait/analysis/quantity"
	"jobgait/reports/plot"
)

// Width, height and margin of a small picture in SVG units, and the number of runs in it. Its runs are equally
// spaced, whatever their times.
const (
	smallWide, smallHigh = 280, 56
	smallMargin          = 4
	smallRuns            = 90
)

// Thumbnail draws the newest runs of a history without axes, as one of many pictures on a page: runs, levels, and
// changes of the level, starting some runs before the newest change. Of more than 90 runs it draws about 90,
// evenly chosen. It returns "" if there is nothing to draw. A picture of 90 runs takes 1.3 KB.
func Thumbnail(s JudgedHistory) string {
	lo, hi, ok := s.valueRange()
	first := s.smallFirst()
	stride := (len(s.Y) - first + smallRuns - 1) / smallRuns
	if !ok || len(s.Y) == first {
		return ""
	}
	if !(hi > lo) {
		lo, hi = lo-1, hi+1
	}
	x := func(k int) string {
		return strconv.Itoa(smallMargin + (k-first)*(smallWide-2*smallMargin)/max(1, len(s.Y)-1-first))
	}
	y := func(v float64) string {
		at := (hi - math.Max(lo, math.Min(hi, v))) / (hi - lo)
		return strconv.Itoa(smallMargin + int(math.Round(at*(smallHigh-2*smallMargin))))
	}
	odd := s.outlierSet()
	var dots, outliers, levels, changes strings.Builder
	for k := first; k < len(s.Y); k++ {
		switch v := s.Y[k]; {
		case math.IsNaN(v) || (k-first)%stride != 0 && k < len(s.Y)-stride:
		case odd[k]: // beyond the picture they lie at its edge
			outliers.WriteString("M" + x(k) + "," + y(v) + "h0")
		default:
			dots.WriteString("M" + x(k) + "," + y(v) + "h0")
		}
	}
	for i, g := range s.Result.Regimes {
		end := len(s.Y) - 1
		if i+1 < len(s.Result.Regimes) {
			end = s.Result.Regimes[i+1].First
		}
		means := []float64{g.Mean}
		if i+1 == len(s.Result.Regimes) && len(s.Result.Levels) > 0 {
			means = s.Result.Levels
		}
		for _, mean := range means {
			if end >= first && !math.IsNaN(mean) {
				levels.WriteString("M" + x(max(first, g.First)) + "," + y(mean) + "H" + x(end))
			}
		}
	}
	for _, c := range s.Result.Changes {
		if c.Index > first && c.Index < len(s.Y) {
			changes.WriteString("M" + x(c.Index) + ",0V" + strconv.Itoa(smallHigh))
		}
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="small history" role="img" viewBox="0 0 %d %d">`+
		`<title>%s</title><path class="change" d="%s"/><path class="level" d="%s"/>`+
		`<path class="runs" d="%s"/><path class="runs odd" d="%s"/></svg>`,
		smallWide, smallHigh, plot.Escape("the newest runs of "+s.Title()), changes.String(), levels.String(), dots.String(),
		outliers.String())
}

// smallFirst returns the index of the first run of a small picture: smallRuns before the end, or 25 runs before the
// newest change if that is earlier.
func (s JudgedHistory) smallFirst() int {
	first := max(0, len(s.Y)-smallRuns)
	if n := len(s.Result.Changes); n > 0 {
		const before = 25
		first = min(first, max(0, s.Result.Changes[n-1].Index-before))
	}
	return first
}

// BriefText returns the status of a history in a few words: its newest change, its unconfirmed deviation or,
// if it passes, its newest level.
func (s JudgedHistory) BriefText(o Options) string {
	switch s.Status {
	case Changed:
		e := s.newestLargeEvent()
		text := quantity.Signed(e.First().EffectPct) + " since " + s.date(e.First().T, o)
		if e.Known {
			text += ", acknowledged"
		}
		return text
	case Watch:
		return quantity.Signed(s.Unconfirmed.Pct) + ", not confirmed yet"
	case Unknown:
		return s.StatusText()
	}
	if len(s.Result.Regimes) == 0 {
		return "no level"
	}
	if l := s.Result.Levels; len(l) == 2 {
		return s.Value(l[0]) + " or " + s.Value(l[1])
	}
	g := s.Result.Regimes[len(s.Result.Regimes)-1]
	return s.Spread(g.Mean, g.SD)
}
