package summary

import (
	"fmt"
	"testing"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
)

// The parts of Analyse for 45 minutes at 200 Hz in seven columns: what a record
// holds beside the timeline and the patterns is to cost less than a tenth.
func BenchmarkAnalyse45min(b *testing.B) {
	set, p := loopSet(540_000, loopPlan{periodS: 1.3723, seed: 5}), Default()
	for b.Loop() {
		if _, err := Analyse(NodeRecord{Node: "n"}, set, p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoops45min(b *testing.B) {
	set, p := loopSet(540_000, loopPlan{periodS: 1.3723, seed: 5}), Default()
	found, err := periodicity.Detect(set, p.Periods)
	if err != nil || len(found.Periods) == 0 {
		b.Fatal("nothing to measure", err)
	}
	patterns := pattern.Represent(set, found.Periods)
	b.ResetTimer()
	for b.Loop() {
		loopsOf(set, found.Periods, patterns, p.Lengths)
	}
}

func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		records, names := crowd(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Merge(records, names)
			}
		})
	}
}
