package main

import (
	"math"
	"testing"

	"jobgait/analysis/tracker"
)

// Checkpoints are known after three of them at regular distances, whether the tracker sees a late cycle or a long one;
// pauses at random distances do not count, and the table stays bounded.
func TestInterruptionsFindCheckpoints(t *testing.T) {
	for name, long := range map[string]bool{"late cycles": false, "long cycles": true} {
		var i interruptions
		at := 0.0
		for n := range 200 * 20 {
			length := 0.1
			if n > 0 && n%20 == 0 {
				at += 0.7
				if long {
					length = 0.8
				}
			}
			at += 0.1
			i.add(tracker.Cycle{EndS: at, LengthS: length}, 0.1)
			if got := i.checkpointS(); n < 60 && got != 0 || n >= 61 && math.Abs(got-0.7) > 1e-6 {
				t.Fatalf("%s: after %d cycles: %g s", name, n, got)
			}
		}
		if len(i.table) > mostInterruptions {
			t.Errorf("%s: %d phases", name, len(i.table))
		}
	}
	var i interruptions
	at := 0.0
	for n := range 400 {
		if n%7 == 0 || n%11 == 0 {
			at += 0.7
		}
		at += 0.1
		i.add(tracker.Cycle{EndS: at, LengthS: 0.1}, 0.1)
	}
	if got := i.checkpointS(); got != 0 {
		t.Errorf("pauses at other distances: %g s", got)
	}
}
