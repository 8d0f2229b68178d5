package periodicity

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"jobgait/analysis/series"
)

// sampledCode returns code that was sampled once in a slot of 5 ms.
func sampledCode(columns int, pages []int) series.Set {
	set := series.Set{StepS: 0.005, Axis: series.Wall}
	for c := range columns {
		v := make(series.Values, len(pages))
		for i, page := range pages {
			if page == c {
				v[i] = 1
			}
		}
		set.Columns = append(set.Columns, series.Column{Name: "page" + strconv.Itoa(c), Group: series.CodeGroup,
			Scope: series.JobScope, Unit: countUnit, Values: v})
	}
	return set
}

// weakLoop draws the page of each of n slots: a cycle goes through six pages, and most samples lie in pages that
// have nothing to do with it. Its length in slots scatters by a share.
func weakLoop(rng *rand.Rand, n int, slots, spread float64) (pages []int) {
	at, length := 0.0, slots
	for range n {
		page := rng.IntN(6)
		if rng.Float64() < 0.35 {
			page = int(6 * at / length)
		}
		pages = append(pages, min(page, 5))
		if at++; at >= length {
			at -= length
			length = slots * (1 + spread*rng.NormFloat64())
		}
	}
	return pages
}

// TestWholeRunFindsWeakLoops finds loops that no window shows, and follows most of their cycles.
func TestWholeRunFindsWeakLoops(t *testing.T) {
	for _, slots := range []float64{7.66, 9.8, 19.3, 36.6} {
		set := sampledCode(6, weakLoop(rand.New(rand.NewPCG(7, uint64(slots))), 5200, slots, 0.02))
		p, ok := inWholeRun(set, Default())
		if !ok || math.Abs(p.PeriodSamples/slots-1) > 0.02 {
			t.Errorf("loop of %.2f slots: %.2f slots, %v", slots, p.PeriodSamples, ok)
			continue
		}
		if n := float64(len(p.Instances)); math.Abs(n*slots/5200-1) > 0.2 {
			t.Errorf("loop of %.2f slots: %v cycles of %.0f", slots, n, 5200/slots)
		}
		if p.Confidence < LeastConfidenceOfSampledCode || p.Confidence >= Confident {
			t.Errorf("loop of %.2f slots: confidence %.2f", slots, p.Confidence)
		}
	}
}

// randomStays draws the page of each of n slots: stays of drawn lengths in pages, each of which is followed by
// pages with probabilities of its own.
func randomStays(rng *rand.Rand, n int) (pages []int) {
	mean := 1 + 30*rng.Float64()
	spread := 0.3 + rng.Float64()
	var follows [6][6]float64
	for i := range follows {
		for j := range follows[i] {
			follows[i][j] = rng.ExpFloat64()
		}
	}
	page := 0
	for len(pages) < n {
		length := 1 + int(mean*math.Exp(spread*rng.NormFloat64()))
		for range length {
			pages = append(pages, page)
		}
		next, best := 0, 0.0
		for j, weight := range follows[page] {
			if x := weight / rng.ExpFloat64(); x > best {
				next, best = j, x
			}
		}
		page = next
	}
	return pages[:n]
}

// TestWholeRunRefusesChance checks that code without a loop has no period. JOBGAIT_NULLS sets the number of runs
// that are drawn.
func TestWholeRunRefusesChance(t *testing.T) {
	runs := 40
	if n, err := strconv.Atoi(os.Getenv("JOBGAIT_NULLS")); err == nil {
		runs = n
	}
	found := 0
	for seed := range runs {
		rng := rand.New(rand.NewPCG(11, uint64(seed)))
		if p, ok := inWholeRun(sampledCode(6, randomStays(rng, 5200)), Default()); ok {
			found++
			t.Logf("run %d: %.2f slots with confidence %.2f, score %.1f", seed, p.PeriodSamples, p.Confidence, p.Significance)
		}
	}
	if 100*found > runs {
		t.Errorf("%d of %d runs without a loop have a period", found, runs)
	}
}

// TestWholeRunRefusesTheSampler refuses a page that is hit every 20 slots exactly.
func TestWholeRunRefusesTheSampler(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	pages := make([]int, 5200)
	for i := range pages {
		if pages[i] = rng.IntN(5); i%20 == 0 {
			pages[i] = 5
		}
	}
	if p, ok := inWholeRun(sampledCode(6, pages), Default()); ok {
		t.Errorf("period of %.2f slots", p.PeriodSamples)
	}
}

// TestSharpenedLengths checks that the scatter of cycles of few slots is that of the program, not that of whole slots.
func TestSharpenedLengths(t *testing.T) {
	for _, spread := range []float64{0.01, 0.02} {
		rng := rand.New(rand.NewPCG(9, 9))
		const slots = 8.0
		set := sampledCode(6, make([]int, 5200))
		at, length := 0.0, slots
		for i := range 5200 {
			set.Columns[0].Values[i] = 0
			for range 5 {
				page := int(6 * (at + rng.Float64()) / length)
				set.Columns[page%6].Values[i]++
			}
			if at++; at >= length {
				at -= length
				length = slots * (1 + spread*rng.NormFloat64())
			}
		}
		r, err := Detect(set, Default())
		if err != nil || len(r.Periods) == 0 {
			t.Fatalf("spread %g: %v %v", spread, r.Notes, err)
		}
		p := r.Periods[0]
		if math.Abs(p.PeriodSamples/slots-1) > 0.02 || p.PeriodCV > spread+0.02 || p.PeriodCV == 0 {
			t.Errorf("spread %g: %.2f slots, CV %.3f", spread, p.PeriodSamples, p.PeriodCV)
		}
	}
}
