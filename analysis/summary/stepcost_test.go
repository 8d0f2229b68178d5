package summary

import (
	"math"
	"testing"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// The loop takes half of the run and keeps four CPUs busy; the start-up keeps one busy.
func TestStepCost(t *testing.T) {
	busy, step := 2.5, 2.0
	s := Summary{ElapsedS: 100, StepS: &step, Nodes: []Node{{Name: "a", Reported: true, BusyCPUs: &busy}},
		Counters: []run.Counter{{Name: "proc_wait", Unit: "ns", Scope: "job", Total: 20e9}},
		Patterns: []pattern.Pattern{{ID: "A", Timing: periodicity.Timing{PeriodS: 7}},
			{ID: "B", Timing: periodicity.Timing{PeriodS: 2.01}, Regions: []periodicity.Region{{StartS: 50, EndS: 100}}}},
		Timeline: Timeline{StepS: 25, Columns: []TimelineColumn{
			{Name: "busy_cpus", Mean: series.Values{1, 1, 4, 4}},
			{Name: "proc_wait", Mean: series.Values{0, 0, 0.4, series.Missing()}}}}}
	if got := s.StepCPUS(); got == nil || math.Abs(*got-8) > 1e-6 {
		t.Errorf("CPU time of a cycle: %v", got)
	}
	if got := s.StepWaitS(); got == nil || math.Abs(*got-2*0.2*3) > 1e-6 {
		t.Errorf("waiting of a cycle: %v", got)
	}
	s.Timeline = Timeline{}
	if got := s.StepCPUS(); got == nil || *got != 5 {
		t.Errorf("without a timeline: %v", got)
	}
	s.Nodes = append(s.Nodes, Node{Name: "b"})
	if s.StepCPUS() != nil || s.StepWaitS() != nil {
		t.Error("a node is missing, and the whole is told")
	}
	s.Nodes, s.StepS = s.Nodes[:1], nil
	if s.StepCPUS() != nil || s.StepWaitS() != nil {
		t.Error("no cycle, and a cost of it")
	}
}
