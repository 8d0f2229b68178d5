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
// varied by 10 %, and sleeps for the same time in each cycle. The profiles say that it hardly waited for a CPU.
func TestComputesAndSleeps(t *testing.T) {
	for name, logged := range map[string]float64{"90ms": 0.0911, "500ms": 0.4995, "4000ms": 3.9965} {
		p := periodsOf(t, ask("periods", "--json", filepath.Join("testdata", "computes_and_sleeps_"+name+".jgp")))
		if len(p.Patterns) != 1 || math.Abs(p.Patterns[0].PeriodS/logged-1) > 0.02 {
			t.Errorf("%s: %+v, %v", name, p.Patterns, p.Notes)
		}
	}
}
