package main

import (
	"math"
	"path/filepath"
	"testing"
)

// TestShortCyclesHaveNoStepsBelowASample reads the recording of a shell loop of 300 equal processes of gawk, each of
// which takes 4.5 samples. The detector counts some as 4 and some as 5 samples.
func TestShortCyclesHaveNoStepsBelowASample(t *testing.T) {
	p := periodsOf(t, ask("periods", "--json", filepath.Join("testdata", "short_processes.jgp")))
	if len(p.Patterns) == 0 {
		t.Fatal("no period")
	}
	if steps := p.Patterns[0].Drift.Steps; len(steps) > 0 {
		t.Errorf("the length of equal cycles changed: %v", steps)
	}
}

// TestUnsurePeriodOfAPipelineIsNotReported reads the recording of two seconds of `gzip -dc | sort | gzip`, in which
// the search of job and node columns alike ends at a confidence of 0.33.
func TestUnsurePeriodOfAPipelineIsNotReported(t *testing.T) {
	p := periodsOf(t, ask("periods", "--json", filepath.Join("testdata", "pipeline.jgp")))
	for _, q := range p.Patterns {
		if q.Confidence < 0.4 {
			t.Errorf("%s: %v s with confidence %.2f", q.ID, q.PeriodS, q.Confidence)
		}
	}
}

// TestComputesAndSleeps reads recordings of a C program whose code lies in one page and that computes for a while,
// varied by 10 %, and sleeps in each cycle. The profiles say that it hardly waited for a CPU. logged is the mean
// length of a cycle by the program's own clock and spreadS the distance of the 10th and 90th percentiles. The
// third of 90 ms that the program sleeps is one low stretch: on noisy columns three cycles were reported as one,
// with a spread four times that of the clock and low stretches of 30, 40 and 40 ms.
func TestComputesAndSleeps(t *testing.T) {
	for name, c := range map[string]struct{ logged, spreadS, sleepsS float64 }{
		"90ms": {0.0911, 0.0058, 0.030}, "500ms": {0.4995, 0.0217, 0.250}, "4000ms": {3.9965, 0.1725, 2},
	} {
		p := periodsOf(t, ask("periods", "--json", filepath.Join("testdata", "computes_and_sleeps_"+name+".jgp")))
		if len(p.Patterns) != 1 || math.Abs(p.Patterns[0].PeriodS/c.logged-1) > 0.02 {
			t.Errorf("%s: %+v, %v", name, p.Patterns, p.Notes)
			continue
		}
		q := p.Patterns[0]
		if spreadS := q.P90S - q.P10S; math.Abs(spreadS/c.spreadS-1) > 1./3 {
			t.Errorf("%s: lengths differ by %.4f s from the 10th to the 90th percentile, the clock's by %.4f", name, spreadS,
				c.spreadS)
		}
		if len(q.Low) != 1 || math.Abs(q.Low[0].DurationS-c.sleepsS) > max(0.0051, 0.02*c.sleepsS) {
			t.Errorf("%s: low stretches %+v, the program sleeps %.3f s", name, q.Low, c.sleepsS)
		}
	}
}
