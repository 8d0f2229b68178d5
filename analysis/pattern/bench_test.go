package pattern

import (
	"testing"

	"jobgait/analysis/periodicity"
)

// 45 minutes of iterations of 220 samples, with jitter: what the report of one
// pattern costs beside its detection.
func BenchmarkRepresent45min(b *testing.B) {
	s, p := ipc(1, 2450, 220, 0.5, 0.03, 12)
	b.ReportAllocs()
	for b.Loop() {
		Represent(s, []periodicity.Period{p})
	}
}

func BenchmarkStep(b *testing.B) {
	s, p := ipc(2, 100, 220, 0.5, 0.03, 0)
	q := Represent(s, []periodicity.Period{p, p, p})
	r := NewReference(q[0])
	for b.Loop() {
		r.Step(q)
	}
}

func BenchmarkCompare16Nodes(b *testing.B) {
	s, p := ipc(3, 100, 220, 0.5, 0.03, 0)
	q := Represent(s, []periodicity.Period{p})
	nodes := make([]NodePattern, 16)
	for i := range nodes {
		nodes[i] = NodePattern{Node: "n", Pattern: q[0]}
	}
	for b.Loop() {
		CompareNodes(nodes)
	}
}
