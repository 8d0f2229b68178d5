package jobtest

import (
	"testing"
	"time"
)

// patience is how long Until waits: a machine that others use takes ten times as long as
// an idle one.
const patience = 2 * time.Minute

// Poll sleeps from shortest to longest between two calls, and at least restFactor times as long as a call took: the
// condition needs the CPU too.
const (
	shortest   = 2 * time.Millisecond
	longest    = 200 * time.Millisecond
	restFactor = 4
)

// Until waits until so is true and ends the test if that takes longer than patience; what names it.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	if !Poll(patience, so) {
		t.Fatalf("waited %v in vain until %s", patience, what)
	}
}

// WorkloadPause lets d pass as a part of the workload that a test makes or measures. A test that waits for an event
// calls Until or Poll.
func WorkloadPause(d time.Duration) { time.Sleep(d) }

// Poll calls so until it is true, and returns false if that takes longer than the limit.
func Poll(limit time.Duration, so func() bool) bool {
	for end := time.Now().Add(limit); ; {
		began := time.Now()
		if so() {
			return true
		}
		if began.After(end) {
			return false
		}
		time.Sleep(min(max(shortest, restFactor*time.Since(began)), longest))
	}
}
