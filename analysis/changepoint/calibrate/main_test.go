package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
)

func TestMeasurePrintsEveryFamily(t *testing.T) {
	var b bytes.Buffer
	o := options{runs: 100, seed: 1, length: 60, sd: 0.01}
	measure(&b, nulls(), o, changepoint.Default())
	measure(&b, steps(), o, changepoint.Default())
	for _, f := range append(nulls(), steps()...) {
		if !strings.Contains(b.String(), f.name) {
			t.Errorf("no line for %q in\n%s", f.name, b.String())
		}
	}
}

func TestFamiliesAreWhatTheySay(t *testing.T) {
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
	for _, f := range steps() {
		for range 20 {
			h := f.draw(r, 100, 0.02)
			for c, v := range h.changes {
				if v.index <= 0 || v.index >= len(h.x) || c > 0 && v.index <= h.changes[c-1].index || int(h.day[v.index]) == int(h.day[v.index-1]) {
					t.Fatalf("%s: change at %d of %d, days %v and %v", f.name, v.index, len(h.x), h.day[v.index-1], h.day[v.index])
				}
			}
		}
	}
}

func TestMatchGivesEachDetectionOnce(t *testing.T) {
	h := history{x: make([]float64, 50), changes: []truth{{index: 10}, {index: 13}, {index: 30}}}
	found := []changepoint.Detection{{Index: 12}, {Index: 40}}
	if m := h.match(found, 3); m[0] != -1 || m[1] != 0 || m[2] != -1 {
		t.Errorf("matches %v, want the change at 13 only", m)
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
