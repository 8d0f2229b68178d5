package application

import (
	"math"
	"testing"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
)

// A run with one task that was ready to run throughout waited for the part of the time that it did not compute; tasks
// that slept in between waited for less.
func TestUsualCPUWait(t *testing.T) {
	of := func(busy, waiting float64) history.Run {
		return history.Run{Exit: &run.Exit{}, ElapsedS: 10, BusyCPUs: &busy, WaitingCPUs: &waiting}
	}
	unknown, failed := history.Run{Exit: &run.Exit{}, ElapsedS: 10}, of(.1, .9)
	failed.Exit = &run.Exit{Code: 1}
	for _, c := range []struct {
		name string
		runs []history.Run
		want float64 // NaN: unknown
	}{
		{"one task", []history.Run{of(.7, .3), of(.8, .2), of(.9, .1), failed}, .2},
		{"it slept for half of the time", []history.Run{of(.4, .1)}, .1},
		{"four tasks on two CPUs", []history.Run{of(2, 2)}, .5},
		{"one of three is known", []history.Run{of(.7, .3), unknown, unknown}, math.NaN()},
		{"no run", nil, math.NaN()},
	} {
		got := UsualCPUWait(c.runs)
		if got == nil != math.IsNaN(c.want) || got != nil && math.Abs(*got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %g", c.name, got, c.want)
		}
	}
}
