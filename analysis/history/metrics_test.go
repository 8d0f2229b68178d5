package history

import (
	"testing"

	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

func TestEnergyIsThePackagesAlone(t *testing.T) {
	s := summary.Summary{Nodes: []summary.Node{{Name: "n1", Reported: true}}, Counters: []run.Counter{
		{Name: "energy_dram", Unit: "uJ", Scope: "node", Total: 5e6},
		{Name: "energy_pkg", Unit: "uJ", Scope: "node", Total: 131e6}}}
	if got := energy(s); got == nil || *got != 131 {
		t.Errorf("energy %v, want 131 J", got)
	}
	s.Counters = s.Counters[:1]
	if got := energy(s); got != nil {
		t.Errorf("energy %v of memory alone", *got)
	}
}
