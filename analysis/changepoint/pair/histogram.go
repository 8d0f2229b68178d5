package pair

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/quantity"
)

// Bin is a range of relative differences in percent, and the number of pairs in it.
type Bin struct {
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Count int     `json:"count"`
}

// histogram counts log ratios in bins of relative difference. The width is that of Freedman and Diaconis,
// rounded to 1, 2 or 5; at most 12 bins lie on each side of the bin of the median, and spikes beyond are
// counted in the outermost bins, which are widened to hold them.
func histogram(r []float64) []Bin {
	d := make([]float64, len(r))
	for i, v := range r {
		d[i] = quantity.PercentOfLogs(v)
	}
	slices.Sort(d)
	width := 2 * (robust.SortedQuantile(d, .75) - robust.SortedQuantile(d, .25)) / math.Cbrt(float64(len(d)))
	width = roundWidth(math.Max(width, 1e-3))
	const most = 24
	mid := math.Floor(robust.SortedQuantile(d, .5) / width)
	lo := math.Max(math.Floor(d[0]/width), mid-most/2)
	hi := math.Min(math.Floor(d[len(d)-1]/width), mid+most/2)
	bins := make([]Bin, int(hi-lo)+1)
	for i := range bins {
		bins[i].Lo, bins[i].Hi = (lo+float64(i))*width, (lo+float64(i)+1)*width
	}
	for _, v := range d {
		bins[int(math.Min(math.Max(math.Floor(v/width), lo), hi)-lo)].Count++
	}
	bins[0].Lo = math.Min(bins[0].Lo, d[0])
	end := &bins[len(bins)-1]
	end.Hi = math.Max(end.Hi, d[len(d)-1])
	return bins
}

// roundWidth returns the value nearest to w among 1, 2 and 5 times a power of ten.
func roundWidth(w float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(w)))
	switch {
	case w < 1.5*unit:
		return unit
	case w < 3.5*unit:
		return 2 * unit
	case w < 7.5*unit:
		return 5 * unit
	}
	return 10 * unit
}
