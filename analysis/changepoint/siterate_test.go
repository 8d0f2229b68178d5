package changepoint

import (
	"math"
	"math/rand/v2"
	"testing"
)

// siteOf draws n results of 60 runs in the form of Analyse: a level that changes half way, with its regimes
// known.
func siteOf(n int, sd float64) []SeriesResult {
	out := make([]SeriesResult, n)
	for i := range out {
		r := SeriesResult{Regimes: []Regime{{First: 0, Last: 29}, {First: 30, Last: 59}}}
		for _, x := range drawn(uint64(i), 60, sd, 0, map[int]float64{30: .3}) {
			r.Adjusted = append(r.Adjusted, math.Exp(x))
		}
		r.Adjusted[7] = math.NaN()
		out[i] = r
	}
	return out
}

func TestOwnRate(t *testing.T) {
	t.Parallel()
	p := Default()
	if o := MeasureSiteRate(siteOf(minSiteSeries-1, .03), p); o != nil || o.Factor() != 1 ||
		math.Abs(o.siteChance(.25)-.25) > 1e-15 {
		t.Errorf("of too few: %+v", o)
	}
	site := siteOf(minSiteSeries, .03)
	own := MeasureSiteRate(site, p)
	if own == nil || own.Series != minSiteSeries || own.Runs != 59*minSiteSeries || own.Factor() > 3 {
		t.Fatalf("at twice the noise that is assumed: %+v, factor %v", own, own.Factor())
	}
	if again := MeasureSiteRate(site, p); *again != *own {
		t.Errorf("the same site gives %+v and %+v", own, again)
	}
	// If the five runs of a night share a level, a detector with too low a threshold finds more changes than its
	// calibration predicts, and the reported rate is lower.
	nights := siteOf(150, .005)
	for i := range nights {
		for k := range nights[i].Adjusted {
			nights[i].Adjusted[k] *= math.Exp(.04 * night(i, k/blockRuns))
		}
	}
	if asked := MeasureSiteRate(nights, p); asked.Factor() > 3 {
		t.Errorf("nights that differ: %+v, factor %v", asked, asked.Factor())
	}
	p.Threshold = 1
	loose := MeasureSiteRate(nights, p)
	if loose.FalseAlarms < 8 || loose.Factor() < 4 || loose.siteChance(.001) < .0039 || loose.siteChance(1) != 1 {
		t.Errorf("at thresholds too low: %+v, factor %v", loose, loose.Factor())
	}
}

// night returns the distance of a night of a history from its level, in standard deviations.
func night(history, night int) float64 {
	return rand.New(rand.NewPCG(uint64(history), uint64(night))).NormFloat64()
}

// For runs of a drift and of short levels no level is subtracted.
func TestLevelled(t *testing.T) {
	end := 59
	r := siteOf(1, .01)[0]
	r.Changes = []Change{{Index: 40, EndIndex: &end}}
	if x := relativeRuns(&r); len(x) != 29+10 {
		t.Errorf("%d runs, want those before the drift", len(x))
	}
	for _, x := range relativeRuns(&r) {
		if math.Abs(x-1) > .05 {
			t.Errorf("a run lies %v off its level", x)
		}
	}
	r.Regimes[1].First = 55
	if x := relativeRuns(&r); len(x) != 29 {
		t.Errorf("%d runs, want those of the long level", len(x))
	}
}
